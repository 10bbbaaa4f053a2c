#include "reference/extract/decorrelate.hpp"

#include <algorithm>
#include <cmath>

#include <cblas.h>

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
double inverse_root(double u) {
  return 1 / std::sqrt(u);
}

bool all_finite(const std::vector<double>& v) {
  return std::all_of(v.begin(), v.end(), [](double a) { return std::isfinite(a); });
}

bool all_finite(const Decorrelated& result) {
  return all_finite(result.f) && all_finite(result.flux) && all_finite(result.ivar) &&
         std::all_of(result.R.begin(), result.R.end(),
                     [](const std::vector<double>& R) { return all_finite(R); });
}

// Adds one spectrum: with row sums r of Q, R = Q / r row by row and ivar = r^2. Q becomes R.
// `flux_of_row(i)` is row i of Q times f.
template <class QTimesF>
void add_spectrum(std::vector<double>&& Q, int m, const std::vector<double>& r,
                  const QTimesF& Q_times_f, Decorrelated& result) {
  for (int row = 0; row < m; ++row) {
    const double rj = r[static_cast<std::size_t>(row)];
    result.ivar.push_back(rj * rj);
    result.flux.push_back(Q_times_f(row) / rj);
    for (int column = 0; column < m; ++column) Q[static_cast<std::size_t>(column * m + row)] /= rj;
  }
  result.R.push_back(std::move(Q));
}

// signal: R_s, flux and ivar of one spectrum from its block C_s (BS 10-13 within the spectrum).
bool add_signal_block(const std::vector<double>& C, int m, int first, Decorrelated& result) {
  Eigen eigen;
  if (!decompose(C, m, eigen)) return false;
  clip_eigenvalues(eigen);
  std::vector<double> Q;
  eigen_block(eigen, transformed(eigen.u, inverse_root), 0, m, Q);
  const double* f = result.f.data() + first;
  std::vector<double> r(static_cast<std::size_t>(m), 0.0);
  std::vector<double> Qf(static_cast<std::size_t>(m), 0.0);
  for (int column = 0; column < m; ++column)
    for (int row = 0; row < m; ++row) {
      const double q = Q[static_cast<std::size_t>(column * m + row)];
      r[static_cast<std::size_t>(row)] += q;
      Qf[static_cast<std::size_t>(row)] += q * f[column];
    }
  add_spectrum(
      std::move(Q), m, r, [&](int row) { return Qf[static_cast<std::size_t>(row)]; }, result);
  return true;
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
        std::move(Q), m, rows, [&](int row) { return Qf[static_cast<std::size_t>(s * m + row)]; },
        result);
  }
}

// Block of a symmetric matrix given by its lower triangle.
std::vector<double> symmetric_block(const std::vector<double>& C, int n, int first, int m) {
  std::vector<double> block(static_cast<std::size_t>(m) * static_cast<std::size_t>(m));
  for (int column = 0; column < m; ++column)
    for (int row = column; row < m; ++row) {
      const double c = C[static_cast<std::size_t>(first + column) * static_cast<std::size_t>(n) +
                         static_cast<std::size_t>(first + row)];
      block[static_cast<std::size_t>(column * m + row)] = c;
      block[static_cast<std::size_t>(row * m + column)] = c;
    }
  return block;
}

}  // namespace

bool decorrelate_eigh(const NormalEquations& equations, Decorrelate decorrelate,
                      const BlockRange& blocks, Decorrelated& result, StageTimes& times) {
  result = {};
  Eigen eigen;
  std::vector<double> d;
  {
    const StageTimer timer(times, Stage::solve);
    if (!decompose(equations.N, equations.n, eigen)) return false;
    clip_eigenvalues(eigen);
    if (!(eigen.u.front() > 0)) return false;
    d = transformed(eigen.u, inverse);
    eigen_apply(eigen, d, equations.y, result.f);
  }
  const StageTimer timer(times, Stage::decorrelate);
  if (decorrelate == Decorrelate::noise) {
    add_noise_blocks(eigen, blocks, result);
  } else {
    const int m = blocks.nwave;
    for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s) {
      std::vector<double> C;
      eigen_block(eigen, d, s * m, m, C);
      if (!add_signal_block(C, m, s * m, result)) return false;
    }
  }
  return all_finite(result);
}

bool decorrelate_cholesky(const NormalEquations& equations, Decorrelate decorrelate,
                          const BlockRange& blocks, Decorrelated& result, StageTimes& times) {
  result = {};
  const int n = equations.n;
  std::vector<double> C = equations.N;  // becomes L, then C
  {
    const StageTimer timer(times, Stage::solve);
    const double norm1 = symmetric_norm1(equations.N, n);
    if (!cholesky_factor(C, n)) return false;
    if (!(reciprocal_condition(C, n, norm1) > 1 / cholesky_condition_bound)) return false;
    result.f = equations.y;
    cholesky_solve(C, n, result.f);
  }
  const StageTimer timer(times, Stage::decorrelate);
  if (decorrelate == Decorrelate::noise) {
    Eigen eigen;
    if (!decompose(equations.N, n, eigen)) return false;
    clip_eigenvalues(eigen);
    add_noise_blocks(eigen, blocks, result);
  } else {
    if (!cholesky_inverse(C, n)) return false;
    const int m = blocks.nwave;
    for (int s = blocks.spec_first; s < blocks.spec_first + blocks.nspec; ++s)
      if (!add_signal_block(symmetric_block(C, n, s * m, m), m, s * m, result)) return false;
  }
  return all_finite(result);
}

}  // namespace spex
