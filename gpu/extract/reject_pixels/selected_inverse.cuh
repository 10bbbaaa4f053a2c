// Elements of the inverse of a band matrix that lie within its band, from its factor by block
// cyclic reduction (gpu/linalg/cyclic_reduction.cuh). Block k is eliminated between p and n,
// `stride` away:
//   C_kp = -(D_k^-1 A_kp) C_pp - (D_k^-1 A_kn) C_np, likewise C_kn;
//   C_kk = D_k^-1 - (D_k^-1 A_kp) C_pk - (D_k^-1 A_kn) C_nk
// so blocks follow from those that were eliminated after them, all of a level in parallel.
#pragma once

#include "gpu/linalg/cyclic_reduction.cuh"

namespace spex::gpu {

/// Blocks of the inverse of a matrix of `m` rows, stored in numbers(m) doubles: C_kk, and C_kp and
/// C_kn with the neighbors between which block k was eliminated. Arrays are `[block][R][R]`.
template <int R>
struct SelectedInverse {
  static constexpr int square = R * R;
  int m = 0;
  double* room = nullptr;

  [[nodiscard]] static __host__ __device__ constexpr size_t numbers(int rows) {
    return static_cast<size_t>(3 * square) * ReducedBand<R>::blocks(rows);
  }
  [[nodiscard]] __device__ double* diagonal(int k) const { return room + k * square; }
  [[nodiscard]] __device__ double* before(int k) const {
    return room + (ReducedBand<R>::blocks(m) + k) * square;
  }
  [[nodiscard]] __device__ double* after(int k) const {
    return room + (2 * ReducedBand<R>::blocks(m) + k) * square;
  }

  /// Element (v + d, v), 0 <= d <= R, v + d < m.
  [[nodiscard]] __device__ double at(int v, int d) const {
    const int k = v / R, next = (v + d) / R;
    const int column = v % R, row = (v + d) % R;
    if (next == k) return diagonal(k)[row * R + column];
    // The odd one of two adjacent blocks was eliminated first, beside the other.
    return next % 2 != 0 ? before(next)[row * R + column] : after(k)[column * R + row];
  }
};

/// Element (i, j) of (D_k^-1 A_ko) C for the transpose `of_k` of D_k^-1 A_ko, as ReducedBand stores
/// it, and `element(l)` = C_lj.
template <int R, class Element>
__device__ double times_column(const double* of_k, int i, const Element& element) {
  double sum = 0;
#pragma unroll
  for (int l = 0; l < R; ++l) sum += of_k[i * R + l] * element(l);
  return sum;
}

/// A block that was eliminated between neighbors `stride` away.
struct EliminatedBlock {
  int k;
  int stride;
};

/// Element (i, j) of C_kp (`below`) or C_kn of a block.
template <int R>
__device__ double beside(const ReducedBand<R>& A, const SelectedInverse<R>& C,
                         EliminatedBlock block, bool below, int i, int j) {
  const auto [k, stride] = block;
  const int p = k - stride, n = k + stride;
  const bool upper = n < A.blocks();
  // C_np, stored with the one of both that was eliminated first.
  const bool by_n = (n / (2 * stride)) % 2 != 0;
  const double* of_n = by_n ? C.before(n) : C.after(p);
  const auto np = [&](int row, int column) {
    return by_n ? of_n[row * R + column] : of_n[column * R + row];
  };
  double sum = times_column<R>(A.before_transposed(k), i,
                               [&](int l) { return below ? C.diagonal(p)[l * R + j] : np(j, l); });
  if (upper)
    sum += times_column<R>(A.after_transposed(k), i,
                           [&](int l) { return below ? np(l, j) : C.diagonal(n)[l * R + j]; });
  return -sum;
}

/// Computes C of the blocks first + stride (2 e + 1) below `end` from those that were eliminated
/// later, of all strides from `stride` down to `last`. Must be called by a whole thread block.
template <int R>
__device__ void invert_levels(const ReducedBand<R>& A, const SelectedInverse<R>& C, int first,
                              int end, int stride, int last) {
  constexpr int square = ReducedBand<R>::square;
  const int blocks = A.blocks();
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  for (; stride >= last; stride /= 2) {
    const int count = eliminated(end - first, stride);
    for (int e = thread; e < count * 2 * square; e += threads) {
      const int k = first + stride * (2 * (e / (2 * square)) + 1);
      const bool below = e / square % 2 == 0;
      const int i = e / R % R, j = e % R;
      if (!below && k + stride >= blocks) continue;
      (below ? C.before(k) : C.after(k))[i * R + j] = beside(A, C, {k, stride}, below, i, j);
    }
    __syncthreads();
    for (int e = thread; e < count * square; e += threads) {
      const int k = first + stride * (2 * (e / square) + 1), i = e / R % R, j = e % R;
      double less =
          times_column<R>(A.before_transposed(k), i, [&](int l) { return C.before(k)[j * R + l]; });
      if (k + stride < blocks)
        less +=
            times_column<R>(A.after_transposed(k), i, [&](int l) { return C.after(k)[j * R + l]; });
      C.diagonal(k)[i * R + j] = A.diagonal(k)[i * R + j] - less;
    }
    __syncthreads();
  }
}

/// Computes C of the segments' first blocks of a matrix with a finished factor. Must be called by a
/// whole thread block.
template <int R>
__device__ void invert_between(const ReducedBand<R>& A, const SelectedInverse<R>& C) {
  constexpr int square = ReducedBand<R>::square;
  for (int e = static_cast<int>(threadIdx.x); e < square; e += static_cast<int>(blockDim.x))
    C.diagonal(0)[e] = A.diagonal(0)[e];
  __syncthreads();
  int stride = A.segment;
  while (2 * stride < A.blocks()) stride *= 2;
  invert_levels(A, C, 0, A.blocks(), stride, A.segment);
}

/// Computes C of a segment's other blocks, after invert_between. Must be called by a whole thread
/// block.
template <int R>
__device__ void invert_segment(const ReducedBand<R>& A, const SelectedInverse<R>& C, int segment) {
  const int first = segment * A.segment;
  invert_levels(A, C, first, A.end_of_segment(first), A.segment / 2, 1);
}

}  // namespace spex::gpu
