#include "bench/micro/gpu/frame_input.hpp"

#include <algorithm>

namespace spex::bench {
FrameInput::FrameInput(const Device& device, int nwavestep)
    : device_(&device), input_(make_kernel_input(2, nwavestep)), frame_(device.context(), false) {
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

PatchRange FrameInput::subbundle() const {
  const std::vector<Patch>& patches = input_.patches;
  const auto is_inside = [](const Patch& patch) {
    return patch.bundle == 0 && patch.subbundle == 2;
  };
  const auto first = std::find_if(patches.begin(), patches.end(), is_inside);
  const auto last = std::find_if_not(first, patches.end(), is_inside);
  return {static_cast<int>(first - patches.begin()), static_cast<int>(last - patches.begin())};
}

gpu::PatchBatch FrameInput::batch(const PatchRange& range) {
  return gpu::make_batch(frame_, range.first, range.last,
                         frame_.evaluate_spots(range.first, range.last));
}

void FrameInput::require_done(const PatchRange& range, const char* what) const {
  require_zeros(gpu::to_host<int>(frame_.status() + range.first,
                                  static_cast<std::size_t>(range.count()), device_->stream()),
                what);
}

}  // namespace spex::bench
