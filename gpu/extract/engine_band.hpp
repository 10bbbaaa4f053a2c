// The engine that forms no A and decomposes no N, but factors N as a band: what the milestone
// band runs (milestones.md).
#pragma once

#include "gpu/extract/band_workspace.hpp"
#include "gpu/extract/stage_events.hpp"

namespace spex::gpu {

/// The stages of BandWorkspace, one after the other, timed.
class BandEngine {
 public:
  BandEngine(const Context& context, bool poison) : workspace_(context, poison) {}

  /// Whether the engine can do this frame's patches; otherwise they are for eigh.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
    return workspace_.can_do(frame, inputs);
  }

  /// Extracts the patches of a batch together. As EighEngine::extract; a patch whose status becomes
  /// 1 is for eigh. With FluxSolver::frame, `flux` is that of each patch, of which its own is made.
  void extract(PatchBatch batch, const ExtractInputs& inputs, StageEvents& events,
               std::vector<std::vector<double>>* models, const std::vector<PatchFlux>& flux = {});

 private:
  BandWorkspace workspace_;
};

}  // namespace spex::gpu
