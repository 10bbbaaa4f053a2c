// bench_kernels_cpu: the kernels of the CPU extractor, one thread each, on simulated data.
//
//   bench_kernels_cpu [--benchmark_filter=REGEX] [--benchmark_out=FILE.json] [--benchmark_...]
#include "bench/micro/cpu/kernels.hpp"
#include "bench/micro/program.hpp"

int main(int argc, char** argv) {
  return spex::bench::run_benchmarks("bench_kernels_cpu", argc, argv, [] {
    const auto input =
        std::make_shared<const spex::bench::KernelInput>(spex::bench::make_kernel_input(1));
    spex::bench::add_spots(input);
    spex::bench::add_normal_equations(input);
    spex::bench::add_quality(input);
    spex::bench::add_eigh();
    spex::bench::add_fibers(input);
    spex::bench::add_ceilings();
  });
}
