// Q_s = C_s^(-1/2) of one spectrum on the CPU (extraction.md, section 5), by its
// eigendecomposition.
#include <cmath>
#include <stdexcept>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/kernels.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex::bench {
namespace {

Eigen decomposed(const std::vector<double>& A, int n) {
  Eigen eigen;
  if (!decompose(A, n, eigen)) throw std::runtime_error("roots: no convergence");
  clip_eigenvalues(eigen);
  return eigen;
}

// Rows of the middle spectrum of a patch, `m` bins in the middle of its wavelengths.
std::vector<double> covariance_block(const PatchInput& patch, int m) {
  const NormalEquations equations = patch.equations();
  const Eigen eigen = decomposed(equations.N, equations.n);
  std::vector<double> inverse;
  for (const double u : eigen.u) inverse.push_back(1 / u);
  const PatchSpots spots = patch.spots();
  std::vector<double> C;
  eigen_block(eigen, inverse, spots.nspec / 2 * spots.nwave + (spots.nwave - m) / 2, m, C);
  return C;
}

std::vector<double> inverse_root(const std::vector<double>& C, int m) {
  const Eigen eigen = decomposed(C, m);
  std::vector<double> inverse_root;
  for (const double u : eigen.u) inverse_root.push_back(1 / std::sqrt(u));
  std::vector<double> Q;
  eigen_block(eigen, inverse_root, 0, m, Q);
  return Q;
}

}  // namespace

void add_roots(const InputPointer& input) {
  for (const int m : {50, 74})
    benchmark::RegisterBenchmark(fmt::format("roots/{}", m).c_str(), [input,
                                                                      m](benchmark::State& state) {
      const std::vector<double> C = covariance_block(PatchInput(*input), m);
      require_inverse_root("roots", C, m, inverse_root(C, m), 1e-8);
      for (auto _ : state) {
        const std::vector<double> Q = inverse_root(C, m);
        benchmark::DoNotOptimize(Q.data());
      }
      state.SetItemsProcessed(state.iterations());
    })->Unit(benchmark::kMicrosecond);
}

}  // namespace spex::bench
