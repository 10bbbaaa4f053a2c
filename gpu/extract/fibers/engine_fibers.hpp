// The engine of the milestones direct and pipeline (milestones.md): works spectrum by spectrum
// (extraction.md, section 5.1).
#pragma once

#include <functional>

#include "gpu/extract/batch/stage_events.hpp"
#include "gpu/extract/fibers/fiber_workspace.hpp"

namespace spex::gpu {

/// Runs and times the stages of FiberWorkspace.
class FiberEngine {
 public:
  FiberEngine(const Context& context, bool poison, int host_threads)
      : workspace_(context, poison, host_threads) {}

  /// Whether the engine supports this frame's patches; otherwise the band engine must be used.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const {
    return workspace_.can_do(frame, inputs);
  }

  /// What the patches of a frame are extracted from, and where the results of a batch go that are
  /// not the frame's spectra.
  struct Job {
    const ExtractInputs* inputs = nullptr;
    /// Unless null, finds the pixels of the batch's bundles to reject, and leaves their weights
    /// taken; the batch must hold all patches of its bundles, of which no two touch.
    PixelRejection* rejection = nullptr;
    /// With FluxSolver::frame, solves the frame in the batch's bundles, computes the flux from it,
    /// and adds the bundles' solutions here, without f, which download_flux fetches.
    std::map<int, FrameFlux>* flux = nullptr;
    std::vector<std::vector<double>>* models = nullptr;  ///< per patch of the frame, or null
  };

  /// Extracts the patches of a batch together, as EighEngine::extract. A patch with status
  /// `guarded` must be solved by the band engine. Calls `rooted` when all work up to the roots is
  /// enqueued: later work does not touch the spectra of patches that are guarded then.
  void extract(PatchBatch batch, const Job& job, StageEvents& events,
               const std::function<void()>& rooted);

  /// Downloads f of a bundle of the last frame unless `flux` already has it. Waits for `stream`.
  void download_flux(FrameFlux& flux, cudaStream_t stream) const {
    workspace_.download_flux(flux, stream);
  }

 private:
  FiberWorkspace workspace_;
};

}  // namespace spex::gpu
