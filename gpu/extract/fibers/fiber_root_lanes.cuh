// The work of one lane of find_fiber_roots: one pole of a spectrum, a shifted band that is factored
// and solved with a few vectors (extraction.md, section 5.1).
#pragma once

#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/limits.hpp"
#include "gpu/linalg/band_lanes.cuh"

namespace spex::gpu::root_lanes {

constexpr int group = fiber_roots::group;
constexpr int vectors = fiber_roots::vectors;
constexpr unsigned all = 0xffffffffU;

// Sums each number of `v` over the lanes of a spectrum; lane p gets the sum of v[p]. Each step
// exchanges half of the numbers, so it adds half as many as the step before.
__device__ inline double sum_over_group(const double (&v)[group]) {
  const int lane = threadIdx.x % group;
  double half[4], quarter[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool upper = (lane & 4) != 0;
    half[i] = upper ? v[i + 4] : v[i];
    half[i] += __shfl_xor_sync(all, upper ? v[i] : v[i + 4], 4);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const bool upper = (lane & 2) != 0;
    quarter[i] = upper ? half[i + 2] : half[i];
    quarter[i] += __shfl_xor_sync(all, upper ? half[i] : half[i + 2], 2);
  }
  const bool upper = (lane & 1) != 0;
  return (upper ? quarter[1] : quarter[0]) +
         __shfl_xor_sync(all, upper ? quarter[0] : quarter[1], 1);
}

// Whether `value` is true in any lane of the spectrum.
__device__ inline bool any_of_group(bool value) {
  const unsigned first = threadIdx.x % warp_size / group * group;
  return (__ballot_sync(all, value) >> first & ((1U << group) - 1)) != 0;
}

// Scratch of a warp: L and two pairs of vectors.
__host__ __device__ constexpr int scratch_numbers_of_warp(int R, int m) {
  return m * (R + 1 + 2 * vectors) * warp_size;
}

// Columns of L are prefetched this many columns ahead: the scratch of all warps exceeds the
// second-level cache.
constexpr int columns_ahead = 4;

template <class Real>
__device__ void prefetch(const Real* value) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(value));
}

// The work of a lane: one pole of a spectrum. L and the vectors are of type Real.
template <int R, class Real>
struct Lane {
  int m;
  int ndiag;
  int lane;         // within the warp's scratch
  int p;            // within the spectrum's lanes
  const double* P;  // band of the spectrum, zeros beyond its rows
  const float* E;
  const double* y;
  double* sums;   // shared, [m][group chunks]: 1, y, then the band of Q, from P_b alone
  double* added;  // shared, [vectors][m]: the correction by E of P^(-1/2) of 1 and y
  double* r;      // shared, [m]
  Real* L;        // of the warp, [m][R + 1][32]
  Real* x;        // of the warp, [m][vectors][32]
  Real* Ex;       // of the warp, [m][vectors][32]

  // Divides the scratch of the warp.
  __device__ void take(double* scratch) {
    L = reinterpret_cast<Real*>(scratch);
    x = L + m * (R + 1) * warp_size;
    Ex = x + m * vectors * warp_size;
  }
  __device__ int width() const { return group * fiber_roots::chunks(ndiag); }
  __device__ double of_band(int v, int j) const { return sums[j * width() + v]; }
  __device__ double Q(int j, int d) const { return sums[j * width() + vectors + d]; }
  __device__ Real& column(Real* of, int j, int v) const {
    return of[(j * vectors + v) * warp_size + lane];
  }
  __device__ double element(int j, int d, double shift) const {
    return P[j * (R + 1) + d] + (d == 0 ? shift : 0.0);
  }
  // Column j of L, and both vectors' elements j at `of`.
  __device__ void load(const Real* of, int j, Real (&l)[R + 1], Real (&v)[vectors]) const {
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = L[(j * (R + 1) + d) * warp_size + lane];
#pragma unroll
    for (int k = 0; k < vectors; ++k) v[k] = of[(j * vectors + k) * warp_size + lane];
  }
  __device__ void prefetch_column(const Real* of, int j) const {
    if (j < 0 || j >= m) return;
#pragma unroll
    for (int d = 0; d <= R; ++d) prefetch(L + (j * (R + 1) + d) * warp_size + lane);
#pragma unroll
    for (int k = 0; k < vectors; ++k) prefetch(of + (j * vectors + k) * warp_size + lane);
  }
};

