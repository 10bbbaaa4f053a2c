#include "reference/extract/decorrelate.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>

#include "reference/core/all_finite.hpp"
#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/linalg/block_tridiagonal.hpp"
#include "reference/linalg/symmetric.hpp"

namespace spex {
namespace {

std::vector<double> transformed(const std::vector<double>& u, double (*function)(double)) {
  std::vector<double> d(u.size());
  std::transform(u.begin(), u.end(), d.begin(), function);
  return d;
}

double inverse(double u) {
  return 1 / u;
}
double root(double u) {
  return std::sqrt(u);
}
double inverse_of_root(double u) {
  return 1 / std::sqrt(u);
}

// Adds one spectrum: with row sums r of Q, R = Q / r row by row and ivar = r^2. `Q_times_f(i)` is
// row i of Q times f.
template <class QTimesF>
void add_spectrum(const std::vector<double>& Q, int m, const std::vector<double>& r,
                  const QTimesF& Q_times_f, Decorrelated& result) {
  AlignedDoubles R(Q.size());
  for (int row = 0; row < m; ++row) {
    const double rj = r[row];
    result.ivar.push_back(rj * rj);
    result.flux.push_back(Q_times_f(row) / rj);
    for (int column = 0; column < m; ++column) R[column * m + row] = Q[column * m + row] / rj;
  }
  result.R.push_back(std::move(R));
}

bool decompose(EighRoutine routine, const std::vector<double>& A, int n, Eigen& eigen) {
  switch (routine) {
    case EighRoutine::dsyevd:
      return decompose(A, n, eigen);
    case EighRoutine::dsyevr:
      return decompose_by_dsyevr(A, n, eigen);
    default:
      throw std::logic_error("the routine is not LAPACK's");
  }
}

// C^(-1/2) as the definition has it.
bool clipped_inverse_root(EighRoutine routine, const std::vector<double>& C, int m,
                          std::vector<double>& Q) {
  Eigen eigen;
  if (!decompose(routine, C, m, eigen)) return false;
  clip_eigenvalues(eigen);
  eigen_block(eigen, transformed(eigen.u, inverse_of_root), 0, m, Q);
  return true;
}

// signal: R_s, flux and ivar of one spectrum from Q_s (BS 11-13 within the spectrum).
void add_signal_block(const std::vector<double>& Q, int m, int first, Decorrelated& result) {
  const double* f = result.f.data() + first;
  std::vector<double> r(m, 0.0);
  std::vector<double> Qf(m, 0.0);
  for (int column = 0; column < m; ++column)
    for (int row = 0; row < m; ++row) {
      const double q = Q[column * m + row];
      r[row] += q;
      Qf[row] += q * f[column];
    }
  add_spectrum(
      Q, m, r, [&](int row) { return Qf[row]; }, result);
}

// noise: Q = N^(1/2) of the whole patch; row sums and flux run over all its bins, and the stored
// resolution is the spectrum's own block.
void add_noise_blocks(const Eigen& eigen, const BlockRange& blocks, Decorrelated& result) {
  const std::vector<double> d = transformed(eigen.u, root);
  std::vector<double> r;
  std::vector<double> Qf;
  eigen_apply(eigen, d, std::vector<double>(static_cast<std::size_t>(eigen.n), 1.0), r);
  eigen_apply(eigen, d, result.f, Qf);
  const int m = blocks.nwave;
  for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s) {
    std::vector<double> Q;
    eigen_block(eigen, d, s * m, m, Q);
    const std::vector<double> rows(r.begin() + s * m, r.begin() + (s + 1) * m);
    add_spectrum(
        Q, m, rows, [&](int row) { return Qf[s * m + row]; }, result);
  }
}

// N with its bins in the order of wavelength, row w nspec + s: bins that are farther apart in
// wavelength than spots are high share no pixel, so that N is a band, and block-tridiagonal.
BlockTridiagonal banded(const NormalEquations& equations, int nwave) {
  const int n = equations.n;
  const int nspec = n / nwave;
  const auto N = [&](int row, int column) { return equations.N[count_of(column, n) + row]; };
  int reach = 1;  // in bins of wavelength
  for (int column = 0; column < n; ++column)
    for (int row = column; row < n; ++row)
      if (N(row, column) != 0) reach = std::max(reach, std::abs(row % nwave - column % nwave));

  BlockTridiagonal A(n, reach * nspec);
  for (int s = 0; s < nspec; ++s)
    for (int t = s; t < nspec; ++t)
      for (int v = 0; v < nwave; ++v)
        for (int w = std::max(0, v - reach); w <= std::min(nwave - 1, v + reach); ++w) {
          if (s == t && w < v) continue;
          const int i = w * nspec + t;
          const int j = v * nspec + s;
          A.at(std::max(i, j), std::min(i, j)) = N(t * nwave + w, s * nwave + v);
        }
  return A;
}

// f = N^-1 y, spectrum-major as y is.
std::vector<double> solve(const BlockTridiagonal& L, const std::vector<double>& y, int nwave) {
  const int nspec = L.n() / nwave;
  std::vector<double> x(y.size());
  for (int j = 0; j < L.n(); ++j) x[j % nwave * nspec + j / nwave] = y[j];
  L.solve(x);
  std::vector<double> f(y.size());
  for (int j = 0; j < L.n(); ++j) f[j] = x[j % nwave * nspec + j / nwave];
  return f;
}

// C_s of the wanted spectra: C = L^-T L^-1, so that C_s = X_s^T X_s with X_s the columns of
// L^-1 that belong to the spectrum.
std::vector<std::vector<double>> covariance_blocks(const BlockTridiagonal& L,
                                                   const BlockRange& blocks) {
  const int m = blocks.nwave;
  const int nspec = L.n() / m;
  std::vector<int> unit_row;  // of column w blocks.nspec + s
  for (int w = 0; w < m; ++w)
    for (int s = 0; s < blocks.nspec; ++s) unit_row.push_back(w * nspec + blocks.spec_first + s);

  const auto size = count_of(m, m);
  std::vector<std::vector<double>> C(blocks.nspec, std::vector<double>(size, 0.0));
  L.forward_solve_units(unit_row, [&](int b, const double* X, int ncolumns) {
    for (int s = 0; s < blocks.nspec; ++s) {
      const int nwave = (ncolumns - s + blocks.nspec - 1) / blocks.nspec;
      if (nwave <= 0) continue;
      cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, nwave, L.rows(b), 1.0,
                  X + static_cast<std::ptrdiff_t>(s) * L.size(), blocks.nspec * L.size(), 1.0,
                  C[s].data(), m);
    }
  });
  return C;
}

}  // namespace

