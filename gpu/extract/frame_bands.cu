#include <climits>

#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/core/warp.cuh"
#include "gpu/extract/frame_bands.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int warps = 4;
constexpr int tile = 8;               // bins, the side of a fragment
constexpr int ahead = 3;              // steps of four pixels that are loaded together
constexpr int nowhere = INT_MIN / 2;  // a corner that no pixel is near

// A row of pixels of a spot.
struct Row {
  const double* value;  // from column xc on
  int xc;
  unsigned width;  // 0 where the spot has no pixel of the row

  __device__ double at(int x) const {
    const unsigned dx = x - xc;
    return dx < width ? value[dx] : 0.0;
  }
};

// Eight bins of a fiber, a bin the lanes of one row of a fragment, and where any of them has light.
struct Tile {
  const double* value;  // of the lane's bin
  int nx, ny;
  int xc, yc;
  int x0, x1, y0, y1;

  // Row y of the lane's spot.
  __device__ Row row(int y) const {
    const unsigned dy = y - yc;
    return dy < static_cast<unsigned>(ny) ? Row{value + dy * nx, xc, static_cast<unsigned>(nx)}
                                          : Row{value, xc, 0};
  }
  __device__ bool has_row(int y) const { return y >= y0 && y < y1; }
};

__device__ Tile make_tile(const SpotsView& spots, int s, int first) {
  constexpr unsigned all = 0xffffffffU;
  const int v = first + fragment_lane().g;
  const bool valid = v >= 0 && v < spots.nwave;
  const size_t k = static_cast<size_t>(s) * spots.nwave + (valid ? v : 0);
  const size_t corner = static_cast<size_t>(spots.first_spec) * spots.nwave + k;
  Tile t{};
  t.value = spots.value + k * spots.nx * spots.ny;
  t.nx = spots.nx, t.ny = spots.ny;
  t.xc = valid ? spots.xc[corner] : nowhere;
  t.yc = valid ? spots.yc[corner] : nowhere;
  t.x0 = __reduce_min_sync(all, valid ? t.xc : INT_MAX);
  t.y0 = __reduce_min_sync(all, valid ? t.yc : INT_MAX);
  t.x1 = __reduce_max_sync(all, valid ? t.xc + t.nx : INT_MIN);
  t.y1 = __reduce_max_sync(all, valid ? t.yc + t.ny : INT_MIN);
  return t;
}

// Products of the spots of fiber u in some tiles, from `Below` before that of the columns on, with
// weighted spots of the columns: rows by columns, summed over pixels. Without tiles below, the
// first tile is that of the columns.
template <int Below, int Tiles>
struct Products {
  Tile rows[Tiles];
  int x0 = INT_MAX, x1 = INT_MIN;     // where there is light
  double c[(Tiles + 1) / 2][4] = {};  // of two tiles each

  __device__ Products(const SpotsView& spots, int u, int first) {
#pragma unroll
    for (int j = 0; j < Tiles; ++j) {
      rows[j] = make_tile(spots, u, first + (j - Below) * tile);
      x0 = min(x0, rows[j].x0), x1 = max(x1, rows[j].x1);
    }
  }
  // Element k of the lane's two in tile j.
  __device__ double& element(int j, int k) {
    return c[j / 2][j % 2 * 2 + k];
  }

  // Adds steps of four pixels of row y, from `left` on. `a` are the columns' spots, `weighted`
  // those with their weights.
  __device__ void add(int y, int left, const double (&a)[ahead], const double (&weighted)[ahead]) {
    if (left >= x1 || left + 4 * ahead <= x0) return;
    const int t = fragment_lane().t;
#pragma unroll
    for (int j = 0; j < Tiles; j += 2) {
      constexpr int last = Tiles - 1;
      const Tile& low = rows[j];
      const Tile& high = rows[min(j + 1, last)];
      if (!low.has_row(y) && !high.has_row(y)) continue;
      const Row of_low = low.row(y), of_high = high.row(y);
      double value[2][ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const int x = left + 4 * k + t;
        value[0][k] = Below == 0 && j == 0 ? a[k] : of_low.at(x);
        if (j < last) value[1][k] = of_high.at(x);
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        if (left + 4 * k >= x1 || left + 4 * k + 4 <= x0) continue;
        if (j < last)
          multiply_add(value[0][k], value[1][k], weighted[k], c[j / 2]);
        else
          multiply_add(value[0][k], weighted[k], c[j / 2][0], c[j / 2][1]);
      }
    }
  }
};

