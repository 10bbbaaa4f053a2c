// Factors and inverses of small dense matrices, one symmetric matrix of `size` rows a thread, in
// its registers: A[c][d], c + d < size, is element (c + d, c).
#pragma once

namespace spex::gpu {

/// A = L diag(d) L^T in place: A[c][0] becomes 1 / d_c, and A[c][d] becomes L(c + d, c). False
/// where a pivot is not positive or not finite.
template <int size, class Real>
__device__ bool factor_dense(Real (&A)[size][size]) {
  bool good = true;
#pragma unroll
  for (int c = 0; c < size; ++c) {
    good = good && A[c][0] > 0 && isfinite(A[c][0]);
    const Real inverse = 1 / A[c][0];
    A[c][0] = inverse;
#pragma unroll
    for (int d = 1; d < size - c; ++d) {
      const Real l = A[c][d] * inverse;
      // Row c + d; A[c][e], e > d, is not divided yet.
#pragma unroll
      for (int e = d; e < size - c; ++e) A[c + d][e - d] -= l * A[c][e];
      A[c][d] = l;
    }
  }
  return good;
}

/// x becomes L^-1 x.
template <int size, class Real>
__device__ void forward_dense(const Real (&A)[size][size], Real (&x)[size]) {
#pragma unroll
  for (int c = 0; c < size; ++c)
#pragma unroll
    for (int d = 1; d < size - c; ++d) x[c + d] -= A[c][d] * x[c];
}

/// x becomes L^-T diag(1 / d) x.
template <int size, class Real>
__device__ void back_dense(const Real (&A)[size][size], Real (&x)[size]) {
#pragma unroll
  for (int c = size - 1; c >= 0; --c) {
    x[c] *= A[c][0];
#pragma unroll
    for (int d = 1; d < size - c; ++d) x[c] -= A[c][d] * x[c + d];
  }
}

/// The inverse in place of what factor_dense left.
template <int size, class Real>
__device__ void invert_dense(Real (&A)[size][size]) {
#pragma unroll
  for (int c = size - 1; c >= 0; --c) {
    Real z[size];
#pragma unroll
    for (int d = 1; d < size - c; ++d) {
      z[d] = 0;
#pragma unroll
      for (int e = 1; e < size - c; ++e)
        z[d] -= A[c][e] * (d < e ? A[c + d][e - d] : A[c + e][d - e]);
    }
#pragma unroll
    for (int d = 1; d < size - c; ++d) {
      A[c][0] -= A[c][d] * z[d];
      A[c][d] = z[d];
    }
  }
}

}  // namespace spex::gpu
