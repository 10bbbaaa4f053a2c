// Eigendecomposition by dsyevd on one thread of the CPU.
#include <stdexcept>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/kernels.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::bench {

void add_eigh() {
  for (const int n : eigh_orders)
    benchmark::RegisterBenchmark(fmt::format("eigh/{}", n).c_str(), [n](benchmark::State& state) {
      const std::vector<double> A = random_matrix(n);
      Eigen eigen;
      if (!decompose(A, n, eigen)) throw std::runtime_error("eigh: no convergence");
      require_decomposition("eigh", A, n, eigen.V, eigen.u);
      for (auto _ : state)
        if (!decompose(A, n, eigen)) throw std::runtime_error("eigh: no convergence");
      state.SetItemsProcessed(state.iterations());
    })->Unit(benchmark::kMillisecond);
}

}  // namespace spex::bench
