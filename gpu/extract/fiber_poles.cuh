// The terms of Zolotarev's sum: (P_b + shift)^-1 by two lanes, and what E adds
// (extraction.md, 5.1).
#pragma once

#include "gpu/extract/dense_lane.cuh"
#include "gpu/extract/fiber_lane.cuh"
#include "gpu/linalg/lane_band.cuh"

namespace spex::gpu {

/// Both vectors of section 5.1, R + 1 elements of each.
template <int R, class Real>
using VectorWindows = Real[fiber_roots::vectors][R + 1];

// Forward substitution in one vector: `window` begins with its next element, which those after it
// lose.
template <int R, class Real>
__device__ Real take_next(Real (&window)[R + 1], const Real (&l)[R + 1], Real entering) {
  const Real value = window[0];
#pragma unroll
  for (int d = 1; d <= R; ++d) window[d - 1] = window[d] - l[d] * value;
  window[R] = entering;
  return value;
}

// Back substitution: the element above those in the window.
template <int R, class Real>
__device__ Real take_previous(Real (&window)[R + 1], const Real (&l)[R + 1], Real value) {
  Real x = value * l[0];
  // The newest last, as it is the last to be known.
#pragma unroll
  for (int d = R; d > 0; --d) x -= l[d] * window[d - 1];
#pragma unroll
  for (int d = R; d > 0; --d) window[d] = window[d - 1];
  window[0] = x;
  return x;
}

/// Eliminates both halves of P + shift, and factors what they leave of the middle, which is A
/// (dense_lane.cuh). `column` as of eliminate_columns. True where the lane met positive pivots.
template <int R, class Real, class Column>
__device__ bool factor_halves(const Lane<R>& my, double shift, Real (&A)[R + 1][R + 1],
                              const Column& column) {
  const auto element = [&](int j, int d) { return my.template element<Real>(j, d, shift); };
#pragma unroll
  for (int c = 0; c <= R; ++c)
#pragma unroll
    for (int d = 0; d <= R - c; ++d) A[c][d] = element(c, d);
  const bool good = eliminate_columns<R>(my.h, A, element, column);
  // Both halves have the middle's own elements.
  Real middle[R + 1][R + 1];
#pragma unroll
  for (int c = 0; c <= R; ++c)
#pragma unroll
    for (int d = 0; d <= R - c; ++d)
      middle[c][d] = A[c][d] + of_other_side(A[R - c - d][d]) - element(my.h + c, d);
#pragma unroll
  for (int c = 0; c <= R; ++c)
#pragma unroll
    for (int d = 0; d <= R - c; ++d) A[c][d] = middle[c][d];
  return factor_dense(A) && good;
}

/// Solves the middle of both vectors, of which each half has left `x`; `start(k, j)` is what both
/// began with.
template <int R, class Real, class Start>
__device__ void solve_middle(const Lane<R>& my, const Real (&A)[R + 1][R + 1],
                             VectorWindows<R, Real>& x, const Start& start) {
#pragma unroll
  for (int k = 0; k < fiber_roots::vectors; ++k) {
    Real middle[R + 1];
#pragma unroll
    for (int c = 0; c <= R; ++c)
      middle[c] = x[k][c] + of_other_side(x[k][R - c]) - start(k, my.h + c);
    forward_dense(A, middle);
    back_dense(A, middle);
#pragma unroll
    for (int c = 0; c <= R; ++c) x[k][c] = middle[c];
  }
}

/// factor_halves that keeps L, and takes both vectors 1 and y through it: x is their middle.
template <int R, class Real>
__device__ bool solve_halves(const Lane<R>& my, const LaneScratch<R, Real>& scratch, double shift,
                             Real (&A)[R + 1][R + 1], VectorWindows<R, Real>& x) {
  const auto start = [&](int k, int j) { return my.template right_hand_side<Real>(k, j); };
#pragma unroll
  for (int k = 0; k < fiber_roots::vectors; ++k)
#pragma unroll
    for (int d = 0; d <= R; ++d) x[k][d] = start(k, d);
  const bool good = factor_halves<R>(my, shift, A, [&](int j, const Real(&l)[R + 1]) {
    Real* to = scratch.column(j);
#pragma unroll
    for (int d = 0; d <= R; ++d) to[d * warp_size] = l[d];
#pragma unroll
    for (int k = 0; k < fiber_roots::vectors; ++k)
      to[(R + 1 + k) * warp_size] = take_next<R>(x[k], l, start(k, j + R + 1));
  });
  solve_middle(my, A, x, start);
  return good;
}

/// True where all pivots of P + shift are positive.
template <int R>
__device__ bool is_positive(const Lane<R>& my, double shift) {
  double A[R + 1][R + 1];
  const bool good = factor_halves<R>(my, shift, A, [](int, const double(&)[R + 1]) {});
  return of_other_side(static_cast<int>(good)) != 0 && good;
}

// Adds column j of a half to the spectrum's sums over poles: both vectors' elements, and elements
// (j + d, j) of Q.
template <int R, int most>
__device__ void add_column(const Lane<R>& my, int j, const double (&v)[most]) {
  constexpr int group = fiber_roots::group;
#pragma unroll
  for (int first = 0; first < most; first += group) {
    if (first >= my.width()) break;
    double chunk[group];
#pragma unroll
    for (int i = 0; i < group; ++i) chunk[i] = v[first + i];
    const double sum = sum_over_group(chunk);
    const int number = first + my.p;
    const int d = max(number - fiber_roots::vectors, 0);
    // The middle, and what reaches into it, is that of side 0.
    const bool mine = my.side == 0 ? j + d <= my.h + R : j < my.h;
    const int column = my.side == 0 ? j : my.row(j) - d;
    if (mine && column >= 0 && column < my.m) my.sums[column * my.width() + number] += sum;
  }
}

/// Adds a pole of P_b's root to the spectrum's sums. True where the lane met positive pivots.
template <int R>
__device__ bool add_root(const Lane<R>& my, const LaneScratch<R, double>& scratch, double shift,
                         double weight) {
  constexpr int vectors = fiber_roots::vectors, group = fiber_roots::group;
  constexpr int most = (R + 1 + vectors + group - 1) / group * group;
  double A[R + 1][R + 1];
  VectorWindows<R, double> x;
  const bool good = solve_halves<R>(my, scratch, shift, A, x);
  invert_dense(A);
#pragma unroll
  for (int c = R; c >= 0; --c) {
    double v[most] = {};
#pragma unroll
    for (int k = 0; k < vectors; ++k) v[k] = weight * x[k][c];
#pragma unroll
    for (int d = 0; d <= R - c; ++d) v[vectors + d] = weight * ((d == 0 ? 1 : 0) - shift * A[c][d]);
    add_column<R>(my, my.h + c, v);
  }
  double Z[R][R];
#pragma unroll
  for (int c = 0; c < R; ++c)
#pragma unroll
    for (int d = 0; d < R - c; ++d) Z[c][d] = A[c][d];
  // invert_columns loads a column while it computes that below it.
  double half[vectors] = {}, half_ahead[vectors] = {};
  invert_columns<R>(
      my.h, Z,
      [&](int j, double(&l)[R + 1]) {
#pragma unroll
        for (int k = 0; k < vectors; ++k) half[k] = half_ahead[k];
        scratch.load(j, l, half_ahead);
      },
      [&](int j, const double(&l)[R + 1], const double(&z)[R + 1]) {
        double v[most] = {};
#pragma unroll
        for (int k = 0; k < vectors; ++k)
          v[k] = weight * take_previous<R>(x[k], l, j > 0 ? half[k] : half_ahead[k]);
#pragma unroll
        for (int d = 0; d <= R; ++d) v[vectors + d] = weight * ((d == 0 ? 1 : 0) - shift * z[d]);
        add_column<R>(my, j, v);
      });
  return good;
}

// Back through L^T with both vectors, from the middle in x: `take(j, v)` takes their elements j.
template <int R, class Real, class Take>
__device__ void solve_back(const Lane<R>& my, const LaneScratch<R, Real>& scratch,
                           VectorWindows<R, Real>& x, const Take& take) {
  constexpr int vectors = fiber_roots::vectors;
#pragma unroll
  for (int c = R; c >= 0; --c) {
    const Real v[vectors] = {x[0][c], x[1][c]};
    take(my.h + c, v);
  }
  Real l_ahead[R + 1] = {}, ahead[vectors] = {};
  if (my.h > 0) scratch.load(my.h - 1, l_ahead, ahead);
#pragma unroll 1
  for (int j = my.h - 1; j >= 0; --j) {
    Real l[R + 1], v[vectors];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = l_ahead[d];
#pragma unroll
    for (int k = 0; k < vectors; ++k) v[k] = ahead[k];
    if (j > 0) scratch.load(j - 1, l_ahead, ahead);
#pragma unroll
    for (int k = 0; k < vectors; ++k) v[k] = take_previous<R>(x[k], l, v[k]);
    take(j, v);
  }
}

// Through L with E X of both vectors: x is their middle.
template <int R, class Real>
__device__ void solve_forward(const Lane<R>& my, const LaneScratch<R, Real>& scratch,
                              const Real (&A)[R + 1][R + 1], VectorWindows<R, Real>& x) {
  constexpr int vectors = fiber_roots::vectors, poles = LaneScratch<R, Real>::poles;
  const auto start = [&](int k, int j) { return scratch.Ex(my.row(j))[k * poles]; };
#pragma unroll
  for (int k = 0; k < vectors; ++k)
#pragma unroll
    for (int d = 0; d <= R; ++d) x[k][d] = start(k, d);
#pragma unroll 1
  for (int j = 0; j < my.h; ++j) {
    Real l[R + 1], entering[vectors];
    Real* column = scratch.column(j);
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = column[d * warp_size];
#pragma unroll
    for (int k = 0; k < vectors; ++k) entering[k] = start(k, j + R + 1);
#pragma unroll
    for (int k = 0; k < vectors; ++k)
      column[(R + 1 + k) * warp_size] = take_next<R>(x[k], l, entering[k]);
  }
  solve_middle(my, A, x, start);
}

// E X of both vectors, in double precision; each side finds half of the rows, a tile at a time.
template <int R, class Real>
__device__ void apply_E(const Lane<R>& my, const LaneScratch<R, Real>& scratch) {
  constexpr int tile = 10, poles = LaneScratch<R, Real>::poles;
  const int half = (my.m + 1) / 2;
  const int end = my.side == 0 ? half : my.m;
  for (int first = my.side == 0 ? 0 : half; first < end; first += tile) {
    double sum[fiber_roots::vectors][tile] = {};
    const auto add = [&](int k, int rows) {
      const double x0 = scratch.x(k)[0], x1 = scratch.x(k)[poles];
      const double* E = my.E + static_cast<size_t>(k) * my.m + first;
#pragma unroll
      for (int i = 0; i < tile; ++i) {
        const double e = i < rows ? E[i] : 0.0;
        sum[0][i] += e * x0;
        sum[1][i] += e * x1;
      }
    };
    if (first + tile <= end) {
#pragma unroll 4
      for (int k = 0; k < my.m; ++k) add(k, tile);
    } else {
#pragma unroll 2
      for (int k = 0; k < my.m; ++k) add(k, end - first);
    }
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      if (first + i >= end) break;
      scratch.Ex(first + i)[0] = static_cast<Real>(sum[0][i]);
      scratch.Ex(first + i)[poles] = static_cast<Real>(sum[1][i]);
    }
  }
}

