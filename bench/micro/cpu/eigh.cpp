// Eigendecomposition by dsyevd on one CPU thread.
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/kernel_input.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::bench {
namespace {

void run_eigh(benchmark::State& state) {
  const auto n = static_cast<int>(state.range(0));
  const std::vector<double> A = random_matrix(n);
  Eigen eigen;
  if (!decompose(A, n, eigen)) throw std::runtime_error("eigh: no convergence");
  require_decomposition("eigh", A, n, eigen.V, eigen.u);
  for (auto _ : state)
    if (!decompose(A, n, eigen)) throw std::runtime_error("eigh: no convergence");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(run_eigh)
    ->Name("eigh")
    ->Unit(benchmark::kMillisecond)
    ->Apply([](benchmark::internal::Benchmark* eigh) {
      for (const int n : eigh_orders) eigh->Arg(n);
    });

}  // namespace
}  // namespace spex::bench
