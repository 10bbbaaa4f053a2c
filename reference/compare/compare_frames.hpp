// The one comparison of two frames: a result with a golden, or with another extraction.
#pragma once

#include <optional>
#include <vector>

#include "reference/compare/check.hpp"
#include "reference/compare/flux_solvers.hpp"
#include "reference/compare/frame_file.hpp"
#include "reference/compare/tolerance.hpp"

namespace spex {

/// What was compared, and how it came out.
struct Comparison {
  Tolerance tolerance;         ///< what it was held to
  std::vector<Check> checks;   ///< in the order of the HDUs
  long long bins = 0;          ///< of the expected frame
  long long compared = 0;      ///< ivar > 0 in both
  long long not_expected = 0;  ///< expected ivar is 0 or not finite
  long long off_ccd = 0;       ///< left out by the rule of the top edge, below
  /// Where one has the flux of patches and one that of the whole frame: how they differ. Says why
  /// checks fail, and changes none.
  std::optional<FluxSolvers> solvers = {};

  /// Whether all checks pass.
  [[nodiscard]] bool ok() const;
};

/// Compares `result` with `expected`:
///
/// - the result has all HDUs of a frame (file-formats.md; SCORES may be left out) with the expected
///   frame's shapes, and no value in them that is not finite, and no negative ivar. A golden's
///   RESOLUTION may hold the first fibers only; then these are compared.
/// - WAVELENGTH within 1e-6 Angstrom; equal FIBER and MASK where the expected frame has them;
///   PIXMASK_FRACTION where both have it; CHI2PIX where the expected one is finite and above 0.
/// - ivar > 0 wherever the expected ivar is. One exception, with a golden only: production keeps a
///   tiny ivar in bins whose light falls off the top of the CCD, where section 3 says 0. Such a bin
///   is left out, and counted, where the result has pixmask_fraction > 1 - 1e-6 (or ALLBADPIX) and
///   the expected ivar is below 1e-6 of the fiber's median.
/// - where the expected ivar is 0: the expected frame's ivar, flux, chi2pix and column of R, which
///   our extractors make 0 in bins that no weighted pixel constrains (section 3). A bin that the
///   result flags ALLBADPIX may have what the prior makes of light that is rounding: an ivar of at
///   most 1e-6 of the frame's largest, a flux within its limit of 0, R of at most 1, any chi2pix.
///   Bins of a golden, whose program has other rules, are not compared there.
/// - the limits of `tolerance`, near dark bins those that it has for them. Each file that stores a
///   quantity in float32 adds half a unit of its last place, 2^-24 of the expected value, to what
///   is allowed (of a golden, its tolerance holds that already).
/// - identical: the same HDUs, and the same values in all of them, tables by their rows' bytes.
///
/// Throws Error(data) where `expected` itself is no frame.
[[nodiscard]] Comparison compare_frames(const FrameFile& result, const FrameFile& expected,
                                        const Tolerance& tolerance);

}  // namespace spex
