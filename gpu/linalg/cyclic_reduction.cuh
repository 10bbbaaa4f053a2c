// Band matrices by block cyclic reduction (Heller, 1976). A band of half-bandwidth R is
// block-tridiagonal in blocks of R rows. Each step eliminates every second remaining block, all in
// parallel. A band's Cholesky factor takes m sequential steps, cyclic reduction 2 log2(m / R).
//
// First, in segments of eight blocks, one thread block per segment eliminates all blocks except the
// first, in shared memory, for all segments of all matrices in parallel. Then one thread block per
// matrix eliminates the segments' first blocks. Solutions (cyclic_reduction_solve.cuh) proceed in
// the same way, and back to the segments.
#pragma once

#include <cstddef>

namespace spex::gpu {

/// A symmetric positive definite matrix of `m` rows and half-bandwidth at most R, stored in
/// numbers(m) doubles. Block k is eliminated between its remaining neighbors p (before) and n
/// (after); A_kk is then D_k. Arrays are `[block][R][R]`, row-major.
template <int R>
struct ReducedBand {
  static constexpr int square = R * R;
  static constexpr int segment = 8;  ///< blocks
  static constexpr int segment_rows = segment * R;
  int m = 0;
  double* room = nullptr;

  [[nodiscard]] static __host__ __device__ constexpr int blocks(int rows) {
    return (rows + R - 1) / R;
  }
  [[nodiscard]] static __host__ __device__ constexpr int segments(int rows) {
    return (blocks(rows) + segment - 1) / segment;
  }
  [[nodiscard]] static __host__ __device__ constexpr size_t numbers(int rows) {
    return static_cast<size_t>(6 * square) * blocks(rows);
  }
  [[nodiscard]] __device__ int blocks() const { return blocks(m); }
  [[nodiscard]] __device__ int segments() const { return segments(m); }
  /// One past the last block of the segment that starts with block `first`.
  [[nodiscard]] __device__ int end_of_segment(int first) const {
    return min(first + segment, blocks());
  }
  /// D_k, only the lower triangle; finally D_k^-1.
  [[nodiscard]] __device__ double* diagonal(int k) const { return room + k * square; }
  /// A_nk before k is eliminated, (L_k^-1 A_kn)^T afterwards, finally A_nk D_k^-1.
  [[nodiscard]] __device__ double* after(int k) const { return room + (blocks() + k) * square; }
  /// (L_k^-1 A_kp)^T after k is eliminated, finally A_pk D_k^-1; unused for block 0.
  [[nodiscard]] __device__ double* before(int k) const {
    return room + (2 * blocks() + k) * square;
  }
  /// L_k^-1, D_k = L_k L_k^T.
  [[nodiscard]] __device__ double* root(int k) const { return room + (3 * blocks() + k) * square; }
  /// Final transposes of `after` and `before`, so that neighboring threads, which handle
  /// neighboring rows, read consecutive memory.
  [[nodiscard]] __device__ double* after_transposed(int k) const {
    return room + (4 * blocks() + k) * square;
  }
  /// @copydoc after_transposed
  [[nodiscard]] __device__ double* before_transposed(int k) const {
    return room + (5 * blocks() + k) * square;
  }
};

/// Number of blocks, stride (2 e + 1), that a step of stride `stride` eliminates.
__device__ inline int eliminated(int blocks, int stride) {
  return (blocks + stride - 1) / (2 * stride);
}
/// Number of blocks, 2 stride e, that remain after the step.
__device__ inline int left_over(int blocks, int stride) {
  return (blocks + 2 * stride - 1) / (2 * stride);
}

/// Writes column c of L_k^-1 (A_kp, A_kn, 1), with p and n `stride` away, to row c of `before` and
/// `after` and to column c of `root`. Returns false if a pivot of D_k is not positive and finite.
template <int R>
__device__ bool eliminate(const ReducedBand<R>& A, int k, int stride, int c) {
  const double* D = A.diagonal(k);
  const int row = c % R;
  // Issue all loads before waiting for any of them.
  double L[R][R];
  double x[R];
#pragma unroll
  for (int i = 0; i < R; ++i) {
#pragma unroll
    for (int j = 0; j <= i; ++j) L[i][j] = D[i * R + j];
    x[i] = i == row ? 1.0 : 0.0;
    if (c < R) x[i] = A.after(k - stride)[i * R + row];
    if (c >= R && c < 2 * R) x[i] = k + stride < A.blocks() ? A.after(k)[row * R + i] : 0.0;
  }
  bool good = true;
  // L, with 1 / L_ii on the diagonal.
#pragma unroll
  for (int i = 0; i < R; ++i)
#pragma unroll
    for (int j = 0; j <= i; ++j) {
      double sum = L[i][j];
#pragma unroll
      for (int l = 0; l < j; ++l) sum -= L[i][l] * L[j][l];
      if (i == j) {
        good = good && sum > 0 && isfinite(sum);
        L[i][i] = rsqrt(sum);
      } else {
        L[i][j] = sum * L[j][j];
      }
    }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    double sum = x[i];
#pragma unroll
    for (int l = 0; l < i; ++l) sum -= L[i][l] * x[l];
    x[i] = sum * L[i][i];
  }
  double* out = A.root(k) + row;
  int step = R;
  if (c < 2 * R) {
    out = (c < R ? A.before(k) : A.after(k)) + row * R;
    step = 1;
  }
#pragma unroll
  for (int i = 0; i < R; ++i) out[i * step] = x[i];
  return good;
}

