// The engine that forms no A and decomposes no N: direct (milestones.md).
#pragma once

#include <algorithm>

#include "gpu/extract/band_cholesky.hpp"
#include "gpu/extract/decorrelate.hpp"
#include "gpu/extract/frame_on_device.hpp"
#include "gpu/extract/roots.hpp"
#include "gpu/extract/stage_events.hpp"

namespace spex::gpu {

/// Workspaces of the direct engine; made once, grown as patches ask for.
class DirectEngine {
 public:
  DirectEngine(const Context& context, bool poison)
      : context_(&context),
        poison_(poison),
        largest_block_(std::min(largest_band_block(), largest_root_band)),
        jacobi_(context) {}

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
  /// The spectra whose roots find_roots left to Jacobi. Waits for the GPU.
  void finish_hard(const RootBatch& batch, const std::vector<CoreSpectrum>& cores,
                   const SpectraView& spectra);

  const Context* context_;
  bool poison_;
  int largest_block_;
  EigenSolver jacobi_;
  DeviceBuffer<double> panels_, M_, C_, hard_C_, bins_, work_;
  DeviceBuffer<CoreSpectrum> cores_, hard_cores_;
  DeviceBuffer<int> hard_;
};

}  // namespace spex::gpu
