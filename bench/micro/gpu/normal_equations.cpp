// N on the GPU (extraction.md, section 4): from dense A by matrix products, and straight from
// overlapping spots.
#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/band_workspace.hpp"
#include "gpu/extract/eigh_workspace.hpp"

namespace spex::bench {
namespace {

void run_dense(benchmark::State& state, Device& device, FrameInput& frame,
               const PatchRange& range) {
  gpu::EighWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), EigenBatch::all, frame.inputs());
  device.measure(state, [&] { workspace.assemble(); });
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["n"] = workspace.batch().n;
}

void run_multiply(benchmark::State& state, Device& device, FrameInput& frame,
                  const PatchRange& range) {
  gpu::EighWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), EigenBatch::all, frame.inputs());
  workspace.project();
  device.measure(state, [&] { workspace.multiply(); });
  state.SetItemsProcessed(state.iterations() * range.count());
  const gpu::PatchBatch& batch = workspace.batch();
  state.counters["n"] = batch.n;
  state.counters["flops"] = benchmark::Counter(2.0 * batch.n * batch.n * batch.npixel * batch.count,
                                               benchmark::Counter::kIsIterationInvariantRate);
}

void run_band(benchmark::State& state, Device& device, FrameInput& frame, const PatchRange& range) {
  gpu::BandWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  device.measure(state, [&] { workspace.assemble(); });
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["block"] = workspace.layout().size();
}

}  // namespace

void add_normal_equations(const DevicePointer& device, const FramePointer& frame) {
  const auto add = [&](const char* variant, const PatchRange& range,
                       void (*run)(benchmark::State&, Device&, FrameInput&, const PatchRange&)) {
    set_timing(benchmark::RegisterBenchmark(
        fmt::format("normal_equations/{}/{}", variant, range.count()).c_str(),
        [device, frame, range, run](benchmark::State& state) {
          run(state, *device, *frame, range);
        }));
  };
  add("dense", frame->subbundle(), run_dense);
  add("dense_product", frame->subbundle(), run_multiply);
  add("direct", frame->subbundle(), run_band);
  for (const int nbundles : {1, 2}) add("direct", frame->bundles(nbundles), run_band);
}

}  // namespace spex::bench
