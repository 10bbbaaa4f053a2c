// The engine that forms no A and decomposes no N: direct (milestones.md).
#pragma once

#include "gpu/extract/band_cholesky.hpp"
#include "gpu/extract/frame_on_device.hpp"
#include "gpu/extract/stage_events.hpp"

namespace spex::gpu {

/// Workspaces of the direct engine; made once, grown as patches ask for.
class DirectEngine {
 public:
  DirectEngine(const Context& context, bool poison)
      : context_(&context), poison_(poison), largest_block_(largest_band_block()) {}

  /// Whether the engine can do this frame's patches at all: signal decorrelation, and blocks that
  /// fit the GPU's shared memory. Otherwise they are for eigh.
  [[nodiscard]] bool can_do(const FrameOnDevice& frame, const ExtractInputs& inputs) const;

  /// Extracts the patches [first, last) of a loaded frame in one batch; their spots are given. As
  /// EighEngine::extract; a patch whose status becomes 1 is for eigh.
  void extract(FrameOnDevice& frame, const ExtractInputs& inputs, int first, int last,
               const SpotsView& spots, StageEvents& events,
               std::vector<std::vector<double>>* models);

 private:
  [[nodiscard]] BandLayout layout_of(const FrameOnDevice& frame) const;

  const Context* context_;
  bool poison_;
  int largest_block_;
  DeviceBuffer<double> panels_, M_, X_, C_, bins_, work_;
  DeviceBuffer<CoreSpectrum> cores_;
  DeviceBuffer<const double*> X_of_cores_;
  DeviceBuffer<double*> C_of_cores_;
};

}  // namespace spex::gpu
