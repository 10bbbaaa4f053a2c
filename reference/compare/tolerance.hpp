// Tolerances of frame comparisons (extraction.md, section 8).
#pragma once

#include <optional>
#include <string>

namespace spex {

/// Limits near dark bins, i.e. bins whose expected ivar is 0 or less than `dark_ivar` of the
/// fiber's median. N of a patch with a dark bin is singular up to rounding, and the flux of all its
/// bins depends on the order of additions. Measured on simulated r0 and z0 frames with masked
/// blocks, where 4 and 40 bins of a bundle are dark: two variants of the same eigendecomposition
/// (baseline and cpu-refactor) and Cholesky differ by up to 1.5e-5, 7.3e-6 and 1.6e-6; elsewhere by
/// 1.4e-11. The limits are about ten times the first number, as a golden's limits are.
///
/// The chi2pix of a bin that the expected frame flags ALLBADPIX must only be a number >= 0. It is
/// an average over good pixels with less than 1e-6 of the bin's light; in one case with 1.1e-14
/// (simulated r0, seed 6, fiber 345 at 7037.6 Angstrom, in a masked block). Such weights are
/// differences of error functions near 1, each rounded to 1e-16, so that the average differed by
/// 5.5e-4 (relative) between the libraries of two processors. The flag itself is compared.
struct DarkLimits {
  double flux_pull = 0;       ///< see Tolerance::flux_pull
  double ivar_rel = 0;        ///< see Tolerance::ivar_rel
  double resolution_abs = 0;  ///< see Tolerance::resolution_abs
  /// The extent of a padded patch: fibers and bins.
  static constexpr int fibers = 7;
  static constexpr int bins = 74;            ///< see `fibers`
  static constexpr double dark_ivar = 1e-6;  ///< limit of a dark bin's ivar, relative to the median
};

/// Limits for the bins with ivar > 0 in both frames.
struct Tolerance {
  std::string name;           ///< name on the command line
  double flux_pull = 0;       ///< |d flux| sqrt(ivar of the expected frame)
  double ivar_rel = 0;        ///< |d ivar| / expected ivar
  double resolution_abs = 0;  ///< |d R|
  double chi2pix_rel = 0;     ///< |d chi2pix| / expected chi2pix
  double pixmask_abs = 0;     ///< |d pixmask_fraction|
  /// Require equal data in all HDUs; the limits above are then 0.
  bool identical = false;
  /// The expected frame is a golden: the limits include its float32 rounding, and it may have a
  /// tiny ivar in bins whose light falls off the CCD.
  bool golden = false;
  /// Separate limits near dark bins, if any.
  std::optional<DarkLimits> near_dark = {};
};

/// Parses the name of a tolerance:
///
///    production  1e-6, 1e-6, 1e-6; chi2pix 1e-4, pixmask 1e-6: GPU against CPU and method against
///                eigh at production's padding
///    masked      as production, but near dark bins (DarkLimits) 1e-4, 1e-4, 2e-5: for frames
///                with masked blocks
///    unpadded    5e-3, 1e-3, 1e-3; chi2pix 1e-2, pixmask 1e-6: the same at padding 0
///    identical   no difference in any data
///    FILE:CASE   `tolerance` of a case of a cases.json (golden/README.md)
///
/// chi2pix is (residual / sigma)^2: model pixels that move by d sigma change it by a relative 2 d /
/// sqrt(chi2pix). The limits leave room for bins that fit well by chance. The pixmask_fraction
/// depends only on spots and weights, so that padding does not affect it.
///
/// Throws Error(usage) for an unknown name or case, Error(data) if the file is not a cases.json.
[[nodiscard]] Tolerance read_tolerance(const std::string& name);

}  // namespace spex
