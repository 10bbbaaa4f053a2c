// sanitizer_control TOOL: commits one fault that this tool of compute-sanitizer must find.
// ci/gpu-check runs it to verify that the tool works.

#include <cstdio>
#include <map>
#include <string>

#include <cuda_runtime.h>

#include "gpu/core/buffer.hpp"
#include "gpu/core/check.hpp"

namespace {

using spex::gpu::DeviceBuffer;

constexpr int threads = 64;  // two warps, because a race within a warp may not be detected

__global__ void write_behind_the_end(double* out, int count) {
  out[count] = 1.0;
}

__global__ void read_without_barrier(double* out) {
  __shared__ double row[threads];
  const int i = static_cast<int>(threadIdx.x);
  row[i] = i;
  out[i] = row[threads - 1 - i];
}

__global__ void read_what_none_wrote(const double* in, double* out) {
  out[threadIdx.x] = 2.0 * in[threadIdx.x];
}

__global__ void barrier_for_some(double* out) {
  if (threadIdx.x < threads / 4) __syncthreads();
  out[threadIdx.x] = threadIdx.x;
}

void seed(const std::string& tool) {
  const DeviceBuffer<double> in(threads);
  const DeviceBuffer<double> out(threads);
  const std::map<std::string, void (*)(const double*, double*)> faults = {
      {"memcheck", [](const double*, double* to) { write_behind_the_end<<<1, 1>>>(to, threads); }},
      {"racecheck", [](const double*, double* to) { read_without_barrier<<<1, threads>>>(to); }},
      {"initcheck",
       [](const double* from, double* to) { read_what_none_wrote<<<1, threads>>>(from, to); }},
      {"synccheck", [](const double*, double* to) { barrier_for_some<<<1, threads>>>(to); }},
  };
  faults.at(tool)(in.get(), out.get());
  SPEX_LAUNCH_CHECK();
  SPEX_GPU_CHECK(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    seed(argc == 2 ? argv[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sanitizer_control: %s\n", error.what());
    return 1;
  }
}