/// (U V^T)_ij.
template <int R>
__device__ double product(const double* U, const double* V, int i, int j) {
  double sum = 0;
  for (int l = 0; l < R; ++l) sum += U[i * R + l] * V[j * R + l];
  return sum;
}

/// Elimination of the block `stride` after block k: the amount to subtract from element (i, j) of
/// D_k, and to set in A_nk.
template <int R>
__device__ double take_next(const ReducedBand<R>& A, int k, int stride, int i, int j) {
  if (k + stride >= A.blocks()) return 0.0;
  const double* U = A.before(k + stride);
  A.after(k)[i * R + j] = -product<R>(A.after(k + stride), U, i, j);
  return product<R>(U, U, i, j);
}
/// Elimination of the block `stride` before block k: the amount to subtract from element (i, j) of
/// D_k.
template <int R>
__device__ double take_last(const ReducedBand<R>& A, int k, int stride, int i, int j) {
  const double* U = A.after(k - stride);
  return product<R>(U, U, i, j);
}

/// Eliminates every second of the blocks first + stride k below `end`, then every second remaining
/// block, until only the first remains. Must be called by a whole thread block; returns to each
/// thread whether all its pivots were positive and finite.
template <int R>
__device__ bool reduce_levels(const ReducedBand<R>& A, int first, int end, int stride) {
  constexpr int square = ReducedBand<R>::square;
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  bool good = true;
  for (; stride < end - first; stride *= 2) {
    for (int e = thread; e < eliminated(end - first, stride) * 3 * R; e += threads) {
      const int k = first + stride * (2 * (e / (3 * R)) + 1);
      good = eliminate(A, k, stride, e % (3 * R)) && good;
    }
    __syncthreads();
    for (int e = thread; e < left_over(end - first, stride) * square; e += threads) {
      const int k = first + e / square * 2 * stride, i = e / R % R, j = e % R;
      double less = k > first ? take_last(A, k, stride, i, j) : 0.0;
      less += take_next(A, k, stride, i, j);
      if (i >= j) A.diagonal(k)[i * R + j] -= less;
    }
    __syncthreads();
  }
  return good;
}

/// Eliminated blocks, `[block][R][R]` each: root, before and after as the elimination leaves them.
struct EliminatedBlocks {
  const double* root;
  const double* before;
  const double* after;
};

/// Computes the final blocks of the factor from `count` eliminated ones, in shared memory; the
/// block e of them is block place(e) of A. Must be called by a whole thread block.
template <int R, class Place>
__device__ void finish_blocks(const ReducedBand<R>& A, int count, const EliminatedBlocks& of,
                              const Place& place) {
  constexpr int square = ReducedBand<R>::square;
  constexpr int parts = 2;  // of a row, in parallel
  constexpr int columns = (R + parts - 1) / parts;
  const auto threads = static_cast<int>(blockDim.x);
  // Neighboring threads write consecutive memory.
  for (int e = static_cast<int>(threadIdx.x); e < count * parts * R; e += threads) {
    const int block = e / (parts * R), i = e % R, begin = e / R % parts * columns;
    const double* X = of.root + block * square;
    const double* before = of.before + block * square;
    const double* after = of.after + block * square;
    const int k = place(block);
    for (int j = begin; j < min(begin + columns, R); ++j) {
      double inverse = 0, of_before = 0, of_after = 0, before_row = 0, after_row = 0;
#pragma unroll
      for (int l = 0; l < R; ++l) {
        const double x = X[l * R + i];
        inverse += x * X[l * R + j];  // the inverse is symmetric
        of_before += before[j * R + l] * x;
        of_after += after[j * R + l] * x;
        before_row += before[i * R + l] * X[l * R + j];
        after_row += after[i * R + l] * X[l * R + j];
      }
      A.diagonal(k)[j * R + i] = inverse;
      A.before(k)[j * R + i] = of_before;
      A.after(k)[j * R + i] = of_after;
      A.before_transposed(k)[j * R + i] = before_row;
      A.after_transposed(k)[j * R + i] = after_row;
    }
  }
}

