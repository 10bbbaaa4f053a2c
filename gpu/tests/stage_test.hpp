// A small frame in device memory with the reference's patches, for tests of single stages.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/extract/batch/patch_batch.hpp"
#include "gpu/tests/gpu_test.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/tests/support/synthetic.hpp"

namespace spex::gpu::test {

/// 11 fibers in bundles of 6 and 5, each half a subbundle, on 70 x 60 pixels with light off three
/// edges, a bad column, and a masked block that covers whole bins. Patches have 23 padded bins and
/// 3 or 4 padded fibers, which are not multiples of a warp or tile.
class StageTest : public GpuTest {
 protected:
  StageTest() {
    options.bundlesize = 6;
    options.nsubbundles = 2;
    options.nwavestep = 13;
    options.wavepad = 5;
    options.wavepad_frac = 0;
    for (int y = 0; y < pixels.ny; ++y) mask(33, y);
    for (int y = 20; y < 40; ++y)
      for (int x = 10; x < 24; ++x) mask(x, y);
  }

  void mask(int x, int y) { pixels.weight.set(static_cast<std::size_t>(y * pixels.nx + x), 0); }

  /// Puts the frame on a CCD without bad pixels that no spot leaves at the top or bottom: the data
  /// determine every bin, and results do not depend on the rounding of other bins.
  void use_good_ccd() {
    psf = spex::test::make_psf({.nfiber = 11, .nx = 70, .ny = 160, .x_first = 2, .y_middle = 80});
    pixels = spex::test::make_pixels_of_noise(70, 160);
  }

  /// Loads the frame into buffers filled with NaN.
  void load() {
    patches = make_patches(options, grid, psf.nfiber);
    frame.emplace(context(), true);
    frame->load(inputs(), patches);
  }
  [[nodiscard]] ExtractInputs inputs() const { return {&psf, &pixels, grid, options}; }
  /// The patches [first, last) with their spots; by default all patches.
  PatchBatch batch(int first, int last) {
    return make_batch(*frame, first, last, frame->evaluate_spots(first, last));
  }
  PatchBatch batch() { return batch(0, static_cast<int>(patches.size())); }

  Psf psf = spex::test::make_psf({.nfiber = 11, .nx = 70, .ny = 60, .x_first = 2});
  Pixels pixels = spex::test::make_pixels_of_noise(70, 60);
  WaveGrid grid = make_wave_grid({982, 1016, 0.8});
  ExtractOptions options;
  std::vector<Patch> patches;
  std::optional<FrameOnDevice> frame;
};

/// A patch with the reference's normal equations.
class ReferencePatch {
 public:
  ReferencePatch(const ExtractInputs& inputs, const Patch& patch)
      : patch_(patch),
        spots_(evaluate_spots(*inputs.psf, patch.padded_spec_first(), patch.padded_nspec(),
                              inputs.grid.range(patch.padded_wave_first(), patch.padded_nwave()))),
        pixels_(cut_pixels(*inputs.pixels,
                           used_pixels(spots(), patch.wavepad, inputs.options.pixpad_frac,
                                       inputs.pixels->nx, inputs.pixels->ny))),
        regularize_(inputs.options.regularize) {}

  [[nodiscard]] const Patch& patch() const { return patch_; }
  [[nodiscard]] PatchSpots spots() const {
    return {&spots_, 0, 0, patch_.padded_nspec(), patch_.padded_nwave()};
  }
  [[nodiscard]] const PatchPixels& pixels() const { return pixels_; }
  [[nodiscard]] int n() const { return patch_.n(); }
  [[nodiscard]] int nwave() const { return patch_.padded_nwave(); }
  /// N with its prior (lower triangle, spectrum-major), y and q.
  [[nodiscard]] NormalEquations equations() const {
    NormalEquations equations = assemble_sparse(spots(), pixels_);
    add_prior(equations, regularize_);
    return equations;
  }
  /// Index of core bin (s, w) among the n bins, spectrum-major.
  [[nodiscard]] std::size_t core_bin(int s, int w) const {
    return count_of((s + patch_.pad_below) * nwave() + w + patch_.wavepad);
  }

 private:
  Patch patch_;
  Spots spots_;
  PatchPixels pixels_;
  double regularize_;
};

/// Element (row, column) of a symmetric matrix given by its lower triangle, column-major.
inline double lower(const std::vector<double>& N, int n, int row, int column) {
  return N[count_of(std::min(row, column)) * count_of(n) + count_of(std::max(row, column))];
}

}  // namespace spex::gpu::test
