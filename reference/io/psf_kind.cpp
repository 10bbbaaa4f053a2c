#include "reference/io/psf_kind.hpp"

#include <charconv>

#include <fmt/format.h>

#include "reference/core/error.hpp"
#include "reference/core/header_word.hpp"

namespace spex {
namespace {

// specex and specter write the version as text, spex-sim too; others write a number.
bool is_number(const std::string& text, double number) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() && value == number;
}

}  // namespace

void check_psf_kind(const std::string& file, const std::string& hdu,
                    const std::optional<std::string>& psftype,
                    const std::optional<std::string>& psfver) {
  if (psftype && header_word(*psftype) != "gauss-hermite")
    throw data_error(file, fmt::format("{}: PSFTYPE is {}", hdu, *psftype),
                     "GAUSS-HERMITE, the only kind of PSF that is supported");
  if (psfver && !is_number(header_word(*psfver), 3))
    throw data_error(file, fmt::format("{}: PSFVER is {}", hdu, *psfver),
                     "3, the only version of GAUSS-HERMITE that is supported");
}

}  // namespace spex
