// The inputs of micro-benchmarks: some bundles of a simulated camera at production settings.
#pragma once

#include <vector>

#include "reference/extract/normal_equations.hpp"
#include "reference/layout/patches.hpp"
#include "reference/model/extract_options.hpp"
#include "reference/model/psf.hpp"

namespace spex::bench {

/// Camera r0: PSF, production grid, patches of the first bundles, and pixels with random values and
/// weights, because no kernel's time depends on them.
struct KernelInput {
  Psf psf;
  Pixels pixels;
  WaveGrid grid;
  ExtractOptions options;
  std::vector<Patch> patches;  ///< 235 per bundle in production's steps
};
[[nodiscard]] KernelInput make_kernel_input(int nbundles, const ExtractOptions& options = {});
/// The first bundle, made once.
[[nodiscard]] const KernelInput& one_bundle();

/// A patch and the results of the stages before its solution.
class PatchInput {
 public:
  /// The patch of the input's first bundle, third subbundle, middle step: padded on every side,
  /// n = 518 in production's steps.
  explicit PatchInput(const KernelInput& input);

  [[nodiscard]] const Patch& patch() const { return patch_; }
  /// The index of the patch in the input.
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] PatchSpots spots() const {
    return {&spots_, 0, 0, patch_.padded_nspec(), patch_.padded_nwave()};
  }
  /// The spots of the core.
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

/// Orders of single eigendecompositions.
inline constexpr int eigh_orders[] = {32, 64, 128, 256, 350, 512, 518, 1024, 2048};

/// A random symmetric positive definite matrix of order n, column-major. Its eigenvalues have a
/// semicircle distribution of radius 2 sqrt(n / 3) around 2 sqrt(n), so that few are close and no
/// algorithm converges early.
[[nodiscard]] std::vector<double> random_matrix(int n);

}  // namespace spex::bench
