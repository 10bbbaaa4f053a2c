#include "gpu/core/launch.hpp"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "gpu/extract/reject_pixels/selected_inverse.cuh"
#include "gpu/tests/read_inverse.hpp"

namespace spex::gpu::test {
namespace {

template <int R>
__global__ void read_kernel(FrameSystem system, double* inverse, double* band) {
  const int s = blockIdx.x, m = system.m;
  const SelectedInverse<R> C{m, inverse + s * SelectedInverse<R>::numbers(m)};
  for (int k = threadIdx.x; k < m * (R + 1); k += blockDim.x) {
    const int v = k / (R + 1), d = k % (R + 1);
    band[static_cast<size_t>(s) * m * (R + 1) + k] = v + d < m ? C.at(v, d) : 0.0;
  }
}

}  // namespace

void read_inverse(const FrameSystem& system, double* inverse, double* band, cudaStream_t stream) {
  with_reach(system.bands.reach, [&]<int R>() {
    read_kernel<R><<<system.bands.nspec, 128, 0, stream>>>(system, inverse, band);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu::test
