// Peak rates of one core: products and sums of doubles in registers, and reading memory.
#include <cmath>

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/ceiling_lanes.hpp"
#include "reference/core/simd/aligned.hpp"

namespace spex::bench {
namespace {

void run_multiply_add(benchmark::State& state) {
  const CeilingKernels& kernels = ceiling_kernels(instructions_in_use());
  constexpr long steps = 1'000'000;
  // x = x / 2 + 1 has the limit 2.
  const double count = kernels.count;
  require_close("ceiling/multiply_add", {kernels.multiply_add(100, 0.5, 1)}, {2 * count}, 1e-12);
  for (auto _ : state) benchmark::DoNotOptimize(kernels.multiply_add(steps, 0.5, 1));
  state.SetItemsProcessed(state.iterations());
  state.counters["flops"] =
      benchmark::Counter(2 * count * steps, benchmark::Counter::kIsIterationInvariantRate);
}

void run_read(benchmark::State& state) {
  const CeilingKernels& kernels = ceiling_kernels(instructions_in_use());
  constexpr long n = 1L << 25;  // 268 MB
  const AlignedDoubles x(n, 1.0);
  require_close("ceiling/read", {kernels.sum(x.data(), n)}, {static_cast<double>(n)}, 0);
  for (auto _ : state) benchmark::DoNotOptimize(kernels.sum(x.data(), n));
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * n * static_cast<std::int64_t>(sizeof(double)));
}

BENCHMARK(run_multiply_add)->Name("ceiling/multiply_add")->Unit(benchmark::kMillisecond);
BENCHMARK(run_read)->Name("ceiling/read")->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace spex::bench
