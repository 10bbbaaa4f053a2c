// bench_kernels_gpu: the kernels of the GPU extractor and the peak rates of the GPU, with simulated
// data.
//
//   bench_kernels_gpu [--benchmark_filter=REGEX] [--benchmark_out=FILE.json] [--benchmark_...]
//
// Exit status 77 without a GPU.
#include <cstdio>

#include <fmt/format.h>

#include "bench/micro/gpu/kernels.hpp"
#include "bench/micro/program.hpp"
#include "reference/core/exit_status.hpp"

namespace {

void add_gpu_context() {
  cudaDeviceProp properties{};
  int driver = 0;
  int runtime = 0;
  SPEX_GPU_CHECK(cudaGetDeviceProperties(&properties, 0));
  SPEX_GPU_CHECK(cudaDriverGetVersion(&driver));
  SPEX_GPU_CHECK(cudaRuntimeGetVersion(&runtime));
  const auto version = [](int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  };
  benchmark::AddCustomContext("gpu", properties.name);
  benchmark::AddCustomContext("cuda driver", version(driver));
  benchmark::AddCustomContext("cuda runtime", version(runtime));
}

void add_benchmarks() {
  namespace bench = spex::bench;
  spex::gpu::use_device(0);
  add_gpu_context();
  const auto device = std::make_shared<bench::Device>();
  const auto frame = std::make_shared<bench::FrameInput>(*device);
  bench::add_spots(device, frame);
  bench::add_eigh(device);
  bench::add_fibers(device, frame);
  bench::add_ceilings(device);
}

}  // namespace

int main(int argc, char** argv) {
  if (spex::gpu::device_count() == 0) {
    fmt::print(stderr, "bench_kernels_gpu: there is no GPU here\n");
    return spex::status::skipped;
  }
  return spex::bench::run_benchmarks("bench_kernels_gpu", argc, argv, add_benchmarks);
}
