#include "bench/micro/gpu/frame_input.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bench/micro/checks.hpp"
#include "reference/extract/decorrelate.hpp"

namespace spex::bench {

FrameInput::FrameInput(const Device& device)
    : input_(make_kernel_input(2)), checked_(input_), frame_(device.context(), false) {
  const Patch& checked = checked_.patch();
  const auto found =
      std::find_if(input_.patches.begin(), input_.patches.end(), [&](const Patch& patch) {
        return patch.bundle == checked.bundle && patch.subbundle == checked.subbundle &&
               patch.step == checked.step;
      });
  checked_index_ = static_cast<int>(found - input_.patches.begin());
  frame_.load(inputs(), input_.patches);
}

ExtractInputs FrameInput::inputs() const {
  return {&input_.psf, &input_.pixels, input_.grid, input_.options};
}

PatchRange FrameInput::bundles(int nbundles) const {
  const std::vector<Patch>& patches = input_.patches;
  const auto end = std::find_if(patches.begin(), patches.end(),
                                [&](const Patch& patch) { return patch.bundle >= nbundles; });
  return {0, static_cast<int>(end - patches.begin())};
}

gpu::PatchBatch FrameInput::batch(const PatchRange& range) {
  return gpu::make_batch(frame_, range.first, range.last,
                         frame_.evaluate_spots(range.first, range.last));
}

void FrameInput::require_spectra(const char* what) {
  const Patch& patch = checked_.patch();
  const int m = patch.padded_nwave();
  Decorrelated expected;
  StageTimes times;
  if (!decorrelate_eigh(checked_.equations(), Decorrelate::signal,
                        {patch.pad_below, patch.nspec, m}, expected, times))
    throw std::runtime_error(std::string(what) + ": the reference cannot solve the patch");
  const PatchResult found = frame_.download()[checked_index_];
  // In units of the error, as extraction.md, section 8, has them.
  std::vector<double> pulls, ratios;
  for (int s = 0; s < found.nspec; ++s)
    for (int w = 0; w < found.nwave; ++w) {
      const std::size_t at = s * found.nwave + w;
      const std::size_t j = s * m + w + patch.wavepad;
      pulls.push_back((found.flux[at] - expected.flux[j]) * std::sqrt(expected.ivar[j]));
      ratios.push_back(found.ivar[at] / expected.ivar[j]);
    }
  require_close(what, pulls, std::vector<double>(pulls.size(), 0.0), 1e-6);
  require_close(what, ratios, std::vector<double>(ratios.size(), 1.0), 1e-6);
}

}  // namespace spex::bench
