// Factors and inverses of band matrices, one matrix per thread (extraction.md, 5.1); the
// counterpart of reference/linalg/band_lanes.hpp. The window of a step stays in registers.
#pragma once

namespace spex::gpu {

/// Factors a matrix of m rows, A = L diag(d) L^T, column by column. `element(j, d)` returns
/// A(j + d, j) for any j and 0 <= d <= R, zero if j + d >= m; `column(j, l)` receives
/// l[0] = 1 / d_j and l[d] = L(j + d, j). False if a pivot is not positive or not finite.
template <int R, class Real = double, class Element, class Column>
__device__ bool factor_band(int m, const Element& element, const Column& column) {
  Real A[R + 1][R + 1];  // [c][d], c + d <= R: remainder of element (j + c + d, j + c)
#pragma unroll
  for (int c = 0; c <= R; ++c)
#pragma unroll
    for (int d = 0; d <= R - c; ++d) A[c][d] = element(c, d);
  bool good = true;
#pragma unroll 1
  for (int j = 0; j < m; ++j) {
    Real entering[R + 1];  // loads overlap the work on this column
#pragma unroll
    for (int c = 0; c <= R; ++c) entering[c] = element(j + 1 + c, R - c);
    good = good && A[0][0] > 0 && isfinite(A[0][0]);
    Real l[R + 1];
    l[0] = 1 / A[0][0];
#pragma unroll
    for (int d = 1; d <= R; ++d) l[d] = A[0][d] * l[0];
#pragma unroll
    for (int d = 1; d <= R; ++d)
#pragma unroll
      for (int e = d; e <= R; ++e) A[d][e - d] -= l[d] * A[0][e];
    column(j, l);
#pragma unroll
    for (int c = 0; c < R; ++c)
#pragma unroll
      for (int d = 0; d < R - c; ++d) A[c][d] = A[c + 1][d];
#pragma unroll
    for (int c = 0; c <= R; ++c) A[c][R - c] = entering[c];
  }
  return good;
}

/// Computes the band of the inverse by Takahashi's equations, from the last column back.
/// `load(j, l)` returns what `column` of factor_band received, with zeros if j + d >= m;
/// `column(j, l, z)` receives z[d] = (A^-1)(j + d, j).
template <int R, class Load, class Column>
__device__ void invert_band(int m, const Load& load, const Column& column) {
  double Z[R][R];  // [c][d], c + d < R: element (j + 1 + c + d, j + 1 + c) of the inverse
#pragma unroll
  for (int c = 0; c < R; ++c)
#pragma unroll
    for (int d = 0; d < R - c; ++d) Z[c][d] = 0;
  double next[R + 1];
  load(m - 1, next);
#pragma unroll 1
  for (int j = m - 1; j >= 0; --j) {
    double l[R + 1];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = next[d];
    if (j > 0) load(j - 1, next);  // the load overlaps the work on this column
    double z[R + 1];
#pragma unroll
    for (int d = 1; d <= R; ++d) {
      double sum = 0;
#pragma unroll
      for (int e = 1; e <= R; ++e) sum -= l[e] * (d < e ? Z[d - 1][e - d] : Z[e - 1][d - e]);
      z[d] = sum;
    }
    z[0] = l[0];
#pragma unroll
    for (int e = 1; e <= R; ++e) z[0] -= l[e] * z[e];
    column(j, l, z);
#pragma unroll
    for (int c = R - 1; c > 0; --c)
#pragma unroll
      for (int d = 0; d < R - c; ++d) Z[c][d] = Z[c - 1][d];
#pragma unroll
    for (int d = 0; d < R; ++d) Z[0][d] = z[d];
  }
}

}  // namespace spex::gpu
