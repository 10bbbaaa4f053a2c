#include "reference/io/psf_kind.hpp"

#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::vector<PsfKind> kinds_of(PsfLayout layout) {
  switch (layout) {
    case PsfLayout::one_table:
      return {PsfKind::gauss_hermite, PsfKind::gauss_hermite2};
    case PsfLayout::coeff_hdus:
      return {PsfKind::spotgrid, PsfKind::monospot, PsfKind::pca_pix};
    case PsfLayout::trace_hdus:
      break;
  }
  return {PsfKind::gauss_hermite};
}

const char* what_has(PsfLayout layout) {
  switch (layout) {
    case PsfLayout::one_table:
      return "in a single table";
    case PsfLayout::coeff_hdus:
      return "with HDUs XCOEFF and YCOEFF";
    case PsfLayout::trace_hdus:
      break;
  }
  return "with HDUs XTRACE and YTRACE";
}

PsfKind kind_of(const std::string& file, const std::string& hdu,
                const std::optional<std::string>& psftype, PsfLayout layout) {
  const std::vector<PsfKind> kinds = kinds_of(layout);
  if (!psftype && layout != PsfLayout::coeff_hdus) return PsfKind::gauss_hermite;
  std::vector<std::string> names;
  for (const PsfKind kind : kinds) {
    names.push_back(to_string(kind));
    if (psftype && header_word(*psftype) == header_word(names.back())) return kind;
  }
  throw data_error(file,
                   psftype ? fmt::format("{}: PSFTYPE is {}", hdu, *psftype)
                           : fmt::format("{} has no keyword PSFTYPE", hdu),
                   fmt::format("{}, {}", fmt::join(names, " or "), what_has(layout)));
}

}  // namespace

PsfKind check_psf_kind(const std::string& file, const std::string& hdu,
                       const std::optional<std::string>& psftype,
                       const std::optional<std::string>& psfver, PsfLayout layout) {
  const PsfKind kind = kind_of(file, hdu, psftype, layout);
  if (!psfver || layout == PsfLayout::coeff_hdus) return kind;
  const double version = number_of(header_word(*psfver)).value_or(0);
  const bool of_table = layout == PsfLayout::one_table;
  if (of_table ? version >= 1 && version < 3 : version == 3) return kind;
  throw data_error(file, fmt::format("{}: PSFVER is {}", hdu, *psfver),
                   of_table ? "1 or 2, or 3 with HDUs XTRACE and YTRACE"
                            : "3, or 1 or 2 with rows X and Y in a table and no HDU YTRACE");
}

}  // namespace spex
