// Compares a result frame with a golden or with another extraction.
#pragma once

#include <optional>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/flux_solvers.hpp"
#include "reference/compare/frame_file.hpp"
#include "reference/compare/tolerance.hpp"

namespace spex {

/// The outcome of a comparison.
struct Comparison {
  Tolerance tolerance;         ///< tolerance used
  std::vector<Check> checks;   ///< in the order of the HDUs
  long long bins = 0;          ///< bins of the expected frame
  long long compared = 0;      ///< bins with ivar > 0 in both frames
  long long not_expected = 0;  ///< bins whose expected ivar is 0 or not finite
  long long off_ccd = 0;       ///< bins excluded as off the CCD, below
  /// Set if one frame has the flux of patches and the other the flux of the whole frame. Explains
  /// failures; does not affect the checks.
  std::optional<FluxSolvers> solvers = {};

  /// Whether all checks pass.
  [[nodiscard]] bool ok() const;
};

/// Compares `result` with `expected`:
///
/// - The result must have all HDUs of a frame (file-formats.md; SCORES is optional) in the expected
///   frame's shapes, with finite values and no negative ivar. RESOLUTION of a golden may contain
///   only the first fibers; then only these are compared.
/// - WAVELENGTH must agree within 1e-6 Angstrom. FIBER and MASK must be equal if the expected frame
///   has them. PIXMASK_FRACTION is compared if both frames have it, CHI2PIX where the expected
///   value is finite and above 0.
/// - ivar must be > 0 wherever the expected ivar is. Exception for goldens: production keeps a tiny
///   ivar in bins whose light falls off the top of the CCD, where section 3 requires 0. Such a bin
///   is excluded and counted if the result has pixmask_fraction > 1 - 1e-6 (or ALLBADPIX) and the
///   expected ivar is below 1e-6 of the fiber's median.
/// - Where the expected ivar is 0, ivar, flux, chi2pix and the column of R must equal the expected
///   values; the extractors set them to 0 in bins that no weighted pixel constrains (section 3). A
///   bin that the result flags ALLBADPIX may instead contain light at rounding level, held by the
///   prior: an ivar of at most 1e-6 of the frame's largest, a flux within its limit of 0, R of at
///   most 1, any chi2pix. Such bins of a golden are not compared, because its program has other
///   rules.
/// - Differences must be within `tolerance`; bins near dark bins may have separate limits. Each
///   file that stores a quantity in float32 adds half a unit in the last place, 2^-24 of the
///   expected value, to the allowance, except for goldens, whose tolerance includes it.
/// - identical: both files must have the same HDUs with the same values; tables are compared by the
///   bytes of their rows.
///
/// Throws Error(data) if `expected` is not a frame.
[[nodiscard]] Comparison compare_frames(const FrameFile& result, const FrameFile& expected,
                                        const Tolerance& tolerance);

}  // namespace spex
