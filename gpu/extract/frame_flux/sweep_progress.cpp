#include "gpu/extract/frame_flux/sweep_progress.hpp"

#include <algorithm>

#include "gpu/core/copy.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

// The smallest range with both.
ColoredRange merge(const ColoredRange& a, const ColoredRange& b) {
  ColoredRange both = a;
  for (const int color : {0, 1}) {
    if (b.count(color) == 0) continue;
    const bool is_first = a.count(color) == 0;
    both.begin[color] = is_first ? b.begin[color] : std::min(a.begin[color], b.begin[color]);
    both.end[color] = std::max(a.end[color], b.end[color]);
  }
  return both;
}

}  // namespace

SweepProgress::SweepProgress(const std::vector<BundleOfFiber>& place, int nbundles)
    : fibers_(count_of(nbundles)), settled_(count_of(nbundles), false) {
  const ColoredFibers colored = color_fibers(place);
  for (int k = 0; k < static_cast<int>(colored.fibers.size()); ++k) {
    const int color = k < colored.first_of_second ? 0 : 1;
    ColoredRange one;
    one.begin[color] = k, one.end[color] = k + 1;
    ColoredRange& of_bundle = fibers_[count_of(place[colored.fibers[k]].bundle)];
    of_bundle = merge(of_bundle, one);
    left_ = merge(left_, one);
  }
}

void SweepProgress::read(const FrameSystem& system, int end, cudaStream_t stream) {
  const std::size_t count = fibers_.size();
  const auto refused = to_host<int>(system.refused, count, stream);
  const auto moved = to_host<SweepMoves>(system.moved + (end - 2) * count, 2 * count, stream);
  left_ = {};
  for (std::size_t k = 0; k < count; ++k) {
    // A bundle that had converged before these two sweeps was skipped, and nothing moved.
    const bool ended = enough_sweeps(end, moved[k], moved[count + k], system.of_test);
    settled_[k] = refused[k] == 0 && ended;
    if (refused[k] == 0 && !ended) left_ = merge(left_, fibers_[k]);
  }
}

}  // namespace spex::gpu
