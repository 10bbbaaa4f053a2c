// The fibers of a bundle, and the light that they share with those beyond it.
#pragma once

namespace spex {

struct ExtractInputs;

/// Fibers of a bundle, [begin, end), counted in the PSF.
struct BundleFibers {
  int begin = 0;  ///< first fiber
  int end = 0;    ///< one past the last

  /// Whether fiber s of the PSF is one of them.
  [[nodiscard]] bool holds(int s) const { return s >= begin && s < end; }
};
/// The fibers of bundle `bundle`, counted from fiber 0 of the PSF.
[[nodiscard]] BundleFibers fibers_of_bundle(const ExtractInputs& inputs, int bundle);

/// How much light the fibers at the edges of a bundle share with those beyond them: the largest of
/// sum_i A_ij A_ik / (|A_j| |A_k|) at every hundredth wavelength of the extended grid, without
/// weights. Throws as evaluate_spots.
[[nodiscard]] double light_shared_beyond(const ExtractInputs& inputs, int bundle);

}  // namespace spex
