// Cholesky factors of N, and the covariance from them: block by block in the order of wavelength,
// and dense.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include <benchmark/benchmark.h>
#include <lapacke.h>

#include "bench/micro/cpu/kernels.hpp"
#include "reference/linalg/block_tridiagonal.hpp"

namespace spex::bench {
namespace {

// N in the order of wavelength, row w nspec + s, in blocks of as many bins as spots reach.
BlockTridiagonal make_band(const NormalEquations& equations, int nspec) {
  const int n = equations.n;
  const int nwave = n / nspec;
  const auto N = [&](int row, int column) {
    return equations.N[static_cast<std::size_t>(column) * static_cast<std::size_t>(n) +
                       static_cast<std::size_t>(row)];
  };
  int reach = 1;
  for (int column = 0; column < n; ++column)
    for (int row = column; row < n; ++row)
      if (N(row, column) != 0) reach = std::max(reach, std::abs(row % nwave - column % nwave));
  BlockTridiagonal band(n, reach * nspec);
  for (int column = 0; column < n; ++column)
    for (int row = column; row < n; ++row) {
      const int i = row % nwave * nspec + row / nwave;
      const int j = column % nwave * nspec + column / nwave;
      if (N(row, column) != 0) band.at(std::max(i, j), std::min(i, j)) = N(row, column);
    }
  return band;
}

void require(bool good) {
  if (!good) throw std::runtime_error("cholesky: not positive definite");
}

void run_band(benchmark::State& state, const KernelInput& input, bool with_blocks) {
  const PatchInput patch(input);
  const int nspec = patch.spots().nspec;
  const BlockTridiagonal band = make_band(patch.equations(), nspec);
  // The columns of L^-1 of all core spectra.
  std::vector<int> unit_row;
  for (int w = 0; w < patch.spots().nwave; ++w)
    for (int s = 0; s < patch.patch().nspec; ++s)
      unit_row.push_back(w * nspec + patch.patch().pad_below + s);
  for (auto _ : state) {
    BlockTridiagonal L = band;
    require(L.factor());
    if (with_blocks)
      L.forward_solve_units(unit_row,
                            [](int, const double* X, int) { benchmark::DoNotOptimize(X); });
    benchmark::DoNotOptimize(L.panel(0));
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["n"] = band.n();
  state.counters["block"] = band.size();
}

void run_dense(benchmark::State& state, const KernelInput& input, bool with_inverse) {
  const NormalEquations equations = PatchInput(input).equations();
  const int n = equations.n;
  for (auto _ : state) {
    std::vector<double> L = equations.N;
    require(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, L.data(), n) == 0);
    if (with_inverse) require(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, L.data(), n) == 0);
    benchmark::DoNotOptimize(L.data());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["n"] = n;
  // n^3 / 3 for the factor, n^3 with the inverse.
  const double order = n;
  state.counters["flops"] = benchmark::Counter(order * order * order / (with_inverse ? 1 : 3),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

void add_cholesky(const InputPointer& input) {
  const auto add = [&](const char* name, void (*run)(benchmark::State&, const KernelInput&, bool),
                       bool with_covariance) {
    benchmark::RegisterBenchmark(name, [input, run, with_covariance](benchmark::State& state) {
      run(state, *input, with_covariance);
    })->Unit(benchmark::kMillisecond);
  };
  add("cholesky/band", run_band, false);
  add("cholesky/band_blocks", run_band, true);
  add("cholesky/dense", run_dense, false);
  add("cholesky/dense_inverse", run_dense, true);
}

}  // namespace spex::bench
