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
  frame_.load(inputs(), input_.patches);
}

ExtractInputs FrameInput::inputs() const {
  return {&input_.psf, &input_.pixels, input_.grid, input_.options};
}

int FrameInput::patches_of(int nbundles) const {
  return static_cast<int>(
      std::count_if(input_.patches.begin(), input_.patches.end(),
                    [&](const Patch& patch) { return patch.bundle < nbundles; }));
}

gpu::PatchBatch FrameInput::batch(int npatches) {
  return gpu::make_batch(frame_, 0, npatches, frame_.evaluate_spots(0, npatches));
}

void FrameInput::require_spectra(const char* what) {
  const Patch& patch = checked_.patch();
  const int m = patch.padded_nwave();
  Decorrelated expected;
  StageTimes times;
  if (!decorrelate_eigh(checked_.equations(), Decorrelate::signal,
                        {patch.pad_below, patch.nspec, m}, expected, times))
    throw std::runtime_error(std::string(what) + ": the reference cannot solve the patch");
  const PatchResult found = frame_.download()[checked_.index()];
  // In units of the error, as in extraction.md, section 8.
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
