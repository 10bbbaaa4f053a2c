// The engine of the milestones multi-gpu to batch-syev (milestones.md): forms A and decomposes N.
#pragma once

#include "gpu/extract/batch/stage_events.hpp"
#include "gpu/extract/eigh/eigh_workspace.hpp"

namespace spex::gpu {

/// Runs and times the stages of EighWorkspace.
class EighEngine {
 public:
  EighEngine(const Context& context, bool poison) : workspace_(context, poison) {}

  /// Extracts consecutive patches of a loaded frame, several only of one shape, as many at a time
  /// as memory allows. Writes to the frame's spectra and status, and to `models`, one vector per
  /// patch of the frame, unless null. A patch becomes guarded if the condition number of N exceeds
  /// `condition_bound`. Waits for the GPU only for models.
  void extract(const PatchBatch& patches, const ExtractInputs& inputs, const EighRoutines& routines,
               double condition_bound, StageEvents& events,
               std::vector<std::vector<double>>* models);

 private:
  EighWorkspace workspace_;
};

}  // namespace spex::gpu
