// The stages of the fiber engine (extraction.md, section 5.1), kernel by kernel.
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"
#include "gpu/extract/fibers/fiber_workspace.hpp"

namespace spex::bench {
namespace {

using Stage = std::function<void(gpu::FiberWorkspace&)>;

struct NamedStage {
  const char* name;
  Stage run;
};

// The stages in their order.
std::vector<NamedStage> stages() {
  return {{"assemble", [](gpu::FiberWorkspace& w) { w.assemble(); }},
          {"factor", [](gpu::FiberWorkspace& w) { w.factor(); }},
          {"check_far_light", [](gpu::FiberWorkspace& w) { w.check_far_light(); }},
          {"sweep", [](gpu::FiberWorkspace& w) { w.sweep(); }},
          {"correct", [](gpu::FiberWorkspace& w) { w.correct(); }},
          {"roots",
           [](gpu::FiberWorkspace& w) {
             w.roots();
             w.add_terms();
           }},
          {"quality", [](gpu::FiberWorkspace& w) { w.quality(); }}};
}

// Runs stages [begin, end).
void run_stages(gpu::FiberWorkspace& workspace, std::size_t begin, std::size_t end) {
  const std::vector<NamedStage> all = stages();
  for (std::size_t k = begin; k < end; ++k) all[k].run(workspace);
}

// Times stage k after the stages before it; later stages complete the spectra, which are compared
// with the reference. Patches that the guard rejects count as work too.
void run_stage(benchmark::State& state, Device& device, FrameInput& frame, int npatches,
               std::size_t k) {
  gpu::FiberWorkspace workspace(device.context(), false, 1);
  workspace.begin(frame.batch(npatches), frame.inputs());
  device.measure(
      state, [&] { run_stages(workspace, 0, k); }, [&] { run_stages(workspace, k, k + 1); },
      [&] {
        run_stages(workspace, k + 1, stages().size());
        frame.require_spectra(fmt::format("fibers/{}", stages()[k].name).c_str());
      });
  state.SetItemsProcessed(state.iterations() * workspace.batch().ncores());
  state.counters["m"] = workspace.layout().nwave;
  state.counters["reach"] = workspace.layout().reach;
}

}  // namespace

void add_fibers(const DevicePointer& device, const FramePointer& frame) {
  for (std::size_t k = 0; k < stages().size(); ++k)
    add_for_bundles(fmt::format("fibers/{}", stages()[k].name), device, frame,
                    [k](benchmark::State& state, Device& target, FrameInput& input, int npatches) {
                      run_stage(state, target, input, npatches, k);
                    });
}

}  // namespace spex::bench
