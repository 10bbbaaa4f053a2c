// The engine that works spectrum by spectrum (extraction.md, section 5.1): what the milestones
// direct and pipeline run (milestones.md).
#pragma once

#include "gpu/extract/fiber_workspace.hpp"
#include "gpu/extract/stage_events.hpp"

namespace spex::gpu {

/// The stages of FiberWorkspace, one after the other, timed.
class FiberEngine {
 public:
  FiberEngine(const Context& context, bool poison) : workspace_(context, poison) {}

  /// Whether the engine can do this frame's patches; otherwise they are for the band engine.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
    return workspace_.can_do(frame, inputs);
  }

  /// Extracts the patches of a batch together. As EighEngine::extract; a patch whose status becomes
  /// `guarded` is for the band engine. With FluxSolver::frame, `flux` gains that of the frame in
  /// the batch's bundles, of which the flux is then made; its f by download_flux.
  void extract(PatchBatch batch, const ExtractInputs& inputs, StageEvents& events,
               std::vector<std::vector<double>>* models, std::map<int, FrameFlux>& flux);

  /// f of a bundle of the last frame, if it is not there yet. Waits for the GPU.
  void download_flux(FrameFlux& flux) const { workspace_.download_flux(flux); }

 private:
  FiberWorkspace workspace_;
};

}  // namespace spex::gpu
