#include "gpu/extract/bundle_patches.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/extract/batch/limits.hpp"
#include "reference/core/error.hpp"
#include "reference/extract/bundle_fibers.hpp"
#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {
namespace {

int max_patches_of_bundle(const std::vector<Patch>& patches) {
  int most = 0;
  for (int first = 0; first < static_cast<int>(patches.size());) {
    const int last = end_of_run(patches, first, same_bundle);
    most = std::max(most, last - first);
    first = last;
  }
  return most;
}

}  // namespace

std::vector<Patch> patches_of_bundles(const ExtractInputs& inputs,
                                      const std::vector<Patch>& patches) {
  std::vector<Patch> whole;
  for (std::size_t k = 0; k < patches.size(); ++k) {
    if (k > 0 && same_bundle(patches[k - 1], patches[k])) continue;
    const BundleFibers fibers = fibers_of_bundle(inputs, patches[k].bundle);
    ExtractOptions options = inputs.options;
    options.specmin = fibers.begin;
    options.nspec = fibers.end - fibers.begin;
    const std::vector<Patch> bundle = make_patches(options, inputs.grid, inputs.psf->nfiber);
    whole.insert(whole.end(), bundle.begin(), bundle.end());
  }
  return whole;
}

void check_bundles(const ExtractInputs& inputs, const std::vector<Patch>& patches, bool by_fibers) {
  const bool of_frame = inputs.options.flux == FluxSolver::frame;
  const char* const option = of_frame ? "--flux" : "--reject-pixels";
  const char* const what = of_frame ? "frame: " : "";
  if (!by_fibers)
    throw usage_error(
        option, fmt::format("{}the GPU cannot extract this frame spectrum by spectrum", what),
        "signal decorrelation and patches that the milestone direct supports, or spex-cpu");
  if (max_patches_of_bundle(patches) > max_patches_of_launch)
    throw usage_error(option,
                      fmt::format("{}the GPU solves a bundle of {} patches in parts", what,
                                  max_patches_of_bundle(patches)),
                      fmt::format("at most {} patches, or spex-cpu", max_patches_of_launch));
}

}  // namespace spex::gpu