/// Shared memory of reduce_segment: the arrays that an elimination uses, of the blocks of a segment
/// and of the block after them.
template <int R>
struct SegmentBlocks {
  static constexpr int arrays = 4;
  double room[arrays * (ReducedBand<R>::segment + 1) * ReducedBand<R>::square];
};

/// Eliminates all blocks of a segment except the first, and finishes them. `element(j, d)` returns
/// A(j + d, j), 0 for j + d >= m. What the segment takes from the next one's first block is left
/// in `before` of that block, for reduce_between. Must be called by a whole thread block; returns
/// to each thread whether all its pivots were positive and finite.
template <int R, class Element>
__device__ bool reduce_segment(const ReducedBand<R>& A, int segment, const Element& element,
                               SegmentBlocks<R>& shared) {
  constexpr int square = ReducedBand<R>::square;
  const int first = segment * A.segment, end = A.end_of_segment(first), count = end - first;
  const bool is_last = end == A.blocks();
  const ReducedBand<R> blocks{(is_last ? count : count + 1) * R, shared.room};
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  for (int e = thread; e < count * square; e += threads) {
    const int k = e / square, i = e / R % R, j = e % R;
    const int column = (first + k) * R + j;
    const double identity = i == j ? 1.0 : 0.0;
    if (i >= j) blocks.diagonal(k)[i * R + j] = column < A.m ? element(column, i - j) : identity;
    blocks.after(k)[i * R + j] = i <= j && column < A.m ? element(column, R + i - j) : 0.0;
  }
  __syncthreads();

  const bool good = reduce_levels(blocks, 0, count, 1);
  for (int e = thread; e < square; e += threads) {
    const int i = e / R, j = e % R;
    if (i >= j) A.diagonal(first)[e] = blocks.diagonal(0)[e];
    if (is_last) continue;
    A.after(first)[e] = blocks.after(0)[e];
    double less = 0;
    for (int stride = 1; stride < A.segment; stride *= 2)
      less += take_last(blocks, A.segment, stride, i, j);
    A.before(end)[e] = less;
  }
  finish_blocks(A, count - 1, {blocks.root(1), blocks.before(1), blocks.after(1)},
                [&](int e) { return first + 1 + e; });
  return good;
}

/// Shared memory of reduce_between.
template <int R>
struct FirstBlocks {
  static constexpr int at_once = 8;
  static constexpr int numbers = at_once * ReducedBand<R>::square;
  double root[numbers], before[numbers], after[numbers];
};

/// Eliminates the first blocks of all segments, after reduce_segment, and finishes them. Must be
/// called by a whole thread block; returns as reduce_segment.
template <int R>
__device__ bool reduce_between(const ReducedBand<R>& A, FirstBlocks<R>& shared) {
  constexpr int square = ReducedBand<R>::square;
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  for (int e = thread; e < (A.segments() - 1) * square; e += threads) {
    const int k = (e / square + 1) * A.segment, i = e / R % R, j = e % R;
    if (i >= j) A.diagonal(k)[i * R + j] -= A.before(k)[i * R + j];
  }
  __syncthreads();
  bool good = reduce_levels(A, 0, A.blocks(), A.segment);
  for (int c = thread; c < R; c += threads) good = eliminate(A, 0, 0, 2 * R + c) && good;
  __syncthreads();
  for (int begin = 0; begin < A.segments(); begin += shared.at_once) {
    const int count = min(A.segments() - begin, shared.at_once);
    const auto place = [&](int e) { return (begin + e) * A.segment; };
    for (int e = thread; e < count * square; e += threads) {
      const int k = place(e / square), at = e % square;
      shared.root[e] = A.root(k)[at];
      // Block 0, the last remaining block, has no neighbors.
      shared.before[e] = k > 0 ? A.before(k)[at] : 0.0;
      shared.after[e] = k > 0 ? A.after(k)[at] : 0.0;
    }
    __syncthreads();
    finish_blocks(A, count, {shared.root, shared.before, shared.after}, place);
    __syncthreads();
  }
  return good;
}

}  // namespace spex::gpu
