// bench_kernels_cpu: the kernels of the CPU extractor, one thread each, on simulated data.
//
//   bench_kernels_cpu [--benchmark_filter=REGEX] [--benchmark_out=FILE.json] [--benchmark_...]
#include "bench/micro/cpu/kernels.hpp"
#include "bench/micro/program.hpp"

int main(int argc, char** argv) {
  return spex::bench::run_benchmarks("bench_kernels_cpu", argc, argv, [] {
    const auto sample = std::make_shared<const spex::bench::Sample>(spex::bench::make_sample(1));
    spex::bench::add_legendre(sample);
    spex::bench::add_spots(sample);
    spex::bench::add_projection(sample);
    spex::bench::add_normal_equations(sample);
    spex::bench::add_eigh();
    spex::bench::add_cholesky(sample);
    spex::bench::add_roots(sample);
    spex::bench::add_fits();
  });
}
