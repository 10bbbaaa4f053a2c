#include <climits>

#include "gpu/core/warp.cuh"
#include "gpu/extract/quality.hpp"
#include "gpu/extract/spot_device.cuh"
#include "reference/extract/chi_square.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;

// CCD rows of one fiber that a block of row_bins_kernel does.
constexpr int rows_of_block = 1024;

// Atomic minima and maxima of integers: their order does not show.
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

// m_i = sum_j A_ij f_j over the bins [w_begin, w_end) of the fibers [s_begin, s_end) of the patch,
// in ascending order of bin, at a used pixel. `used(j)` says which bins count.
template <class Used>
__device__ double model_at(const PatchGeometry& patch, const SpotsView& spots,
                           const RowBinsView& rows, int x, int y, int s_begin, int s_end,
                           int w_begin, int w_end, const double* f, const BinStrides& strides,
                           const Used& used) {
  const int spot_size = spots.nx * spots.ny;
  double m = 0;
  for (int s = s_begin; s < s_end; ++s) {
    const int fiber = patch.spec0 + s;
    const RowBins row = rows.rows[static_cast<size_t>(fiber) * rows.ny_ccd + y];
    if (x < row.x0 || x >= row.x1) continue;
    const size_t corner = static_cast<size_t>(fiber) * spots.nwave + patch.wave0;
    const size_t spot = static_cast<size_t>(spots.row_of(fiber)) * spots.nwave + patch.wave0;
    const double* value = spots.value + spot * spot_size;
    const int first = max(row.first - patch.wave0, w_begin);
    const int last = min(row.last - patch.wave0, w_end);
    for (int w = first; w < last; ++w) {
      const int dx = x - spots.xc[corner + w], dy = y - spots.yc[corner + w];
      if (dx < 0 || dx >= spots.nx || dy < 0 || dy >= spots.ny) continue;
      const size_t j = strides.bin(s, w);
      if (used(j)) m += value[w * spot_size + dy * spots.nx + dx] * f[j];
    }
  }
  return m;
}

__global__ void residual_kernel(const PatchGeometry* patches, int npixel, SpotsView spots,
                                RowBinsView rows, PixelsView pixels, SolutionView solution,
                                double psferr, Chi2Pixels counted, double* work) {
  const PatchGeometry patch = patches[blockIdx.y];
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= patch.npixel()) return;
  const int x = patch.x0 + i % patch.nx(), y = patch.y0 + i / patch.nx();
  const double* f = solution.f + solution.strides.patch(blockIdx.y);
  const double m = model_at(patch, spots, rows, x, y, 0, patch.nspec, 0, patch.nwave, f,
                            solution.strides, [](size_t) { return true; });
  const size_t pixel = static_cast<size_t>(y) * pixels.nx + x;
  const ChiSquare one = chi_square(pixels.p[pixel], m, pixels.W[pixel], psferr, counted);
  double* chi2 = work + static_cast<size_t>(blockIdx.y) * 2 * npixel;
  chi2[i] = one.value;
  chi2[npixel + i] = one.counts ? 1.0 : 0.0;
}

constexpr int warps = 8;

__global__ void quality_kernel(const PatchGeometry* patches, int npixel, SpotsView spots,
                               SolutionView solution, const double* work, int* status,
                               SpectraView spectra) {
  const PatchGeometry patch = patches[blockIdx.y];
  const int j = blockIdx.x * warps + threadIdx.x / warp_size;
  const int lane = threadIdx.x % warp_size;
  if (j >= patch.ncore * patch.nkept) return;
  const int s = j / patch.nkept + patch.pad_below, w = j % patch.nkept + patch.wavepad;
  const size_t bin = solution.strides.patch(blockIdx.y) + solution.strides.bin(s, w);
  if (solution.q[bin] == 0) return;  // stays as clear_spectra made it
  const ClippedSpot spot = clip_spot(patch, spots, s, w);
  const double* chi2 = work + static_cast<size_t>(blockIdx.y) * 2 * npixel;
  const int nx = spot.x1 - spot.x0;
  const int count = nx > 0 && spot.y1 > spot.y0 ? nx * (spot.y1 - spot.y0) : 0;
  double sum = 0, weight = 0;
  // Pixels lane, lane + 32, ... of the clipped spot, without a division for each.
  const int rows_further = warp_size / max(nx, 1), columns_further = warp_size % max(nx, 1);
  int x = spot.x0 + lane % max(nx, 1), y = spot.y0 + lane / max(nx, 1);
  for (int k = lane; k < count; k += warp_size) {
    const int i = (y - patch.y0) * patch.nx() + x - patch.x0;
    const double a = spot.at(x, y);
    sum += a * chi2[i];
    weight += a * chi2[npixel + i];
    x += columns_further;
    y += rows_further;
    if (x >= spot.x1) {
      x -= nx;
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

__global__ void core_model_kernel(const PatchGeometry* patches, int npixel, SpotsView spots,
                                  RowBinsView rows, SolutionView solution, double* model) {
  const PatchGeometry patch = patches[blockIdx.y];
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= patch.npixel()) return;
  const size_t first = solution.strides.patch(blockIdx.y);
  const double* q = solution.q + first;
  model[static_cast<size_t>(blockIdx.y) * npixel + i] = model_at(
      patch, spots, rows, patch.x0 + i % patch.nx(), patch.y0 + i / patch.nx(), patch.pad_below,
      patch.pad_below + patch.ncore, patch.wavepad, patch.wavepad + patch.nkept, solution.f + first,
      solution.strides, [&](size_t j) { return q[j] != 0; });
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
  residual_kernel<<<dim3(blocks_for(npixel, threads), count), threads, 0, stream>>>(
      patches, npixel, spots, rows, pixels, solution, psferr, counted, work);
  SPEX_LAUNCH_CHECK();
  quality_kernel<<<dim3(blocks_for(ncore_bins, warps), count), warps * warp_size, 0, stream>>>(
      patches, npixel, spots, solution, work, status, spectra);
  SPEX_LAUNCH_CHECK();
}

void find_core_model(const PatchGeometry* patches, int count, int npixel, const SpotsView& spots,
                     const RowBinsView& rows, const SolutionView& solution, double* model,
                     cudaStream_t stream) {
  if (npixel == 0) return;
  core_model_kernel<<<dim3(blocks_for(npixel, threads), count), threads, 0, stream>>>(
      patches, npixel, spots, rows, solution, model);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
