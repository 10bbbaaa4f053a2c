// Which bundles the sweeps over a frame have solved (extraction.md, section 5.2).
#pragma once

#include <vector>

#include "gpu/extract/frame_flux/frame_flux.hpp"

namespace spex::gpu {

/// What the host knows of the sweeps over a batch's bundles.
class SweepProgress {
 public:
  /// `place` and `nbundles` as in FrameSystem, on the host.
  SweepProgress(const std::vector<BundleOfFiber>& place, int nbundles);

  /// Reads what happened to the bundles until `end` sweeps, at least 2, were enqueued on `stream`.
  /// Waits for it.
  void read(const FrameSystem& system, int end, cudaStream_t stream);

  /// The fibers from the first to the last bundle that needs more sweeps.
  [[nodiscard]] ColoredRange left() const { return left_; }
  [[nodiscard]] bool ended() const { return left_.empty(); }
  /// Whether a bundle has converged, and was not refused.
  [[nodiscard]] bool settled(std::size_t bundle) const { return settled_[bundle]; }

 private:
  std::vector<ColoredRange> fibers_;  // of each bundle
  std::vector<bool> settled_;
  ColoredRange left_;
};

}  // namespace spex::gpu
