#include "gpu/extract/frame_flux/sweep_progress.hpp"

#include <algorithm>

#include "gpu/core/copy.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

// The smallest range with both; an empty one has no place.
FiberRange merge(const FiberRange& a, const FiberRange& b) {
  if (a.begin == a.end) return b;
  if (b.begin == b.end) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace

SweepProgress::SweepProgress(const std::vector<BundleOfFiber>& place, int nbundles)
    : fibers_(count_of(nbundles)), settled_(count_of(nbundles), false) {
  for (const BundleOfFiber& one : place)
    if (one.begin != one.end) fibers_[count_of(one.bundle)] = {one.begin, one.end};
  for (const FiberRange& fibers : fibers_) left_ = merge(left_, fibers);
}

void SweepProgress::read(const FrameSystem& system, int end, cudaStream_t stream) {
  const std::size_t count = fibers_.size();
  const auto refused = to_host<int>(system.refused, count, stream);
  const auto moved = to_host<double>(system.moved + (end - 2) * count, 2 * count, stream);
  left_ = {};
  for (std::size_t k = 0; k < count; ++k) {
    // A bundle that had converged before these two sweeps was skipped, and nothing moved.
    const bool ended = frame_bounds::ended(moved[k], moved[count + k], system.foreseen);
    settled_[k] = refused[k] == 0 && ended;
    if (refused[k] == 0 && !ended) left_ = merge(left_, fibers_[k]);
  }
}

}  // namespace spex::gpu