/// Adds a pole of what E adds to P^(-1/2) of 1 and y: X E X, X = (P_b + shift)^-1; for spectra
/// where it is `wanted`. True where the lane met positive pivots.
template <int R, class Real>
__device__ bool add_correction(const Lane<R>& my, const LaneScratch<R, Real>& scratch, double shift,
                               double weight, bool wanted) {
  constexpr int poles = LaneScratch<R, Real>::poles;
  Real A[R + 1][R + 1];
  VectorWindows<R, Real> x;
  const bool good = solve_halves<R>(my, scratch, shift, A, x);
  solve_back<R>(my, scratch, x, [&](int j, const Real(&v)[fiber_roots::vectors]) {
    // The middle is that of side 0.
    if (my.side != 0 && j >= my.h) return;
#pragma unroll
    for (int k = 0; k < fiber_roots::vectors; ++k) scratch.x(my.row(j))[k * poles] = v[k];
  });
  // Rows beyond m are zeros.
  for (int i = my.m + my.side; i < my.rows; i += fiber_roots::sides)
    scratch.Ex(i)[0] = scratch.Ex(i)[poles] = 0;
  __syncwarp();
  apply_E<R>(my, scratch);
  __syncwarp();
  solve_forward<R>(my, scratch, A, x);
  solve_back<R>(my, scratch, x, [&](int j, const Real(&v)[fiber_roots::vectors]) {
    Real weighted[fiber_roots::group] = {};
#pragma unroll
    for (int k = 0; k < fiber_roots::vectors; ++k) weighted[k] = static_cast<Real>(weight) * v[k];
    const Real sum = sum_over_group(weighted);
    if (!wanted || my.p >= fiber_roots::vectors || (my.side != 0 && j >= my.h)) return;
    const int row = my.row(j);
    if (row < my.m) my.added[my.p * my.m + row] += sum;
  });
  return good;
}

}  // namespace spex::gpu