// The same lane, in another precision.
template <class Real, int R>
__device__ Lane<R, Real> with_precision(const Lane<R, double>& my) {
  Lane<R, Real> other{my.m, my.ndiag, my.lane, my.p, my.P, my.E, my.y, my.sums, my.added, my.r};
  other.take(my.L);
  return other;
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

// Factors P + shift and solves L x = v for both vectors. True if all pivots are positive.
template <int R, class Real>
__device__ bool factor_shifted(const Lane<R, Real>& my, double shift) {
  const auto one = [&](int j) { return static_cast<Real>(j < my.m ? 1 : 0); };
  const auto y = [&](int j) { return static_cast<Real>(j < my.m ? my.y[j] : 0.0); };
  Real window[vectors][R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[0][d] = one(d);
    window[1][d] = y(d);
  }
  return factor_band<R, Real>(
      my.m, [&](int j, int d) { return static_cast<Real>(my.element(j, d, shift)); },
      [&](int j, const Real(&l)[R + 1]) {
        Real* L = my.L + j * (R + 1) * warp_size + my.lane;
#pragma unroll
        for (int d = 0; d <= R; ++d) L[d * warp_size] = l[d];
        my.column(my.x, j, 0) = take_next<R>(window[0], l, one(j + R + 1));
        my.column(my.x, j, 1) = take_next<R>(window[1], l, y(j + R + 1));
      });
}

// Raises a lower bound of the eigenvalues of P_b to within a factor of 1.7 of the least eigenvalue.
// Each lane tests another number by Sturm: are all pivots of P_b minus the number positive? The
// least eigenvalue is at most m times the bound from the trace of the inverse.
template <int R>
__device__ double raise_least(const Lane<R, double>& my, double least) {
  const double shift = least * pow(static_cast<double>(my.m), (my.p + 1) / (group + 1.0));
  const bool below = factor_band<R>(
      my.m, [&](int j, int d) { return my.element(j, d, -shift); },
      [](int, const double(&)[R + 1]) {});
  double best = below ? shift : least;
#pragma unroll
  for (int offset = group / 2; offset > 0; offset /= 2)
    best = fmax(best, __shfl_xor_sync(all, best, offset));
  return best;
}

// Solves L^T x = v, computes the band of the inverse, and adds both to the sums of the spectrum.
template <int R>
__device__ void add_root(const Lane<R, double>& my, double shift, double weight) {
  constexpr int most = (R + 1 + vectors + group - 1) / group * group;
  double window[vectors][R + 1] = {};
  // invert_band loads a column while it computes that above it.
  double x[vectors] = {}, x_ahead[vectors] = {};
  invert_band<R>(
      my.m,
      [&](int j, double(&l)[R + 1]) {
        my.prefetch_column(my.x, j - columns_ahead);
#pragma unroll
        for (int k = 0; k < vectors; ++k) x[k] = x_ahead[k];
        my.load(my.x, j, l, x_ahead);
      },
      [&](int j, const double(&l)[R + 1], const double(&z)[R + 1]) {
        double v[most] = {};
#pragma unroll
        for (int k = 0; k < vectors; ++k)
          v[k] = weight * take_previous<R>(window[k], l, j > 0 ? x[k] : x_ahead[k]);
#pragma unroll
        for (int d = 0; d <= R; ++d) v[vectors + d] = weight * ((d == 0 ? 1 : 0) - shift * z[d]);
#pragma unroll
        for (int first = 0; first < most; first += group) {
          if (first >= my.width()) break;
          double chunk[group];
#pragma unroll
          for (int i = 0; i < group; ++i) chunk[i] = v[first + i];
          my.sums[j * my.width() + first + my.p] += sum_over_group(chunk);
        }
      });
}

// Solves L^T x = v for both vectors at `of`; passes element j of vector k to `take(j, k, x)`.
template <int R, class Real, class Take>
__device__ void solve_back(const Lane<R, Real>& my, const Real* of, const Take& take) {
  Real window[vectors][R + 1] = {};
  Real l_ahead[R + 1], ahead[vectors];
  my.load(of, my.m - 1, l_ahead, ahead);
  for (int j = my.m - 1; j >= 0; --j) {
    my.prefetch_column(of, j - columns_ahead);
    Real l[R + 1], value[vectors];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = l_ahead[d];
#pragma unroll
    for (int k = 0; k < vectors; ++k) value[k] = ahead[k];
    if (j > 0) my.load(of, j - 1, l_ahead, ahead);
#pragma unroll
    for (int k = 0; k < vectors; ++k) take(j, k, take_previous<R>(window[k], l, value[k]));
  }
}

// Solves L x = v for both vectors at `of`, in place.
template <int R, class Real>
__device__ void solve_forward(const Lane<R, Real>& my, Real* of) {
  const auto value = [&](int j, int k) { return j < my.m ? my.column(of, j, k) : Real{0}; };
  Real window[vectors][R + 1];
#pragma unroll
  for (int k = 0; k < vectors; ++k)
#pragma unroll
    for (int d = 0; d <= R; ++d) window[k][d] = value(d, k);
  Real l_ahead[R + 1], unused[vectors];
  my.load(of, 0, l_ahead, unused);
  for (int j = 0; j < my.m; ++j) {
    my.prefetch_column(of, j + R + 1 + columns_ahead);
    Real l[R + 1], entering[vectors];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = l_ahead[d];
#pragma unroll
    for (int k = 0; k < vectors; ++k) entering[k] = value(j + R + 1, k);
    if (j + 1 < my.m) my.load(of, j + 1, l_ahead, unused);
#pragma unroll
    for (int k = 0; k < vectors; ++k) my.column(of, j, k) = take_next<R>(window[k], l, entering[k]);
  }
}

}  // namespace spex::gpu::root_lanes