// `add(y, left, a, weighted, W)` for all steps of pixels of the columns from column x0 to x1 of the
// CCD: an element of a product takes the pixels in rows, four from a multiple of four at a time,
// wherever its tile begins or ends. What lies outside its spots adds zeros.
template <class Add>
__device__ void for_pixels(const PixelsView& pixels, const Tile& columns, int x0, int x1,
                           const Add& add) {
  x0 = max(max(x0, columns.x0), 0) / 4 * 4;
  x1 = min(min(x1, columns.x1), pixels.nx);
  const int y1 = min(columns.y1, pixels.ny);
  const int t = fragment_lane().t;
  for (int y = max(columns.y0, 0); y < y1; ++y) {
    const double* W_of_row = pixels.W + static_cast<size_t>(y) * pixels.nx;
    const Row row = columns.row(y);
    for (int left = x0; left < x1; left += 4 * ahead) {
      double W[ahead], a[ahead], weighted[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const int x = left + 4 * k + t;
        W[k] = x < x1 ? W_of_row[x] : 0.0;
        a[k] = row.at(x);
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) weighted[k] = W[k] * a[k];
      add(y, left, a, weighted, W);
    }
  }
}

// A warp's eight bins: fiber blockIdx.y, from bin `first` on.
__device__ int first_of_warp(int first_bin) {
  const int before = (first_bin % tile + tile) % tile;  // bins of the first tile not in the view
  return (blockIdx.x * warps + threadIdx.x / warp_size) * tile - before;
}

// J: tiles that a band reaches to either side.
template <int J>
__global__ void __launch_bounds__(warps* warp_size, 4)
    bands_kernel(SpotsView spots, PixelsView pixels, int first_bin, FrameBands bands) {
  const int s = blockIdx.y;
  const int first = first_of_warp(first_bin);
  if (first >= bands.nwave) return;
  const FragmentLane at = fragment_lane();
  const int R = bands.reach;
  const bool has_pair = s + 1 < bands.nspec;
  Products<0, J + 1> own(spots, s, first);
  Products<J, 2 * J + 1> pair(spots, has_pair ? s + 1 : s, first);
  double y_sum = 0, q_sum = 0, good_sum = 0;  // of the lane's bin, over every fourth column
  for_pixels(pixels, own.rows[0], INT_MIN, INT_MAX,
             [&](int y, int left, const double(&a)[ahead], const double(&weighted)[ahead],
                 const double(&W)[ahead]) {
               const double* p = pixels.p + static_cast<size_t>(y) * pixels.nx;
#pragma unroll
               for (int k = 0; k < ahead; ++k) {
                 q_sum += weighted[k];
                 if (!(W[k] > 0)) continue;
                 y_sum += weighted[k] * p[left + 4 * k + at.t];
                 good_sum += a[k];
               }
               own.add(y, left, a, weighted);
               if (has_pair) pair.add(y, left, a, weighted);
             });
  // `put(v, d, value)` for each element (v + d, v) of a tile's product, zero beyond the bins.
  const auto store = [&](int j, double value, int k, const auto& put) {
    const int v = first + 2 * at.t + k;
    if (v >= 0 && v < bands.nwave) put(v, first + j * tile + at.g - v, value);
  };
#pragma unroll
  for (int k = 0; k < 2; ++k) {
#pragma unroll
    for (int j = 0; j <= J; ++j)
      store(j, own.element(j, k), k, [&](int v, int d, double value) {
        if (d >= 0 && d <= R) bands.band[bands.bin(s, v) * (R + 1) + d] = value;
      });
#pragma unroll
    for (int j = 0; j <= 2 * J && has_pair; ++j)
      store(j - J, pair.element(j, k), k, [&](int v, int d, double value) {
        if (d >= -R && d <= R) bands.pair[bands.bin(s, v) * (2 * R + 1) + d + R] = value;
      });
  }
  y_sum = group_sum<4>(y_sum), q_sum = group_sum<4>(q_sum), good_sum = group_sum<4>(good_sum);
  const int v = first + at.g;
  if (at.t != 0 || v < 0 || v >= bands.nwave) return;
  bands.y[bands.bin(s, v)] = y_sum;
  bands.q[bands.bin(s, v)] = q_sum;
  bands.good[bands.bin(s, v)] = good_sum;
}

// Whether a spot of fiber u, in the tiles that a band reaches, has a column in common with those of
// `columns`.
template <int J>
__device__ bool reaches(const SpotsView& spots, const Tile& columns, int u, int first) {
  const int* xc = spots.xc + static_cast<size_t>(spots.first_spec + u) * spots.nwave;
  bool near = false;
  for (int v = first - J * tile + threadIdx.x % warp_size; v < first + (J + 1) * tile;
       v += warp_size)
    near =
        near || (v >= 0 && v < spots.nwave && xc[v] < columns.x1 && xc[v] + spots.nx > columns.x0);
  return __any_sync(0xffffffffU, near);
}

