#include "reference/tests/extract/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/core/count.hpp"

namespace spex::test {
namespace {

Matrix zeros(std::size_t rows, std::size_t columns) {
  return Matrix(rows, std::vector<Real>(columns, 0));
}

// The used pixels by section 3, as a list: extreme corners over all bins and over the core's
// wavelengths, rows cut by int(), everything cut to the CCD.
std::vector<std::pair<int, int>> used(const Patch& patch, const Spots& spots, const Pixels& pixels,
                                      double frac) {
  const auto padded = [&](int j) { return j % spots.nwave; };
  std::vector<int> x, all_y, core_y;
  for (int j = 0; j < spots.nspec * spots.nwave; ++j) {
    x.push_back(spots.xc[j]);
    all_y.push_back(spots.yc[j]);
    if (padded(j) >= patch.wavepad && padded(j) < patch.wavepad + patch.nwave)
      core_y.push_back(spots.yc[j]);
  }
  const auto least = [](const std::vector<int>& v) {
    return *std::min_element(v.begin(), v.end());
  };
  const auto most = [](const std::vector<int>& v) { return *std::max_element(v.begin(), v.end()); };
  const int ypadmin = least(all_y), ypadmax = most(all_y) + spots.ny;
  const int ymin = least(core_y), ymax = most(core_y) + spots.ny;
  const int lo = ypadmin + static_cast<int>((ymin - ypadmin) * (1 - frac));
  const int hi = ypadmin + static_cast<int>((ymax - ypadmin) + (ypadmax - ymax) * frac);
  std::vector<std::pair<int, int>> list;
  for (int row = lo; row < hi; ++row)
    for (int column = least(x); column < most(x) + spots.nx; ++column)
      if (row >= 0 && row < pixels.ny && column >= 0 && column < pixels.nx)
        list.emplace_back(row, column);
  return list;
}

Matrix projection(const Spots& spots, const std::vector<std::pair<int, int>>& list) {
  const std::size_t n = spots.nspec * spots.nwave;
  Matrix A = zeros(list.size(), n);
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const int y = list[i].first - spots.yc[j];
      const int x = list[i].second - spots.xc[j];
      if (y >= 0 && y < spots.ny && x >= 0 && x < spots.nx)
        A[i][j] = spots.value[j * static_cast<std::size_t>(spots.nx * spots.ny) +
                              static_cast<std::size_t>(y * spots.nx + x)];
    }
  return A;
}

Matrix block(const Matrix& A, std::size_t first, std::size_t size) {
  Matrix B = zeros(size, size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) B[i][j] = A[first + i][first + j];
  return B;
}

Real norm1(const Matrix& A) {
  Real largest = 0;
  for (const std::vector<Real>& row : A)
    largest =
        std::max(largest, std::accumulate(row.begin(), row.end(), Real{0},
                                          [](Real sum, Real a) { return sum + std::abs(a); }));
  return largest;
}

// Row sums r of Q; R = Q / r, ivar = r^2, flux = R f, all for the rows from `first` on.
void decorrelate(const Matrix& Q, std::size_t first, OracleResult& result) {
  for (std::size_t i = 0; i < Q.size(); ++i) {
    const Real r = std::accumulate(Q[i].begin(), Q[i].end(), Real{0});
    result.ivar[first + i] = r * r;
    for (std::size_t j = 0; j < Q.size(); ++j) {
      result.R[first + i][first + j] = Q[i][j] / r;
      result.flux[first + i] += Q[i][j] / r * result.f[first + j];
    }
  }
}

}  // namespace

Matrix inverse(Matrix A) {
  const std::size_t n = A.size();
  Matrix B = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) B[i][i] = 1;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(A[r][c]) > std::abs(A[pivot][c])) pivot = r;
    std::swap(A[c], A[pivot]);
    std::swap(B[c], B[pivot]);
    const Real d = A[c][c];
    for (std::size_t k = 0; k < n; ++k) A[c][k] /= d, B[c][k] /= d;
    for (std::size_t r = 0; r < n; ++r) {
      const Real factor = A[r][c];
      if (r == c || factor == 0) continue;
      for (std::size_t k = 0; k < n; ++k) A[r][k] -= factor * A[c][k], B[r][k] -= factor * B[c][k];
    }
  }
  return B;
}

