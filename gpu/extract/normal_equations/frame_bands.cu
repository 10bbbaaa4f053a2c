#include <climits>

#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/extract/normal_equations/frame_bands.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int warps = 4;
constexpr int tile = 8;  // bins, the side of a fragment
// Pixels are loaded in steps of four. As many steps are loaded together as a spot is wide, or the
// overlap of neighbors' spots.
constexpr int steps_of_spot = 5;
constexpr int steps_of_neighbors = 3;

// Eight bins of a fiber, one for each row of a fragment, and the box around the spots of those with
// light.
struct Tile {
  const double* value;  // of the lane's bin
  int nx, ny;
  int xc, yc;
  int x0, x1, y0, y1;

  __device__ double at(int x, int y) const {
    const unsigned dx = x - xc, dy = y - yc;
    return dx < static_cast<unsigned>(nx) && dy < static_cast<unsigned>(ny) ? value[dy * nx + dx]
                                                                            : 0.0;
  }
};

__device__ Tile make_tile(const SpotsView& spots, int s, int first) {
  constexpr unsigned all = 0xffffffffU;
  const int v = first + fragment_lane().g;
  const bool exists = v >= 0 && v < spots.nwave;
  const size_t k = static_cast<size_t>(s) * spots.nwave + (exists ? v : 0);
  const size_t corner = static_cast<size_t>(spots.first_spec) * spots.nwave + k;
  const bool valid = exists && spots.xc[corner] != dark_corner;
  Tile t{};
  t.value = spots.value + k * spots.nx * spots.ny;
  t.nx = spots.nx, t.ny = spots.ny;
  t.xc = valid ? spots.xc[corner] : dark_corner;
  t.yc = valid ? spots.yc[corner] : dark_corner;
  t.x0 = __reduce_min_sync(all, valid ? t.xc : INT_MAX);
  t.y0 = __reduce_min_sync(all, valid ? t.yc : INT_MAX);
  t.x1 = __reduce_max_sync(all, valid ? t.xc + t.nx : INT_MIN);
  t.y1 = __reduce_max_sync(all, valid ? t.yc + t.ny : INT_MIN);
  return t;
}

// A pixel's factors in the sums of y, q and good: rows 0, 1 and 2 of a fragment.
__device__ double pixel_row(double W, double p) {
  const double rows[3] = {W > 0 ? W * p : 0.0, W, W > 0 ? 1.0 : 0.0};
  const int g = fragment_lane().g;
  return g == 0 ? rows[0] : g == 1 ? rows[1] : g == 2 ? rows[2] : 0.0;
}

// Spots and the pixels that they fall on.
struct SpotsOnCcd {
  const SpotsView& spots;
  const PixelsView& pixels;
};

// c[j] += (spots of tile j of fiber u)^T W (spots of `columns`) over all pixels; tile 0 begins
// `Below` tiles before `columns`. With Sums, also adds the products with pixel_row to `sums`. Each
// element sums its pixels row by row, four from a multiple of four at a time, whichever tile the
// element belongs to: pixels outside of its spots add zeros. For each row, the
// weights, `columns` and the tiles at most one away are loaded together; farther tiles share few
// rows.
template <int Below, int Tiles, int Steps, bool Sums>
__device__ void multiply(SpotsOnCcd ccd, const Tile& columns, int u, int first,
                         double (&c)[Tiles][2], double (&sums)[2]) {
  const auto& [spots, pixels] = ccd;
  Tile rows[Tiles];
  int x0 = INT_MAX, x1 = INT_MIN, y0 = INT_MAX, y1 = INT_MIN;
#pragma unroll
  for (int j = 0; j < Tiles; ++j) {
    rows[j] = make_tile(spots, u, first + (j - Below) * tile);
    x0 = min(x0, rows[j].x0), x1 = max(x1, rows[j].x1);
    y0 = min(y0, rows[j].y0), y1 = max(y1, rows[j].y1);
  }
  x0 = max(max(x0, columns.x0), 0) / 4 * 4;
  x1 = min(min(x1, columns.x1), pixels.nx);
  y0 = max(max(y0, columns.y0), 0);
  y1 = min(min(y1, columns.y1), pixels.ny);
  const int t = fragment_lane().t;
  for (int y = y0; y < y1; ++y) {
    const size_t row = static_cast<size_t>(y) * pixels.nx;
    for (int left = x0; left < x1; left += 4 * Steps) {
      double W[Steps], p[Steps], a[Steps], value[Tiles][Steps];
      const auto load = [&](int j) {
#pragma unroll
        for (int k = 0; k < Steps; ++k) value[j][k] = rows[j].at(left + 4 * k + t, y);
      };
#pragma unroll
      for (int k = 0; k < Steps; ++k) {
        const int x = left + 4 * k + t;
        W[k] = x < x1 ? pixels.W[row + x] : 0.0;
        if constexpr (Sums) p[k] = x < x1 ? pixels.p[row + x] : 0.0;
        a[k] = columns.at(x, y);
      }
#pragma unroll
      for (int j = 0; j < Tiles; ++j)
        if (abs(j - Below) <= 1) load(j);
      if constexpr (Sums) {
#pragma unroll
        for (int k = 0; k < Steps; ++k) multiply_add(pixel_row(W[k], p[k]), a[k], sums[0], sums[1]);
      }
#pragma unroll
      for (int k = 0; k < Steps; ++k) a[k] *= W[k];
#pragma unroll
      for (int j = 0; j < Tiles; ++j) {
        if (y < rows[j].y0 || y >= rows[j].y1) continue;
        if (abs(j - Below) > 1) load(j);
#pragma unroll
        for (int k = 0; k < Steps; ++k) multiply_add(value[j][k], a[k], c[j][0], c[j][1]);
      }
    }
  }
}

