// The stages of the fiber engine (extraction.md, section 5.1), kernel by kernel.
#include <functional>
#include <map>

#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/fiber_workspace.hpp"

namespace spex::bench {
namespace {

using Stages = std::function<void(gpu::FiberWorkspace&)>;

// Times `run` after `before`; a patch that the guard refuses is work all the same.
void run_stage(benchmark::State& state, Device& device, FrameInput& frame, const PatchRange& range,
               const Stages& before, const Stages& run) {
  gpu::FiberWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  device.measure(
      state, [&] { before(workspace); }, [&] { run(workspace); });
  state.SetItemsProcessed(state.iterations() * workspace.batch().ncores());
  state.counters["m"] = workspace.layout().nwave;
  state.counters["reach"] = workspace.layout().reach;
}

}  // namespace

void add_fibers(const DevicePointer& device, const FramePointer& frame) {
  const auto assemble = [](gpu::FiberWorkspace& w) { w.assemble(); };
  const auto factor = [](gpu::FiberWorkspace& w) { w.factor(); };
  const auto sweep = [](gpu::FiberWorkspace& w) { w.sweep(); };
  const auto frame_flux = [frame](gpu::FiberWorkspace& w) {
    std::map<int, FrameFlux> flux;
    w.take_frame_flux(frame->inputs(), flux);
  };
  const auto correct = [](gpu::FiberWorkspace& w) { w.correct(); };
  const auto roots = [](gpu::FiberWorkspace& w) { w.roots(); };
  const auto quality = [](gpu::FiberWorkspace& w) { w.quality(); };
  const auto assembled = [=](gpu::FiberWorkspace& w) { assemble(w), factor(w); };
  const auto solved = [=](gpu::FiberWorkspace& w) { assembled(w), sweep(w), correct(w); };
  const auto add = [&](const char* variant, const Stages& before, const Stages& run) {
    for (const int nbundles : {1, 2}) {
      const PatchRange range = frame->bundles(nbundles);
      set_timing(benchmark::RegisterBenchmark(
          fmt::format("fibers/{}/{}", variant, range.count()).c_str(),
          [=](benchmark::State& state) { run_stage(state, *device, *frame, range, before, run); }));
    }
  };
  add(
      "assemble", [](gpu::FiberWorkspace&) {}, assemble);
  add("factor", assemble, factor);
  add("sweep", assembled, sweep);
  add("frame_flux", assembled, frame_flux);
  add("correct", assembled, correct);
  add("roots", solved, roots);
  add("quality", solved, quality);
}

}  // namespace spex::bench
