// The engine of the milestone band (milestones.md): factors N as a band, without A or
// eigendecompositions of N.
#pragma once

#include "gpu/extract/band/band_workspace.hpp"
#include "gpu/extract/batch/stage_events.hpp"

namespace spex::gpu {

/// Runs and times the stages of BandWorkspace.
class BandEngine {
 public:
  BandEngine(const Context& context, bool poison) : workspace_(context, poison) {}

  /// Whether the engine supports this frame's patches; otherwise eigh must be used.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
    return workspace_.can_do(frame, inputs);
  }

  /// Extracts the patches of a batch together, as EighEngine::extract. A patch with status 1 must
  /// be solved by eigh. With FluxSolver::frame, `flux` contains f of the whole frame for each
  /// patch.
  void extract(PatchBatch batch, const ExtractInputs& inputs, StageEvents& events,
               std::vector<std::vector<double>>* models, const std::vector<PatchFlux>& flux = {});

 private:
  BandWorkspace workspace_;
};

}  // namespace spex::gpu
