#include <climits>

#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/quality.hpp"
#include "gpu/extract/batch/spot_device.cuh"
#include "reference/extract/chi_square.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;

// CCD rows of one fiber per block of row_bins_kernel.
constexpr int rows_of_block = 1024;

// Integer atomic minima and maxima do not depend on the order.
__global__ void row_bins_kernel(const int* xc, const int* yc, int nwave, int spot_nx, int spot_ny,
                                RowBinsView all) {
  __shared__ int first[rows_of_block], last[rows_of_block], x0[rows_of_block], x1[rows_of_block];
  const int begin = blockIdx.x * rows_of_block;
  const int nrows = min(all.ny_ccd - begin, rows_of_block);
  for (int row = threadIdx.x; row < nrows; row += threads) {
    first[row] = x0[row] = INT_MAX;
    last[row] = x1[row] = 0;
  }
  __syncthreads();
  const size_t fiber = static_cast<size_t>(blockIdx.y) * nwave;
  for (int w = threadIdx.x; w < nwave; w += threads) {
    const int x = xc[fiber + w], bottom = yc[fiber + w] - begin;
    for (int row = max(bottom, 0); row < min(bottom + spot_ny, nrows); ++row) {
      atomicMin(first + row, w);
      atomicMax(last + row, w + 1);
      atomicMin(x0 + row, x);
      atomicMax(x1 + row, x + spot_nx);
    }
  }
  __syncthreads();
  RowBins* rows = all.rows + static_cast<size_t>(blockIdx.y) * all.ny_ccd + begin;
  for (int row = threadIdx.x; row < nrows; row += threads)
    rows[row] = {first[row], last[row], x0[row], x1[row]};
}

constexpr int warps = threads / warp_size;

// The part of a model that a warp holds in shared memory: rows of a patch, and columns.
constexpr int rows_at_once = 4;
constexpr int columns_at_once = 96;
// Blocks per patch, whose warps share the patch's rows.
constexpr int model_blocks = 4;

// Bins of a patch, [s_begin, s_end) x [w_begin, w_end).
struct BinRange {
  int s_begin, s_end;
  int w_begin, w_end;
};

// A bin of a fiber whose spot may reach the rows.
struct alignas(16) Term {
  double f;
  int xc;  // first CCD column of its spot
  int dy;  // first of the rows, relative to the spot
};

struct WarpModel {
  double m[rows_at_once][columns_at_once];
  Term terms[warp_size];
};

// The bins and columns of all spots of a fiber that reach these rows; the result is valid in all
// lanes.
__device__ RowBins bins_of_rows(const RowBinsView& all, int fiber, int y, int count) {
  const int lane = threadIdx.x % warp_size;
  RowBins row{INT_MAX, 0, INT_MAX, 0};
  if (lane < count) row = all.rows[static_cast<size_t>(fiber) * all.ny_ccd + y + lane];
  constexpr unsigned lanes = 0xffffffffU;
  return {__reduce_min_sync(lanes, row.first), __reduce_max_sync(lanes, row.last),
          __reduce_min_sync(lanes, row.x0), __reduce_max_sync(lanes, row.x1)};
}

