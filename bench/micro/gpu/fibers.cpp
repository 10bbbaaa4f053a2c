// The stages of the fiber engine (extraction.md, section 5.1), kernel by kernel.
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/fiber_workspace.hpp"

namespace spex::bench {
namespace {

using Stage = std::function<void(gpu::FiberWorkspace&)>;

struct NamedStage {
  const char* name;
  Stage run;
};

// In their order.
std::vector<NamedStage> stages() {
  return {{"assemble", [](gpu::FiberWorkspace& w) { w.assemble(); }},
          {"factor", [](gpu::FiberWorkspace& w) { w.factor(); }},
          {"sweep", [](gpu::FiberWorkspace& w) { w.sweep(); }},
          {"correct", [](gpu::FiberWorkspace& w) { w.correct(); }},
          {"roots", [](gpu::FiberWorkspace& w) { w.roots(); }},
          {"quality", [](gpu::FiberWorkspace& w) { w.quality(); }}};
}
constexpr std::size_t after_sweep = 3;

// Stages [begin, end).
void run_stages(gpu::FiberWorkspace& workspace, std::size_t begin, std::size_t end) {
  const std::vector<NamedStage> all = stages();
  for (std::size_t k = begin; k < end; ++k) all[k].run(workspace);
}

// Counts the core spectra of `workspace`.
void count_spectra(benchmark::State& state, const gpu::FiberWorkspace& workspace) {
  state.SetItemsProcessed(state.iterations() * workspace.batch().ncores());
  state.counters["m"] = workspace.layout().nwave;
  state.counters["reach"] = workspace.layout().reach;
}

// Times stage k after those before it; those after it make spectra of what it has done, which are
// held to the reference's. A patch that the guard refuses is work all the same.
void run_stage(benchmark::State& state, Device& device, FrameInput& frame, const PatchRange& range,
               std::size_t k) {
  gpu::FiberWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  device.measure(
      state, [&] { run_stages(workspace, 0, k); }, [&] { run_stages(workspace, k, k + 1); },
      [&] {
        run_stages(workspace, k + 1, stages().size());
        frame.require_spectra(fmt::format("fibers/{}", stages()[k].name).c_str());
      });
  count_spectra(state, workspace);
}

// Times the flux of the whole frame, section 5.2.
void run_frame_flux(benchmark::State& state, Device& device, FrameInput& frame,
                    const PatchRange& range) {
  gpu::FiberWorkspace workspace(device.context(), false);
  workspace.begin(frame.batch(range), frame.inputs());
  std::map<int, FrameFlux> flux;
  device.measure(
      state, [&] { run_stages(workspace, 0, after_sweep); },
      [&] { workspace.take_frame_flux(frame.inputs(), flux); },
      [&] {
        for (auto& [bundle, one] : flux)
          if (!one.f.empty())
            throw std::runtime_error(
                fmt::format("fibers/frame_flux: the reference solved bundle {}", bundle));
      });
  count_spectra(state, workspace);
}

}  // namespace

void add_fibers(const DevicePointer& device, const FramePointer& frame) {
  for (std::size_t k = 0; k < stages().size(); ++k)
    add_for_bundles(fmt::format("fibers/{}", stages()[k].name), device, frame,
                    [k](benchmark::State& state, Device& on, FrameInput& of,
                        const PatchRange& range) { run_stage(state, on, of, range, k); });
  add_for_bundles("fibers/frame_flux", device, frame, run_frame_flux);
}

}  // namespace spex::bench
