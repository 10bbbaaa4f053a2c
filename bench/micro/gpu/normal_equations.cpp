// N on the GPU (extraction.md, section 4): from dense A by matrix products, and straight from
// overlapping spots.
#include "gpu/extract/normal_equations.hpp"

#include <fmt/format.h>

#include "bench/micro/gpu/dense_batch.hpp"
#include "bench/micro/gpu/kernels.hpp"

namespace spex::bench {
namespace {

void run_dense(benchmark::State& state, Device& device, FrameInput& frame,
               const PatchRange& range) {
  DenseBatch batch(device, frame, range);
  device.measure(state, [&] {
    batch.make_projection();
    batch.multiply();
  });
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["n"] = batch.n();
}

void run_multiply(benchmark::State& state, Device& device, FrameInput& frame,
                  const PatchRange& range) {
  DenseBatch batch(device, frame, range);
  batch.make_projection();
  device.measure(state, [&] { batch.multiply(); });
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["n"] = batch.n();
  state.counters["flops"] =
      benchmark::Counter(batch.multiply_flops(), benchmark::Counter::kIsIterationInvariantRate);
}

void run_direct(benchmark::State& state, Device& device, FrameInput& frame,
                const PatchRange& range) {
  DirectBatch batch(device, frame, range);
  device.measure(state, [&] { batch.assemble(); });
  state.SetItemsProcessed(state.iterations() * range.count());
  state.counters["block"] = batch.layout().size();
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
  add("direct", frame->subbundle(), run_direct);
  for (const int nbundles : {1, 2}) add("direct", frame->bundles(nbundles), run_direct);
}

}  // namespace spex::bench
