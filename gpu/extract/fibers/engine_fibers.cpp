#include "gpu/extract/fibers/engine_fibers.hpp"

#include <utility>

#include "reference/extract/extract_inputs.hpp"

namespace spex::gpu {

void FiberEngine::extract(PatchBatch batch, const Job& job, StageEvents& events,
                          const std::function<void()>& rooted) {
  const ExtractInputs& inputs = *job.inputs;
  workspace_.begin(std::move(batch), inputs);
  if (job.rejection == nullptr) {
    events.time(Stage::assemble, [&] { workspace_.assemble(); });
  } else {
    events.time(Stage::assemble, [&] { workspace_.assemble_bands(); });
    workspace_.reject_pixels(*job.rejection, events);
    events.time(Stage::assemble, [&] { workspace_.assemble_patches(); });
  }
  events.time(Stage::solve, [&] { workspace_.factor(); });
  // With the frame's flux, this runs concurrently with the sweeps over the frame.
  events.time(Stage::assemble, [&] { workspace_.check_far_light(); });
  events.time(Stage::solve, [&] {
    if (inputs.options.flux == FluxSolver::frame)
      workspace_.take_frame_flux(inputs, job.rejection, *job.flux);
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
  if (job.models != nullptr) workspace_.download_models(*job.models);
}

}  // namespace spex::gpu