// The first of a warp's eight bins of fiber blockIdx.y.
__device__ int first_of_warp(int first_bin) {
  const int before = (first_bin % tile + tile) % tile;  // bins of the first tile not in the view
  return (blockIdx.x * warps + threadIdx.x / warp_size) * tile - before;
}

// J: tiles that a band reaches to either side.
template <int J>
__global__ void __launch_bounds__(warps* warp_size, 5)
    bands_kernel(SpotsView spots, PixelsView pixels, int first_bin, FrameBands bands,
                 const unsigned char* wanted) {
  const int s = blockIdx.y;
  const int first = first_of_warp(first_bin);
  if (first >= bands.nwave) return;
  if (wanted != nullptr &&
      wanted[s * frame_tiles(bands.nwave) + tile_of(first_bin, max(first, 0))] == 0)
    return;
  const FragmentLane at = fragment_lane();
  const Tile columns = make_tile(spots, s, first);
  const int R = bands.reach;
  // `put(v, d, value)` for each element (v + d, v) of a tile's product, zero beyond the bins.
  const auto store = [&](int j, const double(&c)[2], const auto& put) {
    const int w = first + j * tile + at.g;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int v = first + 2 * at.t + k;
      if (v >= 0 && v < bands.nwave) put(v, w - v, c[k]);
    }
  };
  {
    double c[J + 1][2] = {}, sums[2] = {};
    multiply<0, J + 1, steps_of_spot, true>({spots, pixels}, columns, s, first, c, sums);
#pragma unroll
    for (int j = 0; j <= J; ++j)
      store(j, c[j], [&](int v, int d, double value) {
        if (d >= 0 && d <= R) bands.band[bands.bin(s, v) * (R + 1) + d] = value;
      });
    double* const into[3] = {bands.y, bands.q, bands.good};
    if (at.g < 3)
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int v = first + 2 * at.t + k;
        if (v >= 0 && v < bands.nwave) into[at.g][bands.bin(s, v)] = sums[k];
      }
  }
  if (s + 1 == bands.nspec) return;
  double c[2 * J + 1][2] = {}, none[2];
  multiply<J, 2 * J + 1, steps_of_neighbors, false>({spots, pixels}, columns, s + 1, first, c,
                                                    none);
#pragma unroll
  for (int j = 0; j <= 2 * J; ++j)
    store(j - J, c[j], [&](int v, int d, double value) {
      if (d >= -R && d <= R) bands.pair[bands.bin(s, v) * (2 * R + 1) + d + R] = value;
    });
}

// Whether a spot of fiber u, in the tiles that a band reaches, shares a pixel column with
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

