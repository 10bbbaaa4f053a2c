// The engine of the milestones multi-gpu to batch-syev (milestones.md): forms A and decomposes N.
#pragma once

#include "gpu/extract/batch/stage_events.hpp"
#include "gpu/extract/eigh/eigh_workspace.hpp"

namespace spex::gpu {

/// Runs and times the stages of EighWorkspace.
class EighEngine {
 public:
  EighEngine(const Context& context, bool poison) : workspace_(context, poison) {}

  /// Extracts the patches [first, last) of a loaded frame with given spots; several patches must
  /// have one shape. Writes to the frame's spectra and status, and to `models`, one vector per
  /// patch, unless null. A patch becomes guarded if the condition number of N exceeds
  /// `condition_bound`. Waits for the GPU only for models.
  void extract(const FrameOnDevice& frame, const ExtractInputs& inputs,
               const EighRoutines& routines, double condition_bound, int first, int last,
               const SpotsView& spots, StageEvents& events,
               std::vector<std::vector<double>>* models);

 private:
  EighWorkspace workspace_;
};

}  // namespace spex::gpu
