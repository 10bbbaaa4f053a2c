#include "gpu/extract/engine_fibers.hpp"

namespace spex::gpu {

void FiberEngine::extract(const FrameOnDevice& frame, const ExtractInputs& inputs, int first,
                          int last, const SpotsView& spots, StageEvents& events,
                          std::vector<std::vector<double>>* models) {
  workspace_.begin(make_batch(frame, first, last, spots), inputs);
  events.time(Stage::assemble, [&] { workspace_.assemble(); });
  events.time(Stage::solve, [&] {
    workspace_.factor();
    workspace_.sweep();
    workspace_.correct();
  });
  events.time(Stage::decorrelate, [&] { workspace_.roots(); });
  events.time(Stage::quality, [&] { workspace_.quality(); });
  if (models != nullptr) workspace_.download_models(*models);
}

}  // namespace spex::gpu
