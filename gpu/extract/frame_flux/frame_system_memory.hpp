// Device memory of a FrameSystem.
#pragma once

#include <vector>

#include "gpu/core/buffer.hpp"
#include "gpu/extract/frame_flux/frame_flux.hpp"

namespace spex::gpu {

/// The numbers of one FrameSystem, in memory that is reused and grows on demand.
class FrameSystemMemory {
 public:
  explicit FrameSystemMemory(bool poison) : poison_(poison) {}

  /// A system of m bins, the first of `bands`, of `nbundles` bundles. Copies `place` on `stream`.
  /// The former system is lost. `bands` keep their view.
  [[nodiscard]] FrameSystem make(const FrameBands& bands, int m, int nbundles,
                                 std::vector<BundleOfFiber> place, cudaStream_t stream);

 private:
  bool poison_;
  DeviceBuffer<double> bins_, factor_, sides_;
  DeviceBuffer<SweepMoves> moved_;
  std::vector<BundleOfFiber> place_;  // on the host, while they are copied
  ColoredFibers colored_;
  DeviceBuffer<BundleOfFiber> device_place_;
  DeviceBuffer<int> device_colored_;
  DeviceBuffer<int> refused_;
};

}  // namespace spex::gpu
