#include "reference/extract/normal_equations.hpp"

#include <algorithm>

#include <cblas.h>

namespace spex {
namespace {

// y and q, which need no formed A.
NormalEquations start_equations(const PatchSpots& spots, const PatchPixels& pixels) {
  NormalEquations equations;
  equations.n = spots.n();
  const auto n = static_cast<std::size_t>(equations.n);
  equations.N.assign(n * n, 0.0);
  std::vector<double> Wp(pixels.p.size());
  for (std::size_t i = 0; i < Wp.size(); ++i) Wp[i] = pixels.W[i] * pixels.p[i];
  equations.y = apply_transpose(spots, pixels.range, Wp);
  equations.q = apply_transpose(spots, pixels.range, pixels.W);
  return equations;
}

}  // namespace

NormalEquations assemble_sparse(const PatchSpots& spots, const PatchPixels& pixels) {
  NormalEquations equations = start_equations(spots, pixels);
  const SparseProjection A = make_sparse_projection(spots, pixels.range);
  const auto n = static_cast<std::ptrdiff_t>(equations.n);
  for (std::size_t i = 0; i < pixels.W.size(); ++i) {
    const double W = pixels.W[i];
    if (W == 0) continue;
    const auto begin = static_cast<std::size_t>(A.first[i]);
    const auto end = static_cast<std::size_t>(A.first[i + 1]);
    for (std::size_t k = begin; k < end; ++k) {
      double* column = equations.N.data() + A.bin[k] * n;
      const double WA = W * A.value[k];
      for (std::size_t j = k; j < end; ++j) column[A.bin[j]] += A.value[j] * WA;
    }
  }
  return equations;
}

NormalEquations assemble_dense(const PatchSpots& spots, const PatchPixels& pixels) {
  NormalEquations equations = start_equations(spots, pixels);
  const std::vector<DensePanel> A = make_dense_projection(spots, pixels.range);
  const int nwave = spots.nwave;
  const int ny = pixels.range.ny();
  const int nx = pixels.range.nx();
  std::vector<double> WA;
  for (int s = 0; s < spots.nspec; ++s) {
    const DensePanel& As = A[static_cast<std::size_t>(s)];
    if (As.rows == 0) continue;
    WA.resize(As.A.size());
    for (int w = 0; w < nwave; ++w)
      for (int x = As.x0; x < As.x1; ++x) {
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(w) * As.rows + (x - As.x0) * ny;
        const double* W = pixels.W.data() + (x - pixels.range.x0);
        for (int y = 0; y < ny; ++y) WA[first + y] = As.A[first + y] * W[y * nx];
      }
    for (int t = s; t < spots.nspec; ++t) {
      const DensePanel& At = A[static_cast<std::size_t>(t)];
      const int x0 = std::max(As.x0, At.x0);
      const int x1 = std::min(As.x1, At.x1);
      if (x0 >= x1) continue;
      // N[t, s] = A_t^T (W A_s) over the shared columns, which are contiguous rows of both panels.
      double* block =
          equations.N.data() + static_cast<std::ptrdiff_t>(s) * nwave * equations.n + t * nwave;
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, nwave, nwave, (x1 - x0) * ny, 1.0,
                  At.A.data() + (x0 - At.x0) * ny, At.rows, WA.data() + (x0 - As.x0) * ny, As.rows,
                  0.0, block, equations.n);
    }
  }
  return equations;
}

void add_prior(NormalEquations& equations, double regularize) {
  const double m = 1e-4 * *std::max_element(equations.q.begin(), equations.q.end());
  for (int j = 0; j < equations.n; ++j) {
    const double q = equations.q[static_cast<std::size_t>(j)];
    const double lambda = q <= m ? m - q : regularize;
    equations.N[static_cast<std::size_t>(j) * static_cast<std::size_t>(equations.n + 1)] +=
        lambda * lambda + 1e-15;
  }
}

}  // namespace spex