bool all_finite(const Decorrelated& result, const BlockRange& blocks) {
  const int m = blocks.nwave;
  const auto is_finite_in_band = [&](const AlignedDoubles& R) {
    for (int column = 0; column < m; ++column) {
      const int first = std::max(0, column - blocks.ndiag);
      const int end = std::min(m, column + blocks.ndiag + 1);
      const std::span rows(R.data() + count_of(column, m), count_of(end));
      if (!all_finite(rows.subspan(count_of(first)))) return false;
    }
    return true;
  };
  return all_finite(result.f) && all_finite(result.flux) && all_finite(result.ivar) &&
         std::ranges::all_of(result.R, is_finite_in_band);
}

bool decorrelate_eigh(const NormalEquations& equations, Decorrelate decorrelate,
                      const BlockRange& blocks, Decorrelated& result, StageTimes& times,
                      const EighChoices& choices) {
  const auto& [replace_f, routine] = choices;
  result = {};
  Eigen eigen;
  std::vector<double> d;
  {
    const StageTimer timer(times, Stage::solve);
    if (!decompose(routine, equations.N, equations.n, eigen)) return false;
    clip_eigenvalues(eigen);
    if (!(eigen.u.front() > 0)) return false;
    result.condition = eigen.u.back() / eigen.u.front();
    d = transformed(eigen.u, inverse);
    eigen_apply(eigen, d, equations.y, result.f);
    if (replace_f) replace_f(result.f);
  }
  const StageTimer timer(times, Stage::decorrelate);
  if (decorrelate == Decorrelate::noise) {
    add_noise_blocks(eigen, blocks, result);
  } else {
    const int m = blocks.nwave;
    for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s) {
      std::vector<double> C;
      std::vector<double> Q;
      eigen_block(eigen, d, s * m, m, C);
      if (!clipped_inverse_root(routine, C, m, Q)) return false;
      add_signal_block(Q, m, s * m, result);
    }
  }
  return all_finite(result, blocks);
}

CholeskyOutcome decorrelate_cholesky(const BandEquations& equations, Decorrelate decorrelate,
                                     const BlockRange& blocks, Decorrelated& result,
                                     StageTimes& times, const ReplaceF& replace_f) {
  if (decorrelate == Decorrelate::signal &&
      decorrelate_fibers(equations, blocks, result, times, replace_f) == FiberGuard::none)
    return CholeskyOutcome::by_spectra;
  return decorrelate_whole_patch(whole(equations), decorrelate, blocks, result, times, replace_f)
             ? CholeskyOutcome::whole_patch
             : CholeskyOutcome::failed;
}

bool decorrelate_whole_patch(const NormalEquations& equations, Decorrelate decorrelate,
                             const BlockRange& blocks, Decorrelated& result, StageTimes& times,
                             const ReplaceF& replace_f) {
  result = {};
  std::vector<std::vector<double>> C;
  {
    const StageTimer timer(times, Stage::solve);
    BlockTridiagonal L = banded(equations, blocks.nwave);
    const double norm1 = L.norm1();
    if (!L.factor()) return false;
    if (!(norm1 * L.inverse_norm1_estimate() < cholesky_condition_bound)) return false;
    result.f = solve(L, equations.y, blocks.nwave);
    if (replace_f) replace_f(result.f);
    if (decorrelate == Decorrelate::signal) C = covariance_blocks(L, blocks);
  }
  const StageTimer timer(times, Stage::decorrelate);
  if (decorrelate == Decorrelate::noise) {
    Eigen eigen;
    if (!decompose(equations.N, equations.n, eigen)) return false;
    clip_eigenvalues(eigen);
    add_noise_blocks(eigen, blocks, result);
  } else {
    const int m = blocks.nwave;
    for (int s = 0; s < blocks.nspec; ++s) {
      std::vector<double> Q;
      if (!inverse_root(C[s], m, Q)) return false;
      add_signal_block(Q, m, (blocks.spec_first + s) * m, result);
    }
  }
  return all_finite(result, blocks);
}

}  // namespace spex
