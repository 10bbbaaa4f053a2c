#include "reference/io/psf_kind.hpp"

#include <charconv>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"

namespace spex {
namespace {

// specex and specter write the version as text, spex-sim too; others write a number.
std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void check_psf_kind(const std::string& file, const std::string& hdu,
                    const std::optional<std::string>& psftype,
                    const std::optional<std::string>& psfver, PsfLayout layout) {
  if (psftype && header_word(*psftype) != "gauss-hermite")
    throw data_error(file, fmt::format("{}: PSFTYPE is {}", hdu, *psftype),
                     "GAUSS-HERMITE, the only kind of PSF that is supported");
  if (!psfver) return;
  const double version = number_of(header_word(*psfver)).value_or(0);
  const bool of_table = layout == PsfLayout::one_table;
  if (of_table ? version >= 1 && version < 3 : version == 3) return;
  throw data_error(file, fmt::format("{}: PSFVER is {}", hdu, *psfver),
                   of_table ? "1 or 2, or 3 with HDUs XTRACE and YTRACE"
                            : "3, or 1 or 2 with rows X and Y in a table and no HDU YTRACE");
}

}  // namespace spex
