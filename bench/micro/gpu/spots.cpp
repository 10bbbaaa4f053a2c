// Spots on the GPU (extraction.md, section 2).
#include "gpu/psf/spots.hpp"

#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"

namespace spex::bench {

void add_spots(const DevicePointer& device, const FramePointer& frame) {
  for (const int nbundles : {1, 2}) {
    const PatchRange range = frame->bundles(nbundles);
    set_timing(benchmark::RegisterBenchmark(
        fmt::format("spots/{}", range.count()).c_str(),
        [device, frame, range](benchmark::State& state) {
          gpu::SpotsView spots;
          device->measure(state,
                          [&] { spots = frame->device().evaluate_spots(range.first, range.last); });
          const std::int64_t nspots = state.iterations() * spots.nspec * spots.nwave;
          state.SetItemsProcessed(nspots);
          state.SetBytesProcessed(nspots * spots.nx * spots.ny *
                                  static_cast<std::int64_t>(sizeof(double)));
        }));
  }
}

}  // namespace spex::bench
