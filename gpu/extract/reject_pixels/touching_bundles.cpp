#include "gpu/extract/reject_pixels/touching_bundles.hpp"

#include <algorithm>
#include <functional>

#include "gpu/core/copy.hpp"
#include "gpu/extract/reject_pixels/take_pixels.hpp"

namespace spex::gpu {

void TouchingBundles::find(const std::vector<int>& bundles,
                           const std::vector<BundleOfFiber>& fibers, const RowBinsView& rows,
                           cudaStream_t stream) {
  pairs_.clear();
  const std::size_t count = bundles.size();
  reserve(fibers_, count);
  reserve(touching_, count * count);
  SPEX_GPU_CHECK(cudaMemcpyAsync(fibers_.get(), fibers.data(), count * sizeof(BundleOfFiber),
                                 cudaMemcpyHostToDevice, stream));
  SPEX_GPU_CHECK(cudaMemsetAsync(touching_.get(), 0, count * count, stream));
  find_touching(fibers_.get(), static_cast<int>(count), rows, touching_.get(), stream);
  const auto touching = to_host<unsigned char>(touching_.get(), count * count, stream);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (touching[a * count + b] != 0)
        pairs_.push_back(std::minmax({bundles[a], bundles[b]}, std::greater<>()));
}

bool TouchingBundles::apart(int bundle, int other) const {
  return std::ranges::find(pairs_, std::pair<int, int>(std::max(bundle, other),
                                                       std::min(bundle, other))) == pairs_.end();
}

}  // namespace spex::gpu
