// What a PSF file says of the fit of its fibers (extraction.md, section 1).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reference/model/psf.hpp"

namespace spex {

/// The HDU PSF; either function returns nothing for what is absent.
struct PsfHdu {
  /// A row of the table, COEFF `[fiber][ncoeff]`.
  std::function<std::optional<std::vector<double>>(const std::string& parameter)> row;
  /// A number of the header.
  std::function<std::optional<double>(const std::string& key)> keyword;
};

/// The fit by STATUS (keyword and row), BnnRCHI2 with the row BUNDLE, and the row TAILAMP. Without
/// the row BUNDLE, bundles have fibers_a_bundle fibers.
[[nodiscard]] PsfFit psf_fit_of(const PsfHdu& hdu, int nfiber, int ncoeff);

/// The rows of Psf::tail; empty if one is missing.
[[nodiscard]] std::vector<double> tail_of(const PsfHdu& hdu);

}  // namespace spex
