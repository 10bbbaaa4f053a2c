#include "reference/extract/normal_equations.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "reference/core/count.hpp"
#include "reference/core/lapack.hpp"
#include "reference/core/simd/aligned.hpp"
#include "reference/extract/prior.hpp"
#include "reference/extract/row_cover.hpp"
#include "reference/linalg/band_lanes.hpp"
#include "reference/linalg/projection_lanes.hpp"

namespace spex {
namespace {

// y and q, which need no formed A.
std::array<std::vector<double>, 2> sums_over_pixels(const PatchSpots& spots,
                                                    const PatchPixels& pixels) {
  std::vector<double> Wp(pixels.p.size());
  for (std::size_t i = 0; i < Wp.size(); ++i) Wp[i] = pixels.W[i] * pixels.p[i];
  return apply_transpose(spots, pixels.range, Wp, pixels.W);
}

NormalEquations start_equations(const PatchSpots& spots, const PatchPixels& pixels) {
  auto [y, q] = sums_over_pixels(spots, pixels);
  const int n = spots.n();
  return {n, std::vector<double>(count_of(n, n), 0.0), std::move(y), std::move(q)};
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

// A panel of spectrum s.
struct PanelOf {
  const DensePanel& panel;
  int s;
};

// N[t, s] += A_t^T (W A_s) over the CCD columns that both panels hold, contiguous rows of each.
void add_product(PanelOf upper, PanelOf weighted, int ny, int nwave, NormalEquations& equations) {
  const auto& [At, t] = upper;
  const auto& [WAs, s] = weighted;
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

// What the spectra of a patch have in one row of pixels after the other.
class RowsOfSpectra {
 public:
  RowsOfSpectra(const PatchSpots& spots, const PixelRange& range) : range_(range) {
    int lanes = 0;
    for (int s = 0; s < spots.nspec; ++s) {
      spots_.push_back({spots.spots, spots.spec0 + s, spots.wave0, spots.nwave});
      covers_.push_back(row_covers(spots_.back(), range));
      for (const RowCover& cover : covers_.back())
        lanes = std::max(lanes, whole_groups(cover.bins()));
    }
    const std::size_t numbers = count_of(range.nx(), lanes);
    A_.assign(spots_.size(), AlignedDoubles(numbers));
    WA_ = AlignedDoubles(numbers);
  }

  // N without an element, as wide as spots overlap.
  [[nodiscard]] BlockBands zero_bands() const {
    const int nspec = static_cast<int>(spots_.size());
    int reach = 1, apart = 0;
    for (int s = 0; s < nspec; ++s)
      for (int t = s; t < nspec; ++t) {
        const int of_pair = reach_of(covers_[s], covers_[t]);
        reach = std::max(reach, of_pair);
        if (of_pair >= 0) apart = std::max(apart, t - s);
      }
    return {nspec, spots_.front().nwave, reach, apart};
  }

  // N += A^T W A of row y of the range, whose weights are W.
  void add_products(int y, const double* W, BlockBands& N) {
    const int nspec = static_cast<int>(spots_.size());
    for (int s = 0; s < nspec; ++s) put_row(s, y);
    for (int s = 0; s < nspec; ++s) {
      const RowCover& of_s = covers_[s][y];
      if (of_s.columns() == 0) continue;
      kernels_.weigh(row(s, y), of_s.columns(), W + (of_s.x0 - range_.x0), WA_.data());
      for (int t = s; t <= std::min(s + N.apart(), nspec - 1); ++t) add_pair(t, s, y, N);
    }
  }

 private:
  [[nodiscard]] RowOfA row(int s, int y) const {
    const int bins = covers_[s][y].bins();
    return {bins, whole_groups(bins), A_[s].data()};
  }

  void put_row(int s, int y) {
    const RowCover& cover = covers_[s][y];
    const FiberSpots& spots = spots_[s];
    const int nx = spots.spots->nx;
    bins_.clear();
    for (int w = cover.w0; w < cover.w1; ++w) {
      const int row = range_.y0 + y - spots.yc(w), xc = spots.xc(w);
      const int x0 = std::max(xc, cover.x0), x1 = std::min(xc + nx, cover.x1);
      const bool reaches = row >= 0 && row < spots.spots->ny && x0 < x1;
      bins_.push_back(reaches
                          ? BinOfRow{x0 - cover.x0, x1 - x0, spots.spot(w) + row * nx + (x0 - xc)}
                          : BinOfRow{});
    }
    if (!bins_.empty()) kernels_.put_row(bins_.data(), cover.bins(), cover.columns(), A_[s].data());
  }

  // Adds the products over the columns that spectra s and t share in row y; WA_ belongs to s.
  void add_pair(int t, int s, int y, BlockBands& N) {
    const RowCover& of_s = covers_[s][y];
    const RowCover& of_t = covers_[t][y];
    const int x0 = std::max(of_s.x0, of_t.x0), x1 = std::min(of_s.x1, of_t.x1);
    if (x0 >= x1) return;
    RowOfA of_A = row(t, y), of_WA = row(s, y);
    of_A.A += count_of(x0 - of_t.x0, of_A.lanes);
    of_WA.A = WA_.data() + count_of(x0 - of_s.x0, of_WA.lanes);
    double* first = N.column(t, s, of_s.w0) + N.reach() + of_t.w0 - of_s.w0;
    kernels_.add_products(of_A, of_WA, x1 - x0, first, N.stride() - 1);
  }

  PixelRange range_;
  std::vector<FiberSpots> spots_;
  std::vector<std::vector<RowCover>> covers_;  // [spectrum][row]
  std::vector<AlignedDoubles> A_;              // of each spectrum, the row of the last put_row
  AlignedDoubles WA_;                          // of one spectrum
  std::vector<BinOfRow> bins_;                 // of the last put_row
  const ProjectionKernels& kernels_ = projection_kernels(instructions_in_use());
};

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
        add_product({A[t], t}, {WAs, s}, band.ny(), spots.nwave, equations);
    }
  }
  return equations;
}

BandEquations assemble_bands(const PatchSpots& spots, const PatchPixels& pixels) {
  auto [y, q] = sums_over_pixels(spots, pixels);
  RowsOfSpectra rows(spots, pixels.range);
  BlockBands N = rows.zero_bands();
  const int nx = pixels.range.nx();
  for (int row = 0; row < pixels.range.ny(); ++row)
    rows.add_products(row, pixels.W.data() + count_of(row, nx), N);
  N.mirror_diagonal_blocks();
  return {std::move(N), std::move(y), std::move(q)};
}

double prior_scale(const std::vector<double>& q) {
  return 1e-4 * *std::max_element(q.begin(), q.end());
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
