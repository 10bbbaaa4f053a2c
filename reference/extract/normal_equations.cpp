#include "reference/extract/normal_equations.hpp"

#include <algorithm>
#include <utility>

#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"

namespace spex {
namespace {

// y and q, which need no formed A.
NormalEquations start_equations(const PatchSpots& spots, const PatchPixels& pixels) {
  NormalEquations equations;
  equations.n = spots.n();
  const std::size_t n = equations.n;
  equations.N.assign(n * n, 0.0);
  std::vector<double> Wp(pixels.p.size());
  for (std::size_t i = 0; i < Wp.size(); ++i) Wp[i] = pixels.W[i] * pixels.p[i];
  auto [y, q] = apply_transpose(spots, pixels.range, Wp, pixels.W);
  equations.y = std::move(y);
  equations.q = std::move(q);
  return equations;
}

// W A_s.
DensePanel weighted(const DensePanel& As, const PixelRange& band, const PatchPixels& pixels) {
  DensePanel WAs = As;
  const int ny = band.ny();
  const int nx = pixels.range.nx();
  for (int w = As.w0; w < As.w1; ++w)
    for (int x = As.x0; x < As.x1; ++x) {
      double* a = WAs.A.data() + static_cast<std::ptrdiff_t>(w - As.w0) * As.rows +
                  static_cast<std::ptrdiff_t>(x - As.x0) * ny;
      const double* W = pixels.W.data() +
                        static_cast<std::ptrdiff_t>(band.y0 - pixels.range.y0) * nx +
                        (x - pixels.range.x0);
      for (int y = 0; y < ny; ++y) a[y] *= W[static_cast<std::ptrdiff_t>(y) * nx];
    }
  return WAs;
}

// N[t, s] += A_t^T (W A_s) over the CCD columns that both panels hold, contiguous rows of each.
void add_product(const DensePanel& At, int t, const DensePanel& WAs, int s, int ny, int nwave,
                 NormalEquations& equations) {
  const int x0 = std::max(WAs.x0, At.x0);
  const int x1 = std::min(WAs.x1, At.x1);
  if (x0 >= x1) return;
  const auto n = static_cast<std::ptrdiff_t>(equations.n);
  double* block = equations.N.data() + (s * nwave + WAs.w0) * n + t * nwave + At.w0;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, At.w1 - At.w0, WAs.w1 - WAs.w0,
              (x1 - x0) * ny, 1.0, At.A.data() + static_cast<std::ptrdiff_t>(x0 - At.x0) * ny,
              At.rows, WAs.A.data() + static_cast<std::ptrdiff_t>(x0 - WAs.x0) * ny, WAs.rows, 1.0,
              block, equations.n);
}

}  // namespace

NormalEquations assemble_sparse(const PatchSpots& spots, const PatchPixels& pixels) {
  NormalEquations equations = start_equations(spots, pixels);
  const SparseProjection A = make_sparse_projection(spots, pixels.range);
  const auto n = static_cast<std::ptrdiff_t>(equations.n);
  for (std::size_t i = 0; i < pixels.W.size(); ++i) {
    const double W = pixels.W[i];
    if (W == 0) continue;
    const std::size_t begin = A.first[i];
    const std::size_t end = A.first[i + 1];
    for (std::size_t k = begin; k < end; ++k) {
      double* column = equations.N.data() + A.bin[k] * n;
      const double WA = W * A.value[k];
      for (std::size_t j = k; j < end; ++j) column[A.bin[j]] += A.value[j] * WA;
    }
  }
  return equations;
}

std::vector<PixelRange> row_bands(const PixelRange& range) {
  std::vector<PixelRange> bands;
  for (int y0 = range.y0; y0 < range.y1; y0 += band_rows)
    bands.push_back({range.x0, range.x1, y0, std::min(y0 + band_rows, range.y1)});
  return bands;
}

NormalEquations assemble_dense(const PatchSpots& spots, const PatchPixels& pixels) {
  NormalEquations equations = start_equations(spots, pixels);
  for (const PixelRange& band : row_bands(pixels.range)) {
    std::vector<DensePanel> A;
    for (int s = 0; s < spots.nspec; ++s) A.push_back(make_dense_panel(spots, s, band));
    for (int s = 0; s < spots.nspec; ++s) {
      const DensePanel& As = A[s];
      const DensePanel WAs = weighted(As, band, pixels);
      for (int t = s; t < spots.nspec; ++t)
        add_product(A[t], t, WAs, s, band.ny(), spots.nwave, equations);
    }
  }
  return equations;
}

double prior_scale(const std::vector<double>& q) {
  return 1e-4 * *std::max_element(q.begin(), q.end());
}

double prior(double q, double m, double regularize) {
  const double lambda = q <= m ? m - q : regularize;
  return lambda * lambda + 1e-15;
}

void add_prior(NormalEquations& equations, double regularize) {
  const double m = prior_scale(equations.q);
  for (int j = 0; j < equations.n; ++j)
    equations.N[count_of(j, equations.n + 1)] += prior(equations.q[j], m, regularize);
}

void add_prior(BandEquations& equations, double regularize) {
  const double m = prior_scale(equations.q);
  BlockBands& N = equations.N;
  for (int s = 0; s < N.nspec(); ++s)
    for (int w = 0; w < N.m(); ++w)
      N.column(s, s, w)[N.reach()] +=
          prior(equations.q[count_of(s, N.m()) + count_of(w)], m, regularize);
}

BandEquations by_spectra(const NormalEquations& equations, int nwave) {
  return {BlockBands(equations.N, equations.n, nwave), equations.y, equations.q};
}

NormalEquations whole(const BandEquations& equations) {
  return {equations.N.n(), equations.N.dense(), equations.y, equations.q};
}

}  // namespace spex
