// The engine that forms A and decomposes N: multi-gpu to batch-syev (milestones.md).
#pragma once

#include "gpu/extract/eigh_workspace.hpp"
#include "gpu/extract/stage_events.hpp"

namespace spex::gpu {

/// The stages of EighWorkspace, one after the other, timed.
class EighEngine {
 public:
  EighEngine(const Context& context, bool poison) : workspace_(context, poison) {}

  /// Extracts the patches [first, last) of a loaded frame, all of one shape where the batch holds
  /// several patches; their spots are given. What they hold goes to the frame's spectra and status,
  /// models to `models`, a vector a patch, where it is not null. A patch whose N has a condition
  /// number above `condition_bound` becomes guarded. Waits for the GPU only where models are
  /// wanted.
  void extract(const FrameOnDevice& frame, const ExtractInputs& inputs, EigenBatch eigen,
               double condition_bound, int first, int last, const SpotsView& spots,
               StageEvents& events, std::vector<std::vector<double>>* models);

 private:
  EighWorkspace workspace_;
};

}  // namespace spex::gpu