// What no product's |c| exceeds, rows by columns: in each column of pixels the product of both
// spots' norms (Cauchy and Schwarz), that of a spot of `columns` with its weights.
template <int J>
__device__ void bound_products(const SpotsView& spots, const PixelsView& pixels,
                               const Tile& columns, int u, int first, double (&c)[2 * J + 1][2]) {
  const int t = fragment_lane().t;
  // The norm of column x of the lane's spot, `weight(y)` of its row y.
  const auto norm = [&](const Tile& of, int x, const auto& weight) {
    const unsigned dx = x - of.xc;
    double sum = 0;
    if (dx < static_cast<unsigned>(of.nx)) {
#pragma unroll 4
      for (int dy = 0; dy < of.ny; ++dy) {
        const double value = of.value[dy * of.nx + dx] * weight(of.yc + dy);
        sum += value * value;
      }
    }
    return sqrt(sum);
  };
  Tile rows[2 * J + 1];
  int x0 = INT_MAX, x1 = INT_MIN;
#pragma unroll
  for (int j = 0; j <= 2 * J; ++j) {
    rows[j] = make_tile(spots, u, first + (j - J) * tile);
    if (rows[j].y0 >= columns.y1 || rows[j].y1 <= columns.y0) continue;
    x0 = min(x0, rows[j].x0), x1 = max(x1, rows[j].x1);
  }
  x0 = max(max(x0, columns.x0), 0);
  x1 = min(min(x1, columns.x1), pixels.nx);
  for (int left = x0; left < x1; left += 4) {
    const int x = left + t;
    const double of_column = norm(columns, x, [&](int y) {
      return x < x1 && y >= 0 && y < pixels.ny ? pixels.W[static_cast<size_t>(y) * pixels.nx + x]
                                               : 0.0;
    });
#pragma unroll
    for (int j = 0; j <= 2 * J; ++j) {
      if (rows[j].y0 >= columns.y1 || rows[j].y1 <= columns.y0) continue;
      multiply_add(norm(rows[j], x, [](int) { return 1.0; }), of_column, c[j][0], c[j][1]);
    }
  }
}

template <int J>
__global__ void __launch_bounds__(warps* warp_size, 5)
    far_kernel(SpotsView spots, PixelsView pixels, int first_bin, int nslots, FrameBands bands) {
  const int s = blockIdx.y;
  const int first = first_of_warp(first_bin);
  if (first >= bands.nwave) return;
  const FragmentLane at = fragment_lane();
  const Tile columns = make_tile(spots, s, first);
  const auto diagonal = [&](int fiber, int bin) {
    return bin >= 0 && bin < bands.nwave ? bands.band[bands.bin(fiber, bin) * (bands.reach + 1)]
                                         : 0.0;
  };
  bool shares[2] = {false, false};
  for (int u = s + 2; u < min(bands.nspec, s + nslots); ++u) {
    if (!reaches<J>(spots, columns, u, first)) continue;
    // `yes[k]` where an element of the lane's column k is above `part` of the bound.
    const auto look = [&](const auto& element, double part, bool(&yes)[2]) {
#pragma unroll
      for (int j = 0; j <= 2 * J; ++j)
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          const double norm =
              diagonal(s, first + 2 * at.t + k) * diagonal(u, first + (j - J) * tile + at.g);
          yes[k] = yes[k] || !(element(j, k) <= part * fiber_bounds::far * sqrt(norm));
        }
    };
    // Hardly ever do they share so much that the products must be known.
    double bound[2 * J + 1][2] = {};
    bool may[2] = {false, false};
    bound_products<J>(spots, pixels, columns, u, first, bound);
    look([&](int j, int k) { return bound[j][k]; }, 0.999, may);
    if (!__any_sync(0xffffffffU, may[0] || may[1])) continue;
    Products<J, 2 * J + 1> products(spots, u, first);
    for_pixels(pixels, columns, products.x0, products.x1,
               [&](int y, int left, const double(&a)[ahead], const double(&weighted)[ahead],
                   const double(&)[ahead]) { products.add(y, left, a, weighted); });
    look([&](int j, int k) { return products.element(j, k); }, 1, shares);
  }
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    // Of the eight lanes that hold column 2 t + k.
    const unsigned lanes = 0x11111111U << at.t;
    const bool any = (__ballot_sync(0xffffffffU, shares[k]) & lanes) != 0;
    const int v = first + 2 * at.t + k;
    if (at.g == 0 && v >= 0 && v < bands.nwave) bands.far[bands.bin(s, v)] = any ? 1 : 0;
  }
}

// A warp eight bins of a fiber.
dim3 grid_of(const FrameBands& bands) {
  return dim3(blocks_for(bands.nwave + tile - 1, warps * tile), bands.nspec);
}

}  // namespace

void assemble_frame(const SpotsView& spots, const PixelsView& pixels, int first_bin,
                    const FrameBands& bands, cudaStream_t stream) {
  const auto kernel = bands.reach <= tile ? bands_kernel<1> : bands_kernel<2>;
  kernel<<<grid_of(bands), warps * warp_size, 0, stream>>>(spots, pixels, first_bin, bands);
  SPEX_LAUNCH_CHECK();
}

void find_far_light(const SpotsView& spots, const PixelsView& pixels, int first_bin, int nslots,
                    const FrameBands& bands, cudaStream_t stream) {
  const auto kernel = bands.reach <= tile ? far_kernel<1> : far_kernel<2>;
  kernel<<<grid_of(bands), warps * warp_size, 0, stream>>>(spots, pixels, first_bin, nslots, bands);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