// Upper bounds of the |c| of `multiply` by the inequality of Cauchy and Schwarz: the largest weight
// of the pixels that both tiles share, times the norms of both spots' columns there. Infinite where
// more than rim_columns columns are shared.
template <int J>
__device__ void bound_products(SpotsOnCcd ccd, int s, const Tile& columns, int u, int first,
                               double (&c)[2 * J + 1][2]) {
  const auto& [spots, pixels] = ccd;
  const FragmentLane at = fragment_lane();
  int xc[2 * J + 1];
  int x0 = INT_MAX, x1 = INT_MIN, y0 = INT_MAX, y1 = INT_MIN;
#pragma unroll
  for (int j = 0; j <= 2 * J; ++j) {
    const Tile rows = make_tile(spots, u, first + (j - J) * tile);
    xc[j] = rows.xc;
    x0 = min(x0, rows.x0), x1 = max(x1, rows.x1);
    y0 = min(y0, rows.y0), y1 = max(y1, rows.y1);
  }
  x0 = max(max(x0, columns.x0), 0), x1 = min(min(x1, columns.x1), pixels.nx);
  y0 = max(max(y0, columns.y0), 0), y1 = min(min(y1, columns.y1), pixels.ny);
  double W = 0;
  for (int y = y0 + threadIdx.x % warp_size; y < y1; y += warp_size)
    for (int x = x0; x < x1; ++x) W = fmax(W, pixels.W[static_cast<size_t>(y) * pixels.nx + x]);
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    W = fmax(W, __shfl_xor_sync(0xffffffffU, W, offset));
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int v = first + 2 * at.t + k;
    if (v < 0 || v >= spots.nwave) continue;
    const int x = spots.xc[static_cast<size_t>(spots.first_spec + s) * spots.nwave + v];
    if (x == dark_corner) continue;
    const float* of_v = spots.rims + (static_cast<size_t>(s) * spots.nwave + v) * rims_of_spot;
#pragma unroll
    for (int j = 0; j <= 2 * J; ++j) {
      const int w = first + (j - J) * tile + at.g;
      if (xc[j] == dark_corner) continue;
      const int apart = abs(xc[j] - x), shared = spots.nx - apart;
      if (shared <= 0) continue;
      const float* of_w = spots.rims + (static_cast<size_t>(u) * spots.nwave + w) * rims_of_spot;
      const int left = xc[j] > x ? 0 : rim_columns;  // of w
      c[j][k] = shared > rim_columns
                    ? INFINITY
                    : W * of_w[left + shared - 1] * of_v[rim_columns - left + shared - 1];
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
    double c[2 * J + 1][2] = {}, none[2];
    // `yes[k]` where an element of the lane's column k is above `part` of the bound.
    const auto look = [&](double part, bool(&yes)[2]) {
#pragma unroll
      for (int j = 0; j <= 2 * J; ++j)
#pragma unroll
        for (int k = 0; k < 2; ++k) {
          const double norm =
              diagonal(s, first + 2 * at.t + k) * diagonal(u, first + (j - J) * tile + at.g);
          yes[k] = yes[k] || !(c[j][k] <= part * fiber_bounds::far * sqrt(norm));
        }
    };
    // Hardly ever do they share so much that the products must be known.
    bool may[2] = {false, false};
    bound_products<J>({spots, pixels}, s, columns, u, first, c);
    look(0.999, may);  // rounding
    if (!__any_sync(0xffffffffU, may[0] || may[1])) continue;
#pragma unroll
    for (auto& of_tile : c) of_tile[0] = of_tile[1] = 0;
    multiply<J, 2 * J + 1, steps_of_neighbors, false>({spots, pixels}, columns, u, first, c, none);
    look(1, shares);
  }
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    // Mask of the eight lanes that hold column 2 t + k.
    const unsigned lanes = 0x11111111U << at.t;
    const bool any = (__ballot_sync(0xffffffffU, shares[k]) & lanes) != 0;
    const int v = first + 2 * at.t + k;
    if (at.g == 0 && v >= 0 && v < bands.nwave) bands.far[bands.bin(s, v)] = any ? 1 : 0;
  }
}

// One warp for eight bins of a fiber.
dim3 grid_of(const FrameBands& bands) {
  return dim3(blocks_for(bands.nwave + tile - 1, warps * tile), bands.nspec);
}

}  // namespace

void assemble_frame(const SpotsView& spots, const PixelsView& pixels, int first_bin,
                    const FrameBands& bands, cudaStream_t stream, const unsigned char* wanted) {
  const auto kernel = bands.reach <= tile ? bands_kernel<1> : bands_kernel<2>;
  kernel<<<grid_of(bands), warps * warp_size, 0, stream>>>(spots, pixels, first_bin, bands, wanted);
  SPEX_LAUNCH_CHECK();
}

void find_far_light(const SpotsView& spots, const PixelsView& pixels, int first_bin, int nslots,
                    const FrameBands& bands, cudaStream_t stream) {
  const auto kernel = bands.reach <= tile ? far_kernel<1> : far_kernel<2>;
  kernel<<<grid_of(bands), warps * warp_size, 0, stream>>>(spots, pixels, first_bin, nslots, bands);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
