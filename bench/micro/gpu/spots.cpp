// Spots on the GPU (extraction.md, section 2).
#include "gpu/psf/spots.hpp"

#include "bench/micro/checks.hpp"
#include "bench/micro/gpu/kernels.hpp"

namespace spex::bench {
namespace {

// The spots of the first and the last fiber at all wavelengths.
void require_spots(const Device& device, const FrameInput& frame, const gpu::SpotsView& spots) {
  const KernelInput& input = frame.input();
  const int begin = input.patches.front().padded_wave_first();
  for (const int s : {0, spots.nspec - 1}) {
    const Spots expected =
        evaluate_spots(input.psf, spots.first_spec + s, 1, input.grid.range(begin, spots.nwave));
    const std::size_t size = expected.value.size();
    require_close(
        "spots",
        gpu::to_host(spots.value + static_cast<std::size_t>(s) * size, size, device.stream()),
        {expected.value.begin(), expected.value.end()}, 1e-14);
  }
}

void run_spots(benchmark::State& state, Device& device, FrameInput& frame, int npatches) {
  gpu::SpotsView spots;
  device.measure(
      state, [&] { spots = frame.on_device().evaluate_spots(0, npatches); },
      [&] { require_spots(device, frame, spots); });
  const std::int64_t nspots = state.iterations() * spots.nspec * spots.nwave;
  state.SetItemsProcessed(nspots);
  state.SetBytesProcessed(nspots * spots.nx * spots.ny * static_cast<std::int64_t>(sizeof(double)));
}

}  // namespace

void add_spots(const DevicePointer& device, const FramePointer& frame) {
  add_for_bundles("spots", device, frame, run_spots);
}

}  // namespace spex::bench
