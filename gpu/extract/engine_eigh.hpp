// The engines that form A and decompose N: multi_gpu, batch_eigh, batch_subbundle (milestones.md).
#pragma once

#include "gpu/extract/decorrelate.hpp"
#include "gpu/extract/frame_on_device.hpp"
#include "gpu/extract/stage_events.hpp"

namespace spex::gpu {

/// Workspaces of the eigh engines; made once, grown as patches ask for.
class EighEngine {
 public:
  EighEngine(const Context& context, bool poison)
      : context_(&context), poison_(poison), solver_(context) {}

  /// Extracts the patches [first, last) of a loaded frame, all of one shape where the batch is
  /// `all`; their spots are given. What they hold goes to the frame's spectra and status, models to
  /// `models`, a vector a patch, where it is not null. Waits for the GPU only where models are
  /// wanted.
  void extract(FrameOnDevice& frame, const ExtractInputs& inputs, EigenBatch batch, int first,
               int last, const SpotsView& spots, StageEvents& events,
               std::vector<std::vector<double>>* models);

 private:
  void extract_batch(FrameOnDevice& frame, const ExtractInputs& inputs, EigenBatch batch, int first,
                     int count, const SpotsView& spots, StageEvents& events,
                     std::vector<std::vector<double>>* models);

  const Context* context_;
  bool poison_;
  EigenSolver solver_;
  DeviceBuffer<double> A_, WA_, N_, bins_, work_;
};

}  // namespace spex::gpu
