#include "gpu/extract/band/engine_band.hpp"

#include <utility>

namespace spex::gpu {

void BandEngine::extract(PatchBatch batch, const ExtractInputs& inputs, StageEvents& events,
                         std::vector<std::vector<double>>* models,
                         const std::vector<PatchFlux>& flux) {
  workspace_.begin(std::move(batch), inputs);
  events.time(Stage::assemble, [&] { workspace_.assemble(); });
  events.time(Stage::solve, [&] {
    workspace_.factor();
    if (!flux.empty()) workspace_.take_frame_flux(flux);
  });
  events.time(Stage::decorrelate, [&] {
    workspace_.roots();
    workspace_.hard_roots();
    workspace_.check();
  });
  events.time(Stage::quality, [&] { workspace_.quality(); });
  if (models != nullptr) workspace_.download_models(*models);
}

}  // namespace spex::gpu
