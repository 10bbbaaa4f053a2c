#include "reference/extract/frame_equations.hpp"

#include <algorithm>
#include <numeric>

#include "reference/core/count.hpp"
#include "reference/model/extract_options.hpp"

namespace spex {
namespace {

PixelRange whole_ccd(const Pixels& pixels) {
  return {0, pixels.nx, 0, pixels.ny};
}

std::vector<int> all_bins(int n) {
  std::vector<int> bins(count_of(n));
  std::iota(bins.begin(), bins.end(), 0);
  return bins;
}

// A spot times the weights of its pixels, 0 off the CCD; and room for the sums of its columns.
struct WeightedSpot {
  std::vector<double> WA;
  std::vector<double> columns;
};
WeightedSpot make_weighted_spot(const Spots& spots) {
  return {std::vector<double>(count_of(spots.nx, spots.ny)),
          std::vector<double>(count_of(spots.nx))};
}
void weigh(const FiberSpots& spots, int w, const Pixels& pixels, std::vector<double>& WA) {
  const int nx = spots.spots->nx;
  const int ny = spots.spots->ny;
  const double* A = spots.spot(w);
  std::fill(WA.begin(), WA.end(), 0.0);
  const int x0 = std::max(spots.xc(w), 0);
  const int x1 = std::min(spots.xc(w) + nx, pixels.nx);
  pixels.weight.visit([&](const auto& weight) {
    for (int y = std::max(spots.yc(w), 0); y < std::min(spots.yc(w) + ny, pixels.ny); ++y)
      for (int x = x0; x < x1; ++x) {
        const int k = (y - spots.yc(w)) * nx + x - spots.xc(w);
        WA[k] = A[k] * static_cast<double>(weight[count_of(y, pixels.nx) + count_of(x)]);
      }
  });
}

// sum_i WA_i B_i, with WA at the pixels of spot w of s and B spot v of t. Columns are summed side
// by side, so that no addition waits for the one before.
double overlap(const FiberSpots& s, int w, WeightedSpot& spot, const FiberSpots& t, int v) {
  const int nx = s.spots->nx;
  const int ny = s.spots->ny;
  const int dx = t.xc(v) - s.xc(w);
  const int dy = t.yc(v) - s.yc(w);
  const int x0 = std::max(dx, 0);
  const int count = std::min(nx + dx, nx) - x0;
  if (count <= 0) return 0;
  double* const columns = spot.columns.data();
  std::fill_n(columns, count, 0.0);
  for (int y = std::max(dy, 0); y < std::min(ny + dy, ny); ++y) {
    const double* a = spot.WA.data() + y * nx + x0;
    const double* b = t.spot(v) + (y - dy) * nx + x0 - dx;
    for (int x = 0; x < count; ++x) columns[x] += a[x] * b[x];
  }
  return std::accumulate(columns, columns + count, 0.0);
}

}  // namespace

ExtendedGrid extended_grid(const ExtractOptions& options, const WaveGrid& grid) {
  const int wavepad = effective_wavepad(options.wavepad, options.wavepad_frac);
  return {-wavepad, grid.nwave + 2 * wavepad};
}

double overlap_of_spots(const Spots& spots, int s, int w, int t, int v) {
  const FiberSpots a{&spots, s, 0, spots.nwave};
  const FiberSpots b{&spots, t, 0, spots.nwave};
  WeightedSpot spot = make_weighted_spot(spots);
  std::copy_n(a.spot(w), spot.WA.size(), spot.WA.begin());
  return overlap(a, w, spot, b, v);
}

FiberEquations assemble_fiber(const FiberSpots& spots, const Pixels& pixels) {
  const int n = spots.nwave;
  const std::vector<RowCover> rows = row_covers(spots, whole_ccd(pixels));
  FiberEquations fiber;
  fiber.N = BandMatrix(n, std::max(reach_of(rows, rows), 0));
  fiber.y.assign(count_of(n), 0.0);
  fiber.q.assign(count_of(n), 0.0);
  assemble_bins(spots, pixels, all_bins(n), fiber);
  return fiber;
}

void assemble_bins(const FiberSpots& spots, const Pixels& pixels, const std::vector<int>& bins,
                   FiberEquations& fiber) {
  const int nx = spots.spots->nx;
  WeightedSpot spot = make_weighted_spot(*spots.spots);
  const std::vector<double>& WA = spot.WA;
  for (const int w : bins) {
    weigh(spots, w, pixels, spot.WA);
    fiber.y[w] = fiber.q[w] = 0;
    for (const double wa : WA) fiber.q[w] += wa;
    const int x0 = std::max(spots.xc(w), 0);
    const int x1 = std::min(spots.xc(w) + nx, pixels.nx);
    const int y1 = std::min(spots.yc(w) + spots.spots->ny, pixels.ny);
    pixels.value.visit([&](const auto& value) {
      for (int y = std::max(spots.yc(w), 0); y < y1; ++y)
        for (int x = x0; x < x1; ++x)
          fiber.y[w] += WA[(y - spots.yc(w)) * nx + x - spots.xc(w)] *
                        static_cast<double>(value[count_of(y, pixels.nx) + count_of(x)]);
    });
    for (int d = 0; d <= fiber.N.reach && w + d < spots.nwave; ++d)
      fiber.N.at(w, d) = overlap(spots, w, spot, spots, w + d);
  }
}

FiberCoupling assemble_coupling(const FiberSpots& s, const FiberSpots& t, const Pixels& pixels) {
  FiberCoupling N;
  N.nwave = s.nwave;
  const int reach = reach_of(row_covers(s, whole_ccd(pixels)), row_covers(t, whole_ccd(pixels)));
  if (reach < 0) return N;
  N.reach = reach;
  N.a.assign(count_of(N.nwave, 2 * reach + 1), 0.0);
  assemble_rows(s, t, pixels, all_bins(N.nwave), N);
  if (std::all_of(N.a.begin(), N.a.end(), [](double a) { return a == 0; })) {
    N.a.clear();
    N.reach = -1;
  }
  return N;
}

void assemble_rows(const FiberSpots& s, const FiberSpots& t, const Pixels& pixels,
                   const std::vector<int>& bins, FiberCoupling& coupling) {
  if (coupling.is_zero()) return;  // less weight cannot change that
  const int reach = coupling.reach;
  WeightedSpot spot = make_weighted_spot(*s.spots);
  for (const int w : bins) {
    weigh(s, w, pixels, spot.WA);
    double* const row = coupling.a.data() + count_of(w, 2 * reach + 1);
    for (int v = std::max(w - reach, 0); v <= std::min(w + reach, coupling.nwave - 1); ++v)
      row[v - w + reach] = overlap(s, w, spot, t, v);
  }
}

void FiberCoupling::subtract(const double* f, double* x) const {
  visit([&](int w, int v, double N) { x[w] -= N * f[v]; });
}

void FiberCoupling::subtract_transposed(const double* f, double* x) const {
  visit([&](int w, int v, double N) { x[v] -= N * f[w]; });
}

}  // namespace spex
