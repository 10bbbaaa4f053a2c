#include "gpu/extract/engine_fibers.hpp"

#include <utility>

namespace spex::gpu {

void FiberEngine::extract(PatchBatch batch, const ExtractInputs& inputs, StageEvents& events,
                          std::vector<std::vector<double>>* models,
                          std::map<int, FrameFlux>& flux) {
  workspace_.begin(std::move(batch), inputs);
  events.time(Stage::assemble, [&] { workspace_.assemble(); });
  events.time(Stage::solve, [&] {
    workspace_.factor();
    if (inputs.options.flux == FluxSolver::frame) {
      // Patches need their own f only for bins beyond the frame's.
      workspace_.sweep(extended_grid(inputs.options, inputs.grid).nwave);
      workspace_.take_frame_flux(inputs, flux);
    } else {
      workspace_.sweep();
    }
    workspace_.correct();
  });
  events.time(Stage::decorrelate, [&] { workspace_.roots(); });
  events.time(Stage::quality, [&] { workspace_.quality(); });
  if (models != nullptr) workspace_.download_models(*models);
}

}  // namespace spex::gpu