// m_i = sum_j A_ij f_j over `bins` of the patch in fiber order, for `nrows` rows from y on and
// `ncolumns` columns from x on. Called by a whole warp; flux(s, w) returns f.
template <class Flux>
__device__ void find_model(const PatchGeometry& patch, const SpotsView& spots,
                           const RowBinsView& rows, const BinRange& bins, int x, int y,
                           int ncolumns, int nrows, const Flux& flux, WarpModel& model) {
  const int lane = threadIdx.x % warp_size;
  const int spot_size = spots.nx * spots.ny;
  for (int column = lane; column < ncolumns; column += warp_size)
    for (int r = 0; r < rows_at_once; ++r) model.m[r][column] = 0;
  for (int s = bins.s_begin; s < bins.s_end; ++s) {
    const int fiber = patch.spec0 + s;
    const RowBins reach = bins_of_rows(rows, fiber, y, nrows);
    const int x0 = max(reach.x0, x), x1 = min(reach.x1, x + ncolumns);
    if (x0 >= x1) continue;
    const size_t corner = static_cast<size_t>(fiber) * spots.nwave + patch.wave0;
    const size_t spot = static_cast<size_t>(spots.row_of(fiber)) * spots.nwave + patch.wave0;
    const int end = min(reach.last - patch.wave0, bins.w_end);
    for (int first = max(reach.first - patch.wave0, bins.w_begin); first < end;
         first += warp_size) {
      const int count = min(end - first, warp_size);
      __syncwarp();
      if (const int w = first + lane; lane < count)
        model.terms[lane] = {flux(s, w), spots.xc[corner + w], y - spots.yc[corner + w]};
      __syncwarp();
      const double* values = spots.value + (spot + first) * spot_size;
      for (int column = x0 + lane; column < x1; column += warp_size) {
        double m[rows_at_once] = {};
#pragma unroll 2
        for (int k = 0; k < count; ++k) {
          const Term term = model.terms[k];
          const int dx = column - term.xc;
          const bool inside = dx >= 0 && dx < spots.nx;
          const double* value = values + k * spot_size + term.dy * spots.nx + dx;
#pragma unroll
          for (int r = 0; r < rows_at_once; ++r) {
            const int dy = term.dy + r;
            if (inside && dy >= 0 && dy < spots.ny) m[r] += value[r * spots.nx] * term.f;
          }
        }
#pragma unroll
        for (int r = 0; r < rows_at_once; ++r) model.m[r][column - x] += m[r];
      }
    }
  }
  __syncwarp();
}

// Calls visit(x, y, m) for the pixels of the patch, distributed over model_blocks blocks.
template <class Flux, class Visit>
__device__ void for_each_pixel(const PatchGeometry& patch, const SpotsView& spots,
                               const RowBinsView& rows, const BinRange& bins, const Flux& flux,
                               const Visit& visit) {
  __shared__ WarpModel models[warps];
  WarpModel& model = models[threadIdx.x / warp_size];
  const int first = (blockIdx.x * warps + threadIdx.x / warp_size) * rows_at_once;
  for (int y = patch.y0 + first; y < patch.y1; y += model_blocks * warps * rows_at_once) {
    const int nrows = min(patch.y1 - y, rows_at_once);
    for (int x = patch.x0; x < patch.x1; x += columns_at_once) {
      const int ncolumns = min(patch.x1 - x, columns_at_once);
      find_model(patch, spots, rows, bins, x, y, ncolumns, nrows, flux, model);
      for (int r = 0; r < nrows; ++r)
        for (int column = threadIdx.x % warp_size; column < ncolumns; column += warp_size)
          visit(x + column, y + r, model.m[r][column]);
      __syncwarp();
    }
  }
}

__device__ int pixel_of(const PatchGeometry& patch, int x, int y) {
  return (y - patch.y0) * patch.nx() + x - patch.x0;
}

// Marks a pixel that chi2pix does not count.
constexpr double uncounted = -1;

__global__ void __launch_bounds__(threads)
    residual_kernel(const PatchGeometry* patches, int npixel, SpotsView spots, RowBinsView rows,
                    PixelsView pixels, SolutionView solution, double psferr, Chi2Pixels counted,
                    double* work) {
  const PatchGeometry patch = patches[blockIdx.y];
  const double* f = solution.f + solution.strides.patch(blockIdx.y);
  double* chi2 = work + static_cast<size_t>(blockIdx.y) * npixel;
  for_each_pixel(
      patch, spots, rows, {0, patch.nspec, 0, patch.nwave},
      [&](int s, int w) { return f[solution.strides.bin(s, w)]; },
      [&](int x, int y, double m) {
        const size_t pixel = static_cast<size_t>(y) * pixels.nx + x;
        const ChiSquare one = chi_square(pixels.p[pixel], m, pixels.W[pixel], psferr, counted);
        // NaN always propagates, even for uncounted pixels.
        chi2[pixel_of(patch, x, y)] = one.counts || !(one.value == 0) ? one.value : uncounted;
      });
}

