// Dense A and W A of a subbundle's patches on the GPU (extraction.md, section 4).
#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/dense_projection.hpp"
#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/eigh_workspace.hpp"
#include "reference/core/count.hpp"

namespace spex::bench {
namespace {

// A of one patch; its columns are padded to the batch's most pixels.
void require_projection(const Device& device, const FrameInput& frame,
                        const gpu::EighWorkspace& workspace) {
  const PatchInput& patch = frame.checked();
  const DenseProjection expected = make_dense_projection(patch.spots(), patch.pixels().range);
  const gpu::PatchBatch& batch = workspace.batch();
  const std::size_t size = count_of(batch.n, batch.npixel);
  const std::vector<double> A =
      gpu::to_host(workspace.A() + count_of(frame.checked_index() - batch.index.front()) * size,
                   size, device.stream());
  std::vector<double> found;
  for (int j = 0; j < expected.columns; ++j) {
    const auto column = A.begin() + static_cast<std::ptrdiff_t>(j) * batch.npixel;
    found.insert(found.end(), column, column + expected.rows);
  }
  require_close("projection", found, expected.A, 1e-14);
}

}  // namespace

void add_projection(const DevicePointer& device, const FramePointer& frame) {
  const PatchRange range = frame->subbundle();
  set_timing(benchmark::RegisterBenchmark(
      fmt::format("projection/{}", range.count()).c_str(),
      [device, frame, range](benchmark::State& state) {
        gpu::EighWorkspace workspace(device->context(), false);
        workspace.begin(frame->batch(range), EigenBatch::all, frame->inputs());
        const gpu::PatchBatch& batch = workspace.batch();
        device->measure(
            state, [&] { workspace.project(); },
            [&] { require_projection(*device, *frame, workspace); });
        state.SetItemsProcessed(state.iterations() * batch.count);
        // Both matrices are written.
        state.SetBytesProcessed(state.iterations() * batch.count * 2 * batch.n * batch.npixel *
                                static_cast<std::int64_t>(sizeof(double)));
        state.counters["n"] = batch.n;
        state.counters["pixels"] = batch.npixel;
      }));
}

}  // namespace spex::bench
