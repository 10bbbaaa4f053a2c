// bench_kernels_cpu: the kernels of the CPU extractor, on one thread each, with simulated data.
// Each file in this folder registers its benchmarks, named SUBJECT/VARIANT[/SIZE].
//
//   bench_kernels_cpu [--benchmark_filter=REGEX] [--benchmark_out=FILE.json] [--benchmark_...]
#include "bench/micro/program.hpp"

int main(int argc, char** argv) {
  return spex::bench::run_benchmarks("bench_kernels_cpu", argc, argv, [] {});
}