__global__ void __launch_bounds__(threads)
    quality_kernel(const PatchGeometry* patches, int npixel, SpotsView spots, SolutionView solution,
                   const double* work, int* status, SpectraView spectra) {
  const PatchGeometry patch = patches[blockIdx.y];
  const int j = blockIdx.x * warps + threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  if (j >= patch.ncore * patch.nkept) return;
  const int s = j / patch.nkept + patch.pad_below, w = j % patch.nkept + patch.wavepad;
  const size_t bin = solution.strides.patch(blockIdx.y) + solution.strides.bin(s, w);
  if (solution.q[bin] == 0) return;  // keeps the value of clear_spectra
  const ClippedSpot spot = clip_spot(patch, spots, s, w);
  const double* chi2 = work + static_cast<size_t>(blockIdx.y) * npixel;
  double sum = 0, weight = 0;
  // Pixels lane, lane + 32, ... of the spot, without a division per pixel.
  const int rows_further = warp_size / spots.nx, columns_further = warp_size % spots.nx;
  int x = spot.xc + lane % spots.nx, y = spot.yc + lane / spots.nx;
#pragma unroll 4
  for (int k = lane; k < spots.nx * spots.ny; k += warp_size) {
    const bool used = x >= spot.x0 && x < spot.x1 && y >= spot.y0 && y < spot.y1;
    const double one = used ? chi2[pixel_of(patch, x, y)] : uncounted;
    const double a = spot.value[k];
    if (!(one < 0)) {
      sum += a * one;
      weight += a;
    }
    x += columns_further;
    y += rows_further;
    if (x >= spot.xc + spots.nx) {
      x -= spots.nx;
      ++y;
    }
  }
  sum = warp_sum(sum);
  weight = warp_sum(weight);
  if (lane != 0) return;
  const size_t out = static_cast<size_t>(patch.spec0 + s) * spectra.nwave +
                     spectra.core_bin(patch) + j % patch.nkept;
  const double value = weight > 0 ? sum / weight : 0.0;
  if (!isfinite(value)) status[blockIdx.y] = 1;
  spectra.chi2pix[out] = value;
  spectra.pixmask_fraction[out] = fmin(fmax(1 - solution.good[bin], 0.0), 1.0);
}

__global__ void __launch_bounds__(threads)
    core_model_kernel(const PatchGeometry* patches, int npixel, SpotsView spots, RowBinsView rows,
                      SolutionView solution, double* all) {
  const PatchGeometry patch = patches[blockIdx.y];
  const size_t first = solution.strides.patch(blockIdx.y);
  double* model = all + static_cast<size_t>(blockIdx.y) * npixel;
  for_each_pixel(
      patch, spots, rows,
      {patch.pad_below, patch.pad_below + patch.ncore, patch.wavepad, patch.wavepad + patch.nkept},
      [&](int s, int w) {
        const size_t j = first + solution.strides.bin(s, w);
        return solution.q[j] != 0 ? solution.f[j] : 0.0;
      },
      [&](int x, int y, double m) { model[pixel_of(patch, x, y)] = m; });
}

}  // namespace

void find_row_bins(const SpotCorners& corners, int spot_nx, int spot_ny, const RowBinsView& rows,
                   cudaStream_t stream) {
  row_bins_kernel<<<dim3(blocks_for(rows.ny_ccd, rows_of_block), corners.nspec), threads, 0,
                    stream>>>(corners.xc.get(), corners.yc.get(), corners.nwave, spot_nx, spot_ny,
                              rows);
  SPEX_LAUNCH_CHECK();
}

void find_quality(const PatchGeometry* patches, int count, int npixel, int ncore_bins,
                  const SpotsView& spots, const RowBinsView& rows, const PixelsView& pixels,
                  const SolutionView& solution, double psferr, Chi2Pixels counted, double* work,
                  int* status, const SpectraView& spectra, cudaStream_t stream) {
  if (npixel == 0) return;
  residual_kernel<<<dim3(model_blocks, count), threads, 0, stream>>>(
      patches, npixel, spots, rows, pixels, solution, psferr, counted, work);
  SPEX_LAUNCH_CHECK();
  quality_kernel<<<dim3(blocks_for(ncore_bins, warps), count), threads, 0, stream>>>(
      patches, npixel, spots, solution, work, status, spectra);
  SPEX_LAUNCH_CHECK();
}

void find_core_model(const PatchGeometry* patches, int count, int npixel, const SpotsView& spots,
                     const RowBinsView& rows, const SolutionView& solution, double* model,
                     cudaStream_t stream) {
  if (npixel == 0) return;
  core_model_kernel<<<dim3(model_blocks, count), threads, 0, stream>>>(patches, npixel, spots, rows,
                                                                       solution, model);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
