// Eigendecompositions by dsyevd and dsyevr on one CPU thread.
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/kernel_input.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::bench {
namespace {

using Decompose = bool (*)(const std::vector<double>&, int, Eigen&);

void run_eigh(benchmark::State& state, Decompose decompose) {
  const auto n = static_cast<int>(state.range(0));
  const std::vector<double> A = random_matrix(n);
  Eigen eigen;
  if (!decompose(A, n, eigen)) throw std::runtime_error("eigh: no convergence");
  require_decomposition("eigh", A, n, eigen.V, eigen.u);
  for (auto _ : state)
    if (!decompose(A, n, eigen)) throw std::runtime_error("eigh: no convergence");
  state.SetItemsProcessed(state.iterations());
}
void with_orders(benchmark::internal::Benchmark* eigh) {
  eigh->Unit(benchmark::kMillisecond);
  for (const int n : eigh_orders) eigh->Arg(n);
}
BENCHMARK_CAPTURE(run_eigh, dsyevd, &decompose)->Name("eigh")->Apply(with_orders);
BENCHMARK_CAPTURE(run_eigh, dsyevr, &decompose_by_dsyevr)->Name("eigh/dsyevr")->Apply(with_orders);

}  // namespace
}  // namespace spex::bench
