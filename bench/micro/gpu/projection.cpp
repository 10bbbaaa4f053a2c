// Dense A and W A of a subbundle's patches on the GPU (extraction.md, section 4).
#include "gpu/extract/projection.hpp"

#include <fmt/format.h>

#include "bench/micro/gpu/dense_batch.hpp"
#include "bench/micro/gpu/kernels.hpp"

namespace spex::bench {

void add_projection(const DevicePointer& device, const FramePointer& frame) {
  const PatchRange range = frame->subbundle();
  set_timing(benchmark::RegisterBenchmark(
      fmt::format("projection/{}", range.count()).c_str(),
      [device, frame, range](benchmark::State& state) {
        DenseBatch batch(*device, *frame, range);
        device->measure(state, [&] { batch.make_projection(); });
        state.SetItemsProcessed(state.iterations() * range.count());
        state.SetBytesProcessed(state.iterations() *
                                static_cast<std::int64_t>(batch.projection_bytes()));
        state.counters["n"] = batch.n();
        state.counters["pixels"] = batch.npixel();
      }));
}

}  // namespace spex::bench
