#include <climits>

#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/pixel_model.cuh"
#include "gpu/extract/batch/quality.hpp"
#include "gpu/extract/batch/spectra_device.cuh"
#include "gpu/extract/batch/spot_device.cuh"
#include "reference/extract/chi_square.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;

// CCD rows of one fiber per block of row_bins_kernel.
constexpr int rows_of_block = 1024;

// Integer atomic minima and maxima do not depend on the order.
__global__ void row_bins_kernel(SpotsView spots, int w_begin, int w_end, RowBinsView all) {
  __shared__ int first[rows_of_block], last[rows_of_block], x0[rows_of_block], x1[rows_of_block];
  const int begin = blockIdx.x * rows_of_block;
  const int nrows = min(all.ny_ccd - begin, rows_of_block);
  for (int row = threadIdx.x; row < nrows; row += threads) {
    first[row] = x0[row] = INT_MAX;
    last[row] = x1[row] = 0;
  }
  __syncthreads();
  const size_t fiber = static_cast<size_t>(blockIdx.y) * spots.nwave;
  for (int w = w_begin + static_cast<int>(threadIdx.x); w < w_end; w += threads) {
    const int x = spots.xc[fiber + w], bottom = spots.yc[fiber + w] - begin;
    for (int row = max(bottom, 0); row < min(bottom + spots.ny, nrows); ++row) {
      atomicMin(first + row, w);
      atomicMax(last + row, w + 1);
      atomicMin(x0 + row, x);
      atomicMax(x1 + row, x + spots.nx);
    }
  }
  __syncthreads();
  RowBins* rows = all.rows + static_cast<size_t>(blockIdx.y) * all.ny_ccd + begin;
  for (int row = threadIdx.x; row < nrows; row += threads)
    rows[row] = {first[row], last[row], x0[row], x1[row]};
}

constexpr int warps = threads / warp_size;

// Blocks per patch, whose warps share the patch's rows.
constexpr int model_blocks = 4;

// Calls visit(x, y, m) for the pixels of the patch, distributed over model_blocks blocks.
template <class Flux, class Visit>
__device__ void for_each_pixel(const PatchGeometry& patch, const SpotsView& spots,
                               const RowBinsView& rows, const ModelBins& bins, const Flux& flux,
                               const Visit& visit) {
  __shared__ WarpModel models[warps];
  WarpModel& model = models[threadIdx.x / warp_size];
  const int first = (blockIdx.x * warps + threadIdx.x / warp_size) * model_rows;
  for (int y = patch.y0 + first; y < patch.y1; y += model_blocks * warps * model_rows) {
    const int nrows = min(patch.y1 - y, model_rows);
    for (int x = patch.x0; x < patch.x1; x += model_columns) {
      const int ncolumns = min(patch.x1 - x, model_columns);
      find_model(spots, rows, bins, {x, y, ncolumns, nrows}, flux, model);
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

// What the kernels of models take of a batch. Less than a BatchView, which would cost registers.
struct ModeledPatches {
  const PatchGeometry* patches;
  int npixel;
  SpotsView spots;
  RowBinsView rows;
};

ModeledPatches modeled(const BatchView& batch) {
  return {batch.patches, batch.npixel, batch.spots, batch.rows};
}

// Marks a pixel that chi2pix does not count.
constexpr double uncounted = -1;

__global__ void __launch_bounds__(threads)
    residual_kernel(ModeledPatches batch, PixelsView pixels, SolutionView solution, double psferr,
                    Chi2Pixels counted, double* work) {
  const PatchGeometry patch = batch.patches[blockIdx.y];
  const double* f = solution.f + solution.strides.patch(blockIdx.y);
  double* chi2 = work + static_cast<size_t>(blockIdx.y) * batch.npixel;
  for_each_pixel(
      patch, batch.spots, batch.rows, {patch.spec0, patch.wave0, 0, patch.nspec, 0, patch.nwave},
      [&](int s, int w) { return f[solution.strides.bin(s, w)]; },
      [&](int x, int y, double m) {
        const size_t pixel = static_cast<size_t>(y) * pixels.nx + x;
        const ChiSquare one = chi_square(pixels.p[pixel], m, pixels.W[pixel], psferr, counted);
        // NaN always propagates, even for uncounted pixels.
        chi2[pixel_of(patch, x, y)] = one.counts || !(one.value == 0) ? one.value : uncounted;
      });
}

__global__ void __launch_bounds__(threads)
    quality_kernel(BatchView batch, SolutionView solution, const double* work) {
  const PatchGeometry patch = batch.patches[blockIdx.y];
  const SpotsView spots = batch.spots;
  const SpectraView spectra = batch.spectra;
  const int j = blockIdx.x * warps + threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  if (j >= patch.ncore * patch.nkept || batch.status[blockIdx.y] == guarded) return;
  const int s = j / patch.nkept + patch.pad_below, w = j % patch.nkept + patch.wavepad;
  const size_t bin = solution.strides.patch(blockIdx.y) + solution.strides.bin(s, w);
  if (solution.q[bin] == 0) return;  // keeps the value of clear_spectra
  const ClippedSpot spot = clip_spot(patch, spots, s, w);
  const double* chi2 = work + static_cast<size_t>(blockIdx.y) * batch.npixel;
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
  if (!isfinite(value)) fail(batch.status + blockIdx.y);
  spectra.chi2pix[out] = value;
  spectra.pixmask_fraction[out] = fmin(fmax(1 - solution.good[bin], 0.0), 1.0);
}

__global__ void __launch_bounds__(threads)
    core_model_kernel(ModeledPatches batch, SolutionView solution, double* all) {
  const PatchGeometry patch = batch.patches[blockIdx.y];
  const size_t first = solution.strides.patch(blockIdx.y);
  double* model = all + static_cast<size_t>(blockIdx.y) * batch.npixel;
  for_each_pixel(
      patch, batch.spots, batch.rows,
      {patch.spec0, patch.wave0, patch.pad_below, patch.pad_below + patch.ncore, patch.wavepad,
       patch.wavepad + patch.nkept},
      [&](int s, int w) {
        const size_t j = first + solution.strides.bin(s, w);
        return solution.q[j] != 0 ? solution.f[j] : 0.0;
      },
      [&](int x, int y, double m) { model[pixel_of(patch, x, y)] = m; });
}

}  // namespace

void find_row_bins(const SpotsView& spots, int w_begin, int w_end, const RowBinsView& rows,
                   cudaStream_t stream) {
  row_bins_kernel<<<dim3(blocks_for(rows.ny_ccd, rows_of_block), spots.nspec), threads, 0,
                    stream>>>(spots, w_begin, w_end, rows);
  SPEX_LAUNCH_CHECK();
}

void find_quality(const BatchView& batch, const SolutionView& solution, double psferr,
                  Chi2Pixels counted, double* work, cudaStream_t stream) {
  if (batch.npixel == 0) return;
  residual_kernel<<<dim3(model_blocks, batch.count), threads, 0, stream>>>(
      modeled(batch), batch.pixels, solution, psferr, counted, work);
  SPEX_LAUNCH_CHECK();
  quality_kernel<<<dim3(blocks_for(batch.ncore_bins, warps), batch.count), threads, 0, stream>>>(
      batch, solution, work);
  SPEX_LAUNCH_CHECK();
}

void find_core_model(const BatchView& batch, const SolutionView& solution, double* model,
                     cudaStream_t stream) {
  if (batch.npixel == 0) return;
  core_model_kernel<<<dim3(model_blocks, batch.count), threads, 0, stream>>>(modeled(batch),
                                                                             solution, model);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
