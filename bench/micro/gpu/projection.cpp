// Dense A and W A of a subbundle's patches on the GPU (extraction.md, section 4).
#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/eigh_workspace.hpp"

namespace spex::bench {

void add_projection(const DevicePointer& device, const FramePointer& frame) {
  const PatchRange range = frame->subbundle();
  set_timing(benchmark::RegisterBenchmark(
      fmt::format("projection/{}", range.count()).c_str(),
      [device, frame, range](benchmark::State& state) {
        gpu::EighWorkspace workspace(device->context(), false);
        workspace.begin(frame->batch(range), EigenBatch::all, frame->inputs());
        device->measure(state, [&] { workspace.project(); });
        const gpu::PatchBatch& batch = workspace.batch();
        state.SetItemsProcessed(state.iterations() * batch.count);
        // Both matrices are written.
        state.SetBytesProcessed(state.iterations() * batch.count * 2 * batch.n * batch.npixel *
                                static_cast<std::int64_t>(sizeof(double)));
        state.counters["n"] = batch.n;
        state.counters["pixels"] = batch.npixel;
      }));
}

}  // namespace spex::bench
