#include "bench/micro/gpu/fp64_rates.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"

namespace spex::bench {
namespace {

// Independent sums per lane: enough to hide the latency.
constexpr int chains = 8;
constexpr int threads = 256;

// Every sum x of a lane becomes exactly x + steps b, because `one` is 1, which the compiler does
// not know.
__global__ void fma_kernel(int steps, double one, double b, double* out) {
  double x[chains];
  for (int k = 0; k < chains; ++k) x[k] = k;
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int k = 0; k < chains; ++k) x[k] = fma(x[k], one, b);
  double sum = 0;
  for (int k = 0; k < chains; ++k) sum += x[k];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

// All fragments are `one`: every element of a product is 4, and every sum is 4 steps.
__global__ void tensor_kernel(int steps, double one, double* out) {
  double c[chains][2] = {};
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int k = 0; k < chains; ++k) gpu::multiply_add(one, one, c[k][0], c[k][1]);
  double sum = 0;
  for (int k = 0; k < chains; ++k) sum += c[k][0] + c[k][1];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

}  // namespace

Fp64Work do_fp64_work(bool on_tensor_cores, const gpu::DeviceBuffer<double>& sums,
                      cudaStream_t stream) {
  constexpr int steps = 4096;
  constexpr double in_lane = 1.0 * chains * steps;
  const auto lanes = static_cast<double>(sums.count());
  const auto blocks = static_cast<int>(sums.count() / threads);
  if (on_tensor_cores)
    tensor_kernel<<<blocks, threads, 0, stream>>>(steps, 1.0, sums.get());
  else
    fma_kernel<<<blocks, threads, 0, stream>>>(steps, 1.0, 1.0, sums.get());
  SPEX_LAUNCH_CHECK();
  if (on_tensor_cores) return {2.0 * 8 * 8 * 4 * in_lane * lanes / 32, 2 * 4 * in_lane};
  return {2 * in_lane * lanes, chains * (chains - 1) / 2.0 + in_lane};
}

}  // namespace spex::bench