Matrix symmetric_function(Matrix A, Real (*function)(Real)) {
  const std::size_t n = A.size();
  Matrix V = zeros(n, n);
  for (std::size_t i = 0; i < n; ++i) V[i][i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    Real off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        off += std::abs(A[p][q]);
        if (A[p][q] == 0) continue;
        const Real theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        const Real t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const Real kp = A[k][p], kq = A[k][q];
          A[k][p] = c * kp - s * kq, A[k][q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const Real pk = A[p][k], qk = A[q][k];
          A[p][k] = c * pk - s * qk, A[q][k] = s * pk + c * qk;
          const Real vp = V[k][p], vq = V[k][q];
          V[k][p] = c * vp - s * vq, V[k][q] = s * vp + c * vq;
        }
      }
    if (off == 0) break;
  }
  Real largest = A[0][0];
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, A[i][i]);
  Matrix B = zeros(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    const Real d = function(std::max(A[k][k], 1e-14L * largest));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) B[i][j] += V[i][k] * d * V[j][k];
  }
  return B;
}

OracleResult oracle(const Patch& patch, const Spots& spots, const Pixels& pixels,
                    const ExtractOptions& options, double psferr) {
  const auto list = used(patch, spots, pixels, options.pixpad_frac);
  const Matrix A = projection(spots, list);
  const std::size_t n = spots.nspec * spots.nwave;
  const std::size_t m = spots.nwave;
  const auto at = [&](const Reals& image, std::size_t i) {
    return static_cast<Real>(
        image[count_of(list[i].first, pixels.nx) + static_cast<std::size_t>(list[i].second)]);
  };
  OracleResult result;
  for (std::vector<Real>* v : {&result.f, &result.flux, &result.ivar, &result.chi2pix, &result.q})
    v->assign(n, 0);
  result.pixmask_fraction.assign(n, 1);
  result.R = zeros(n, n);
  result.model = zeros(static_cast<std::size_t>(pixels.ny), static_cast<std::size_t>(pixels.nx));

  Matrix N = zeros(n, n);
  std::vector<Real> y(n, 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Real W = at(pixels.weight, i);
    for (std::size_t j = 0; j < n; ++j) {
      y[j] += A[i][j] * W * at(pixels.value, i);
      result.q[j] += A[i][j] * W;
      if (W > 0) result.pixmask_fraction[j] -= A[i][j];
      for (std::size_t k = 0; k < n; ++k) N[j][k] += A[i][j] * W * A[i][k];
    }
  }
  const Real least = 1e-4L * *std::max_element(result.q.begin(), result.q.end());
  for (std::size_t j = 0; j < n; ++j) {
    const Real lambda = result.q[j] <= least ? least - result.q[j] : Real{options.regularize};
    N[j][j] += lambda * lambda + 1e-15L;
  }
  const Matrix C = inverse(N);
  result.condition = norm1(N) * norm1(C);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) result.f[j] += C[j][k] * y[k];
  if (options.decorrelate == Decorrelate::noise) {
    decorrelate(symmetric_function(N, [](Real u) { return std::sqrt(u); }), 0, result);
  } else {
    for (std::size_t s = 0; s < n / m; ++s)
      decorrelate(symmetric_function(block(C, s * m, m), [](Real u) { return 1 / std::sqrt(u); }),
                  s * m, result);
  }

  std::vector<Real> numerator(n, 0), denominator(n, 0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Real model = 0;
    for (std::size_t j = 0; j < n; ++j) {
      model += A[i][j] * result.f[j];
      const int s = static_cast<int>(j / m), w = static_cast<int>(j % m);
      if (s >= patch.pad_below && s < patch.pad_below + patch.nspec && w >= patch.wavepad &&
          w < patch.wavepad + patch.nkept)
        result.model[list[i].first][list[i].second] += A[i][j] * result.f[j];
    }
    const Real W = at(pixels.weight, i);
    if (W <= 0) continue;
    const Real t = 1 / (psferr * model * psferr * model + 1 / W);
    const Real residual = at(pixels.value, i) - model;
    for (std::size_t j = 0; j < n; ++j) {
      numerator[j] += A[i][j] * residual * residual * t;
      denominator[j] += A[i][j];
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    if (denominator[j] > 0) result.chi2pix[j] = numerator[j] / denominator[j];
  return result;
}

}  // namespace spex::test
