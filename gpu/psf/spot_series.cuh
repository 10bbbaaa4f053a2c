// Device functions that the kernels of spots share: series of the PSF at a wavelength, and what is
// made of a spot's columns. Compiled without contraction (gpu/CMakeLists.txt).
#pragma once

#include "gpu/core/warp.cuh"
#include "gpu/psf/spots.hpp"
#include "reference/psf/legendre.hpp"
#include "reference/psf/spot_tail.hpp"

namespace spex::gpu {

__device__ inline double wavelength(const WaveBins& bins, int w) {
  return bins.grid.at(bins.first + w);
}

/// Column or row of a fiber's center.
__device__ inline double center(const TraceView& trace, int fiber, double lambda) {
  return legendre_sum(trace.coeff + static_cast<size_t>(fiber) * trace.ncoeff, trace.ncoeff,
                      legendre_variable(lambda, trace.wavemin, trace.wavemax));
}

/// Series p of `all`, laid out like Psf::param, at u.
__device__ inline double series_at(const PsfView& psf, const double* all, int p, int fiber,
                                   double u) {
  const double* c = all + (static_cast<size_t>(p) * psf.nfiber + fiber) * psf.ncoeff;
  double sum = 0.0;
  for_each_legendre(psf.ncoeff, u, [&](int d, double P) { sum = fma(c[d], P, sum); });
  return sum;
}

/// Parameter p of the PSF (0, 1: GHSIGX, GHSIGY; then GH-i-j) at u.
__device__ inline double parameter(const PsfView& psf, int p, int fiber, double u) {
  return series_at(psf, psf.param, p, fiber, u);
}

__device__ inline SpotTail tail_at(const PsfView& psf, int fiber, double u) {
  const auto row = [&](int p) { return series_at(psf, psf.tail, p, fiber, u); };
  return {row(0), row(1), row(2), row(3), row(4)};
}

/// The factor that normalizes a spot to sum 1, from the sums of each lane's columns.
__device__ inline double unit_scale(double of_columns) {
  const double total = warp_sum(of_columns);
  return total > 0.0 ? 1.0 / total : 0.0;
}

/// Stores the rims of a spot from the sum of squares in a column: for lane c < rim_columns in
/// column c, for lane rim_columns + c in column nx - 1 - c. Called by a whole warp.
__device__ inline void store_rims(double sum, float* rims) {
  const int lane = threadIdx.x % warp_size;
  // Columns farther out are part of a wider rim.
  for (int offset = 1; offset < rim_columns; offset *= 2) {
    const double farther = __shfl_up_sync(0xffffffffU, sum, offset);
    if (lane % rim_columns >= offset) sum += farther;
  }
  if (lane < rims_of_spot) rims[lane] = __double2float_ru(sqrt(sum));
}

/// The column whose sum of squares the lane passes to store_rims; -1 for none.
__device__ inline int column_of_rim(int lane, int nx) {
  if (lane >= rims_of_spot || lane % rim_columns >= nx) return -1;
  return lane < rim_columns ? lane : nx - 1 - lane % rim_columns;
}

}  // namespace spex::gpu
