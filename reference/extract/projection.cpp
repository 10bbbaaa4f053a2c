#include "reference/extract/projection.hpp"

#include <algorithm>
#include <climits>
#include <numeric>

#include "reference/core/count.hpp"
#include "reference/linalg/projection_lanes.hpp"

namespace spex {
namespace {

// The part of a spot within the range, and the index of its first pixel in the range; no rows where
// the spot lies beyond.
struct PartOfRange {
  SpotPart A;
  std::size_t pixel;
};
PartOfRange part_of_range(const Spots& spots, std::size_t spot, const PixelRange& range) {
  const int nx = spots.nx;
  const int xc = spots.xc[spot];
  const int yc = spots.yc[spot];
  const int x0 = std::max(xc, range.x0);
  const int x1 = std::min(xc + nx, range.x1);
  const int y0 = std::max(yc, range.y0);
  const int y1 = std::min(yc + spots.ny, range.y1);
  if (x0 >= x1 || y0 >= y1) return {};
  const double* value = spots.value.data() + spot * count_of(nx, spots.ny);
  return {{x1 - x0, y1 - y0, nx, value + (y0 - yc) * nx + (x0 - xc)},
          count_of(y0 - range.y0, range.nx()) + count_of(x0 - range.x0)};
}

// Calls visit(j, part) for all bins j.
template <class Visit>
void for_each_bin(const PatchSpots& spots, const PixelRange& range, const Visit& visit) {
  for (int s = 0, j = 0; s < spots.nspec; ++s) {
    const std::size_t first = spots.spots->index(spots.spec0 + s, spots.wave0);
    for (int w = 0; w < spots.nwave; ++w, ++j)
      visit(j, part_of_range(*spots.spots, first + w, range));
  }
}

// Calls row(y, x_begin, count, spot values) for each row of bin j's spot within the range; x and y
// count from the range's corner.
template <class Row>
void for_each_row(const PatchSpots& spots, int j, const PixelRange& range, const Row& row) {
  const auto [A, pixel] = part_of_range(*spots.spots, spots.index(j), range);
  if (A.rows == 0 || range.nx() <= 0) return;
  const int x = static_cast<int>(pixel % count_of(range.nx()));
  const int y0 = static_cast<int>(pixel / count_of(range.nx()));
  for (int y = 0; y < A.rows; ++y) row(y0 + y, x, A.columns, A.spot + count_of(y, A.stride));
}

void copy_row(const double* from, int n, double* to) {
  std::copy_n(from, n, to);
}
void copy_row(const float* from, int n, double* to) {
  projection_kernels(instructions_in_use()).widen(n, from, to);
}

std::size_t pixel_count(const PixelRange& range) {
  return count_of(range.nx(), range.ny());
}

}  // namespace

PatchPixels cut_pixels(const Pixels& pixels, const PixelRange& range) {
  PatchPixels cut{range, std::vector<double>(pixel_count(range)),
                  std::vector<double>(pixel_count(range))};
  const auto copy = [&](const Reals& from, std::vector<double>& to) {
    from.visit([&](const auto& values) {
      for (int y = 0; y < range.ny() && range.nx() > 0; ++y)
        copy_row(values.data() + count_of(range.y0 + y, pixels.nx) + count_of(range.x0), range.nx(),
                 to.data() + count_of(y, range.nx()));
    });
  };
  copy(pixels.value, cut.p);
  copy(pixels.weight, cut.W);
  return cut;
}

std::vector<double> apply_transpose(const PatchSpots& spots, const PixelRange& range,
                                    const std::vector<double>& v) {
  const ProjectionKernels& kernels = projection_kernels(instructions_in_use());
  std::vector<double> result(spots.n());
  for_each_bin(spots, range, [&](int j, const PartOfRange& part) {
    result[j] = kernels.sum(part.A, v.data() + part.pixel, range.nx());
  });
  return result;
}

std::array<std::vector<double>, 2> apply_transpose(const PatchSpots& spots, const PixelRange& range,
                                                   const std::vector<double>& v,
                                                   const std::vector<double>& w) {
  const ProjectionKernels& kernels = projection_kernels(instructions_in_use());
  const std::size_t n = spots.n();
  std::array<std::vector<double>, 2> result{std::vector<double>(n), std::vector<double>(n)};
  for_each_bin(spots, range, [&](int j, const PartOfRange& part) {
    double sums[2];
    kernels.sums(part.A, v.data() + part.pixel, w.data() + part.pixel, range.nx(), sums);
    result[0][j] = sums[0];
    result[1][j] = sums[1];
  });
  return result;
}

std::vector<double> apply(const PatchSpots& spots, const PixelRange& range,
                          const std::vector<double>& f) {
  const ProjectionKernels& kernels = projection_kernels(instructions_in_use());
  std::vector<double> result(pixel_count(range));
  for_each_bin(spots, range, [&](int j, const PartOfRange& part) {
    kernels.add(part.A, f[j], result.data() + part.pixel, range.nx());
  });
  return result;
}

SparseProjection make_sparse_projection(const PatchSpots& spots, const PixelRange& range) {
  SparseProjection A;
  A.first.assign(pixel_count(range) + 1, 0);
  for (int j = 0; j < spots.n(); ++j)
    for_each_row(spots, j, range, [&](int y, int x, int count, const double*) {
      for (int k = 0; k < count; ++k) ++A.first[y * range.nx() + x + k + 1];
    });
  std::partial_sum(A.first.begin(), A.first.end(), A.first.begin());
  A.bin.resize(A.first.back());
  A.value.resize(A.bin.size());
  std::vector<int> next(A.first.begin(), A.first.end() - 1);
  for (int j = 0; j < spots.n(); ++j)
    for_each_row(spots, j, range, [&](int y, int x, int count, const double* a) {
      for (int k = 0; k < count; ++k) {
        const std::size_t entry = next[y * range.nx() + x + k]++;
        A.bin[entry] = j;
        A.value[entry] = a[k];
      }
    });
  return A;
}

DensePanel make_dense_panel(const PatchSpots& spots, int s, const PixelRange& band) {
  DensePanel panel;
  panel.x0 = panel.w0 = INT_MAX;
  panel.x1 = panel.w1 = INT_MIN;
  for (int w = 0; w < spots.nwave; ++w)
    for_each_row(spots, s * spots.nwave + w, band, [&](int, int x, int count, const double*) {
      panel.x0 = std::min(panel.x0, x + band.x0);
      panel.x1 = std::max(panel.x1, x + band.x0 + count);
      panel.w0 = std::min(panel.w0, w);
      panel.w1 = std::max(panel.w1, w + 1);
    });
  if (panel.x0 >= panel.x1) return {};
  panel.rows = (panel.x1 - panel.x0) * band.ny();
  panel.A.assign(count_of(panel.rows, panel.w1 - panel.w0), 0.0);
  for (int w = panel.w0; w < panel.w1; ++w) {
    double* column = panel.A.data() + static_cast<std::ptrdiff_t>(w - panel.w0) * panel.rows;
    for_each_row(spots, s * spots.nwave + w, band, [&](int y, int x, int count, const double* a) {
      const int first = x + band.x0 - panel.x0;
      for (int k = 0; k < count; ++k) column[(first + k) * band.ny() + y] = a[k];
    });
  }
  return panel;
}

}  // namespace spex
