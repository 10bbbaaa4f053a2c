// What the root of P_b and the term of E share: poles over lanes, substitution in registers, and
// what a warp knows of its spectra (extraction.md, section 5.1).
#pragma once

#include <algorithm>

#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/limits.hpp"
#include "gpu/extract/batch/spectra_device.cuh"
#include "gpu/extract/fibers/fiber_root.hpp"
#include "gpu/linalg/band_lanes.cuh"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/linalg/zolotarev.hpp"

namespace spex::gpu::root_lanes {

constexpr int vectors = fiber_roots::vectors;
constexpr unsigned all = 0xffffffffU;

// Whether `value` is true in any lane of the aligned group of `lanes`; called by the whole warp.
template <int lanes>
__device__ bool any_of(bool value) {
  const unsigned first = threadIdx.x % warp_size / lanes * lanes;
  return (__ballot_sync(all, value) >> first & ((1U << lanes) - 1)) != 0;
}
template <int lanes>
__device__ double max_of(double v) {
#pragma unroll
  for (int offset = lanes / 2; offset > 0; offset /= 2)
    v = fmax(v, __shfl_xor_sync(all, v, offset));
  return v;
}

// Poles for a relative error, in steps of `step`.
__device__ inline int poles_for(double least, double largest, double error, int step) {
  int n = step;
  while (n < fiber_poles::most && zolotarev_error(n, least / largest) > error) n += step;
  return n;
}

// n poles in rounds of `lanes`, one a lane, p of its spectrum. Where another spectrum of the warp
// has more poles, or a round has fewer poles than lanes, lanes repeat the last pole without weight.
// `add(i, shift, weight)`, i the pole's number in the round, is false where a pivot is not
// positive; true where all are.
template <int lanes, class Add>
__device__ bool with_poles(double least, double largest, int n, int p, const Add& add) {
  const int end = __reduce_max_sync(all, n);
  bool positive = true;
  for (int first = 0; first < end; first += lanes) {
    const int i = min(first + p, n - 1);
    const ZolotarevPole pole = zolotarev_pole(i, n, least, largest);
    positive = add(i % lanes, pole.shift, first + p < n ? pole.weight : 0.0) && positive;
  }
  __syncwarp();
  return positive;
}

// Columns of L are prefetched this many columns ahead: the scratch of all warps exceeds the
// second-level cache.
constexpr int columns_ahead = 4;

template <class Real>
__device__ void prefetch(const Real* value) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(value));
}

// One step of forward substitution: returns the first element of `window`, and subtracts its
// multiples from the elements behind it.
template <int R, class Real>
__device__ Real take_next(Real (&window)[R + 1], const Real (&l)[R + 1], Real entering) {
  const Real value = window[0];
#pragma unroll
  for (int d = 1; d <= R; ++d) window[d - 1] = window[d] - l[d] * value;
  window[R] = entering;
  return value;
}

// One step of back substitution: returns the element above those in the window.
template <int R, class Real>
__device__ Real take_previous(Real (&window)[R + 1], const Real (&l)[R + 1], Real value) {
  Real x = value * l[0];
  // The newest element comes last, because it is known last.
#pragma unroll
  for (int d = R; d > 0; --d) x -= l[d] * window[d - 1];
#pragma unroll
  for (int d = R; d > 0; --d) window[d] = window[d - 1];
  window[0] = x;
  return x;
}

// A core spectrum and its equations.
template <int R>
struct Equations {
  int m;
  size_t slot;
  CoreSpectrum core;
  const double* P;  // band, zeros beyond its rows
  const float* E;   // [m][stride_of_E]
  const double* y;

  __device__ Equations(const FiberRoots& batch, int spectrum)
      : m(batch.layout.nwave), core(batch.cores[spectrum]) {
    const PatchGeometry& patch = batch.patches[core.patch];
    const SchurComplements& of = batch.complements;
    slot = static_cast<size_t>(core.patch) * batch.layout.nslots + patch.pad_below + core.s;
    P = of.band + static_cast<size_t>(spectrum) * SchurComplements::band_size(batch.layout);
    E = of.outside + static_cast<size_t>(spectrum) * m * fiber_roots::stride_of_E(m);
    y = of.y + static_cast<size_t>(spectrum) * m;
  }
  __device__ double element(int j, int d, double shift) const {
    return P[j * (R + 1) + d] + (d == 0 ? shift : 0.0);
  }
  // (P_b x)_j, x(k) element k of a vector.
  template <class Vector>
  __device__ double times_P(int j, const Vector& x) const {
    double sum = element(j, 0, 0) * x(j);
    for (int d = 1; d <= R; ++d) {
      if (j + d < m) sum += element(j, d, 0) * x(j + d);
      if (j >= d) sum += element(j - d, d, 0) * x(j - d);
    }
    return sum;
  }
  template <class Vector>
  __device__ double times_E(int j, const Vector& x) const {
    const int stride = fiber_roots::stride_of_E(m);
    double sum = 0;
#pragma unroll 8
    for (int k = 0; k < m; ++k) sum += E[static_cast<size_t>(k) * stride + j] * x(k);
    return sum;
  }
};

// Stores the bins that q constrains, `lanes` lanes a spectrum, p the caller's: z = P^(-1/2) y, Q(j,
// d) element (j + d, j) of the root, r its row sums.
template <int R, int lanes, class Z, class Q, class Sum>
__device__ void store_spectrum(const FiberRoots& batch, const Equations<R>& of, int p, const Z& z,
                               const Q& Q_of, const Sum& r) {
  const PatchGeometry& patch = batch.patches[of.core.patch];
  const double* q = batch.q + of.slot * of.m;
  for (int w = p; w < patch.nkept; w += lanes) {
    const int column = w + patch.wavepad;
    if (q[column] == 0) continue;
    store_bin(
        patch, {of.core.s, w, z(column)},
        [&](int row) { return Q_of(min(row, column), abs(row - column)); }, r,
        batch.status + of.core.patch, batch.spectra);
  }
}

// The blocks of a kernel that are resident at the same time.
template <class Kernel>
int resident_blocks(Kernel kernel, std::size_t bytes) {
  allow_shared_memory(reinterpret_cast<const void*>(kernel));
  int device = 0, processors = 0, each = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  SPEX_GPU_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &each, kernel, fiber_roots::warps * warp_size, bytes));
  return processors * std::max(each, 1);
}

}  // namespace spex::gpu::root_lanes
