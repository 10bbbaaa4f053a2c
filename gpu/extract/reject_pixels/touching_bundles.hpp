// Bundles whose spots reach the same pixels, which cannot be rejected for both at once.
#pragma once

#include <utility>
#include <vector>

#include "gpu/core/buffer.hpp"
#include "gpu/extract/batch/bins.hpp"
#include "gpu/extract/frame_flux/frame_flux.hpp"

namespace spex::gpu {

/// The pairs of a frame's bundles that share a pixel, and device memory to find them, which grows
/// on demand.
class TouchingBundles {
 public:
  /// Finds them among `bundles`, which have these ranges of the fibers of `rows`. Waits for the
  /// stream.
  void find(const std::vector<int>& bundles, const std::vector<BundleOfFiber>& fibers,
            const RowBinsView& rows, cudaStream_t stream);

  /// Whether spots of two bundles reach no pixel together.
  [[nodiscard]] bool apart(int bundle, int other) const;
  /// Whether this holds for all.
  [[nodiscard]] bool all_apart() const { return pairs_.empty(); }

 private:
  std::vector<std::pair<int, int>> pairs_;  // the larger first
  DeviceBuffer<BundleOfFiber> fibers_;
  DeviceBuffer<unsigned char> touching_;
};

}  // namespace spex::gpu
