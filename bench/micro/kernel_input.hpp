// What the kernels are measured on: some bundles of a simulated camera, at production's settings.
#pragma once

#include <vector>

#include "reference/extract/normal_equations.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/psf.hpp"

namespace spex::bench {

/// Camera r0: its PSF, production's grid, the patches of the first bundles, and pixels whose values
/// and weights are random, as no kernel's time depends on them.
struct KernelInput {
  Psf psf;
  Pixels pixels;
  WaveGrid grid;
  ExtractOptions options;
  std::vector<Patch> patches;  ///< 235 a bundle in production's steps
};
[[nodiscard]] KernelInput make_kernel_input(int nbundles);
/// The first bundle, made once.
[[nodiscard]] const KernelInput& one_bundle();

/// A patch with what the stages before its solution make of it.
class PatchInput {
 public:
  /// The patch of the input's first bundle, third subbundle, middle step: padded on every side,
  /// n = 518 in production's steps.
  explicit PatchInput(const KernelInput& input);

  [[nodiscard]] const Patch& patch() const { return patch_; }
  /// Of the patch among the input's.
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] PatchSpots spots() const {
    return {&spots_, 0, 0, patch_.padded_nspec(), patch_.padded_nwave()};
  }
  /// Those of the core.
  [[nodiscard]] PatchSpots core_spots() const {
    return {&spots_, patch_.pad_below, patch_.wavepad, patch_.nspec, patch_.nkept};
  }
  [[nodiscard]] const PatchPixels& pixels() const { return pixels_; }
  /// N with its prior, y, q.
  [[nodiscard]] NormalEquations equations() const;

 private:
  int index_ = 0;
  Patch patch_;
  Spots spots_;
  PatchPixels pixels_;
};

/// Orders for which eigendecompositions are measured one at a time.
inline constexpr int eigh_orders[] = {32, 64, 128, 256, 350, 512, 518, 1024, 2048};

/// A random symmetric matrix of order n, column-major, positive definite: its eigenvalues lie in a
/// half circle of radius 2 sqrt(n / 3) about 2 sqrt(n), so that few are close and no algorithm ends
/// early.
[[nodiscard]] std::vector<double> random_matrix(int n);

}  // namespace spex::bench
