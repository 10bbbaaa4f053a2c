#include "gpu/extract/fibers/engine_fibers.hpp"

#include <utility>

#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {

void FiberEngine::extract(PatchBatch batch, const ExtractInputs& inputs, StageEvents& events,
                          std::vector<std::vector<double>>* models, PixelRejection* rejection,
                          std::map<int, FrameFlux>& flux, const std::function<void()>& rooted) {
  workspace_.begin(std::move(batch), inputs);
  if (rejection == nullptr) {
    events.time(Stage::assemble, [&] { workspace_.assemble(); });
  } else {
    events.time(Stage::assemble, [&] { workspace_.assemble_bands(); });
    workspace_.reject_pixels(*rejection, events);
    events.time(Stage::assemble, [&] { workspace_.assemble_patches(); });
  }
  events.time(Stage::solve, [&] { workspace_.factor(); });
  // With the frame's flux, this runs concurrently with the sweeps over the frame.
  events.time(Stage::assemble, [&] { workspace_.check_far_light(); });
  events.time(Stage::solve, [&] {
    if (inputs.options.flux == FluxSolver::frame)
      workspace_.take_frame_flux(inputs, rejection, flux);
    else
      workspace_.sweep();
    workspace_.correct();
  });
  events.time(Stage::decorrelate, [&] {
    workspace_.roots();
    rooted();
    workspace_.add_terms();
  });
  events.time(Stage::quality, [&] { workspace_.quality(); });
  if (models != nullptr) workspace_.download_models(*models);
}

}  // namespace spex::gpu
