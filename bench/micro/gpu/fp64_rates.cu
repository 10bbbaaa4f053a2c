#include "bench/micro/gpu/fp64_rates.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"

namespace spex::bench {
namespace {

// Sums of a lane that do not wait for each other: enough to hide a result's latency.
constexpr int chains = 8;
constexpr int threads = 256;

// Every lane's sums x become x + steps b, exactly, as `one` is 1; the compiler does not know that.
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

// Fragments of `one` throughout: every element of a product is 4, of the sums 4 steps.
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

Fp64Rates::Fp64Rates(int multiprocessors, int steps)
    : blocks_(8 * multiprocessors),
      steps_(steps),
      out_(static_cast<std::size_t>(blocks_) * threads) {}

void Fp64Rates::multiply_and_add(cudaStream_t stream) {
  fma_kernel<<<blocks_, threads, 0, stream>>>(steps_, 1.0, 1.0, out_.get());
  SPEX_LAUNCH_CHECK();
}

void Fp64Rates::multiply_fragments(cudaStream_t stream) {
  tensor_kernel<<<blocks_, threads, 0, stream>>>(steps_, 1.0, out_.get());
  SPEX_LAUNCH_CHECK();
}

double Fp64Rates::flops_of_fma() const {
  return 2.0 * chains * steps_ * static_cast<double>(out_.count());
}

double Fp64Rates::flops_of_fragments() const {
  return 2.0 * 8 * 8 * 4 * chains * steps_ * static_cast<double>(out_.count()) / 32;
}

double Fp64Rates::sum_of_fma() const {
  return chains * (chains - 1) / 2.0 + static_cast<double>(chains) * steps_;
}

double Fp64Rates::sum_of_fragments() const {
  return 2.0 * chains * 4 * steps_;
}

}  // namespace spex::bench
