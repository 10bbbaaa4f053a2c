#include "bench/micro/kernel_input.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "reference/core/count.hpp"
#include "reference/sim/desi_psf.hpp"

namespace spex::bench {

KernelInput make_kernel_input(int nbundles, const ExtractOptions& options) {
  KernelInput input;
  input.options = options;
  input.options.nspec = nbundles * input.options.bundlesize;
  input.psf = make_desi_psf(Camera{});
  input.grid = make_wave_grid(default_wave_range("r0", "r0"));
  input.patches = make_patches(input.options, input.grid, input.psf.nfiber);
  Pixels& pixels = input.pixels;
  pixels.nx = input.psf.npix_x;
  pixels.ny = input.psf.npix_y;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> electrons(50, 150);
  const auto npixel = count_of(pixels.nx, pixels.ny);
  std::vector<float> value(npixel), weight(npixel);
  for (float& p : value) p = static_cast<float>(electrons(random));
  for (float& W : weight) W = static_cast<float>(1 / electrons(random));
  pixels.value = Reals(std::move(value));
  pixels.weight = Reals(std::move(weight));
  return input;
}

const KernelInput& one_bundle() {
  static const KernelInput input = make_kernel_input(1);
  return input;
}

PatchInput::PatchInput(const KernelInput& input) {
  const int nsteps = input.patches.back().step + 1;
  const auto found = std::find_if(
      input.patches.begin(), input.patches.end(),
      [&](const Patch& patch) { return patch.subbundle == 2 && patch.step == nsteps / 2; });
  index_ = static_cast<int>(found - input.patches.begin());
  patch_ = *found;
  spots_ = evaluate_spots(input.psf, patch_.padded_spec_first(), patch_.padded_nspec(),
                          input.grid.range(patch_.padded_wave_first(), patch_.padded_nwave()));
  pixels_ = cut_pixels(input.pixels, used_pixels(spots(), patch_.wavepad, input.options.pixpad_frac,
                                                 input.pixels.nx, input.pixels.ny));
}

NormalEquations PatchInput::equations() const {
  NormalEquations equations = assemble_dense(spots(), pixels_);
  add_prior(equations, ExtractOptions{}.regularize);
  return equations;
}

std::vector<double> random_matrix(int n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  // Wigner's semicircle: off-diagonal elements of variance 1/3 give eigenvalues within +-2 sqrt(n /
  // 3).
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::size_t order = n;
  std::vector<double> A(order * order);
  for (std::size_t column = 0; column < order; ++column)
    for (std::size_t row = column; row < order; ++row)
      A[column * order + row] = A[row * order + column] =
          uniform(random) + (row == column ? 2 * std::sqrt(n) : 0);
  return A;
}

}  // namespace spex::bench
