// Cholesky factors of N, and the covariance from them: block by block in the order of wavelength,
// and dense.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include "bench/micro/checks.hpp"
#include "bench/micro/cpu/kernels.hpp"
#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"
#include "reference/linalg/block_tridiagonal.hpp"

namespace spex::bench {
namespace {

// N in the order of wavelength, row w nspec + s, in blocks of as many bins as spots reach.
BlockTridiagonal make_band(const NormalEquations& equations, int nspec) {
  const int n = equations.n;
  const int nwave = n / nspec;
  const auto N = [&](int row, int column) { return equations.N[count_of(column, n) + row]; };
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

// N f = y by the factor, in the order of wavelength.
void require_solution(const NormalEquations& equations, const BlockTridiagonal& L, int nspec) {
  const int n = equations.n;
  const int nwave = n / nspec;
  std::vector<double> f(equations.y.size());
  const auto place = [&](int j) { return static_cast<std::size_t>(j % nwave * nspec + j / nwave); };
  for (int j = 0; j < n; ++j) f[place(j)] = equations.y[j];
  L.solve(f);
  std::vector<double> f_of_bin;
  for (int j = 0; j < n; ++j) f_of_bin.push_back(f[place(j)]);
  std::vector<double> Nf(f.size());
  cblas_dsymv(CblasColMajor, CblasLower, n, 1.0, equations.N.data(), n, f_of_bin.data(), 1, 0.0,
              Nf.data(), 1);
  require_close("cholesky: N f", Nf, equations.y, 1e-9);
}

// Columns of L^-1 make C = L^-T L^-1, whose diagonal is that of N^-1.
void require_columns(const NormalEquations& equations, const BlockTridiagonal& L,
                     const std::vector<int>& unit_row, int nspec) {
  std::vector<double> found(unit_row.size(), 0.0);
  L.forward_solve_units(unit_row, [&](int b, const double* X, int ncolumns) {
    for (int c = 0; c < ncolumns; ++c)
      for (int r = 0; r < L.rows(b); ++r) {
        const double x = X[static_cast<std::ptrdiff_t>(c) * L.size() + r];
        found[c] += x * x;
      }
  });
  const int n = equations.n;
  std::vector<double> C = equations.N;
  require(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, C.data(), n) == 0 &&
          LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, C.data(), n) == 0);
  std::vector<double> expected;
  double largest = 0;
  for (const int row : unit_row) {
    const int j = row % nspec * (n / nspec) + row / nspec;
    expected.push_back(C[count_of(j, n + 1)]);
    largest = std::max(largest, expected.back());
  }
  require_close("cholesky: variances", found, expected, 1e-9 * largest);
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
  {
    BlockTridiagonal L = band;
    require(L.factor());
    require_solution(patch.equations(), L, nspec);
    if (with_blocks) require_columns(patch.equations(), L, unit_row, nspec);
  }
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

// N f = y by the dense factor, or by the inverse.
void require_dense(const NormalEquations& equations, const std::vector<double>& L,
                   bool is_inverse) {
  const int n = equations.n;
  std::vector<double> f = equations.y;
  if (is_inverse)
    cblas_dsymv(CblasColMajor, CblasLower, n, 1.0, L.data(), n, equations.y.data(), 1, 0.0,
                f.data(), 1);
  else
    require(LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, L.data(), n, f.data(), n) == 0);
  std::vector<double> Nf(f.size());
  cblas_dsymv(CblasColMajor, CblasLower, n, 1.0, equations.N.data(), n, f.data(), 1, 0.0, Nf.data(),
              1);
  require_close("cholesky: N f", Nf, equations.y, 1e-9);
}

void run_dense(benchmark::State& state, const KernelInput& input, bool with_inverse) {
  const NormalEquations equations = PatchInput(input).equations();
  const int n = equations.n;
  const auto factor = [&] {
    std::vector<double> L = equations.N;
    require(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, L.data(), n) == 0);
    if (with_inverse) require(LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, L.data(), n) == 0);
    return L;
  };
  require_dense(equations, factor(), with_inverse);
  for (auto _ : state) {
    const std::vector<double> L = factor();
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
