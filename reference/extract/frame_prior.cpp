#include "reference/extract/frame_prior.hpp"

#include <algorithm>

#include "reference/core/parallel.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/extract/normal_equations.hpp"
#include "reference/extract/prior.hpp"
#include "reference/extract/projection.hpp"
#include "reference/layout/patches.hpp"

namespace spex {
namespace {

// The patches that hold fibers [first, first + nspec).
std::vector<Patch> patches_of_fibers(const ExtractInputs& inputs, int first, int nspec) {
  ExtractOptions options = inputs.options;
  options.specmin = first;
  options.nspec = nspec;
  return make_patches(options, inputs.grid, inputs.psf->nfiber);
}

// m of a patch (extraction.md, section 4); 0 where it has no pixels.
double patch_prior_scale(const ExtractInputs& inputs, const Patch& patch, const PatchSpots& spots) {
  const Pixels& pixels = *inputs.pixels;
  const PixelRange range =
      used_pixels(spots, patch.wavepad, inputs.options.pixpad_frac, pixels.nx, pixels.ny);
  if (range.nx() == 0 || range.ny() == 0) return 0;
  return prior_scale(apply_transpose(spots, range, cut_pixels(pixels, range).W));
}

double largest_weight(const Pixels& pixels) {
  return pixels.weight.visit([](const auto& weight) {
    return weight.empty() ? 0.0
                          : static_cast<double>(*std::max_element(weight.begin(), weight.end()));
  });
}

}  // namespace

FramePrior::FramePrior(const ExtractInputs& inputs, BundleFibers core, ExtendedGrid grid,
                       int threads)
    : inputs_(inputs),
      threads_(threads),
      core_(core),
      grid_(grid),
      largest_weight_(largest_weight(*inputs.pixels)),
      nsteps_(step_of(inputs.grid.nwave) + 1) {}

void FramePrior::find_core(const Spots& spots, int before) {
  const std::vector<Patch> patches =
      patches_of_fibers(inputs_, core_.begin, core_.end - core_.begin);
  const int count = static_cast<int>(patches.size());
  core_m_.resize(patches.size());
  parallel_for(threads_, count, [&](int, int p) {
    const Patch& patch = patches[p];
    core_m_[p] = patch_prior_scale(inputs_, patch,
                                   {&spots, patch.padded_spec_first() - core_.begin,
                                    patch.padded_wave_first() - grid_.first + before,
                                    patch.padded_nspec(), patch.padded_nwave()});
  });
}

int FramePrior::step_of(int w) const {
  return std::clamp(w, 0, inputs_.grid.nwave - 1) / inputs_.options.nwavestep;
}

std::vector<double> FramePrior::of_fiber(int s, const std::vector<double>& q) const {
  const int sub_size = inputs_.options.bundlesize / inputs_.options.nsubbundles;
  std::vector<double> m(nsteps_, 0.0);
  if (core_.holds(s)) {
    const auto first = core_m_.begin() + (s - core_.begin) / sub_size * nsteps_;
    std::copy(first, first + nsteps_, m.begin());
    return m;
  }
  // Only for bins of little light, for m is no more than 1e-4 of the largest weight.
  std::vector<bool> wanted(nsteps_, false);
  for (int w = 0; w < grid_.nwave; ++w)
    if (q[w] > 0 && q[w] <= 1e-4 * largest_weight_) wanted[step_of(grid_.first + w)] = true;
  const std::vector<Patch> patches = patches_of_fibers(inputs_, s, 1);
  for (int step = 0; step < nsteps_; ++step) {
    if (!wanted[step]) continue;
    const Patch& patch = patches[step];
    const Spots spots = evaluate_spots(
        *inputs_.psf, patch.padded_spec_first(), patch.padded_nspec(),
        inputs_.grid.range(patch.padded_wave_first(), patch.padded_nwave()), threads_);
    m[step] = patch_prior_scale(inputs_, patch,
                                {&spots, 0, 0, patch.padded_nspec(), patch.padded_nwave()});
  }
  return m;
}

}  // namespace spex
