// How far two frames may differ (extraction.md, section 8).
#pragma once

#include <optional>
#include <string>

namespace spex {

/// Limits near dark bins: those whose expected ivar is 0, or less than `dark_ivar` of the fiber's
/// median. A patch that holds one has an N that is singular but for rounding, and the flux of all
/// its bins depends on the order of additions. Measured on simulated r0 and z0 frames with masked
/// blocks, where 4 and 40 bins of a bundle are dark: two ways of the same eigendecomposition
/// (baseline and cpu-refactor), and Cholesky's, differ by up to 1.5e-5, 7.3e-6 and 1.6e-6; away
/// from there by 1.4e-11. The limits are about ten times the first, as a golden's are.
///
/// The chi2pix of a bin that the expected frame flags ALLBADPIX is only held to be a number, 0 or
/// more. It is an average over good pixels that hold less than 1e-6 of the bin's light, in one case
/// 1.1e-14 of it (simulated r0, seed 6, fiber 345 at 7037.6 Angstrom, in a masked block): such
/// weights are differences of error functions near 1, each rounded to 1e-16, so that the average
/// differed by 5.5e-4 of itself between the libraries of two processors. Its flag is compared.
struct DarkLimits {
  double flux_pull = 0;       ///< as Tolerance::flux_pull
  double ivar_rel = 0;        ///< as Tolerance::ivar_rel
  double resolution_abs = 0;  ///< as Tolerance::resolution_abs
  /// A padded patch reaches so far: fibers and bins.
  static constexpr int fibers = 7;
  static constexpr int bins = 74;            ///< see `fibers`
  static constexpr double dark_ivar = 1e-6;  ///< of the median; a bin below it is dark
};

/// Limits over the bins with ivar > 0 in both frames.
struct Tolerance {
  std::string name;           ///< as on the command line
  double flux_pull = 0;       ///< |d flux| sqrt(ivar of the expected frame)
  double ivar_rel = 0;        ///< |d ivar| / expected ivar
  double resolution_abs = 0;  ///< |d R|
  double chi2pix_rel = 0;     ///< |d chi2pix| / expected chi2pix
  double pixmask_abs = 0;     ///< |d pixmask_fraction|
  /// All data of all HDUs are equal; the limits above are then 0.
  bool identical = false;
  /// The expected frame is a golden: the limits hold its own float32 rounding already, and it may
  /// have a tiny ivar in bins whose light falls off the CCD.
  bool golden = false;
  /// Limits near dark bins, where they have their own.
  std::optional<DarkLimits> near_dark = {};
};

/// The tolerance of that name:
///
///     production  1e-6, 1e-6, 1e-6; chi2pix 1e-4, pixmask 1e-6: GPU against CPU and method against
///                 eigh at production's padding
///     masked      as production, but near dark bins (DarkLimits) 1e-4, 1e-4, 2e-5: for frames
///                 with masked blocks
///     unpadded    5e-3, 1e-3, 1e-3; chi2pix 1e-2, pixmask 1e-6: the same at padding 0
///     identical   no difference in any data
///     FILE:CASE   `tolerance` of a case of a cases.json (golden/README.md)
///
/// chi2pix is (residual / sigma)^2: model pixels that move by d sigma change it by 2 d / sqrt(
/// chi2pix) of itself, and the limits leave room for bins that fit well by chance. The
/// pixmask_fraction holds spots and weights only, so that padding does not matter to it.
///
/// Throws Error(usage) for other names and a case that the file does not have, Error(data) where
/// the file is no cases.json.
[[nodiscard]] Tolerance read_tolerance(const std::string& name);

}  // namespace spex
