// Solutions from a finished factor by block cyclic reduction: forward in each segment, between the
// segments' first blocks, and back in each segment.
#pragma once

#include "gpu/linalg/cyclic_reduction.cuh"

namespace spex::gpu {

/// Calls `use(e, ask(e))` for every e below `count`, by a whole thread block. All loads of `ask`
/// are issued before the barrier; `use` sees earlier writes of other threads.
template <class Ask, class Use>
__device__ void ask_and_use(int count, const Ask& ask, const Use& use) {
  for (int begin = 0; begin < count; begin += static_cast<int>(blockDim.x)) {
    const int e = begin + static_cast<int>(threadIdx.x);
    const auto asked = ask(min(e, count - 1));
    __syncthreads();
    if (e < count) use(e, asked);
  }
}

/// Column i of a block T; zeros if the block does not exist.
template <int R>
struct Column {
  double of[R];
  __device__ Column(const double* T, int i, bool exists = true) {
#pragma unroll
    for (int j = 0; j < R; ++j) of[j] = exists ? T[j * R + i] : 0.0;
  }
  /// (T^T v)_i.
  __device__ double times(const double* v) const {
    double sum = 0;
#pragma unroll
    for (int j = 0; j < R; ++j) sum += of[j] * v[j];
    return sum;
  }
};

/// Contributions of the eliminated neighbor blocks to a remaining row, in the forward pass.
template <int R>
struct RowDown {
  bool lower, upper;
  Column<R> of_lower, of_upper;

  /// Row i of block k, with neighbors `stride` away, if they exist.
  __device__ RowDown(const ReducedBand<R>& A, int k, int stride, int i, bool has_lower,
                     bool has_upper)
      : lower(has_lower),
        upper(has_upper),
        of_lower(A.after_transposed(k - stride), i, has_lower),
        of_upper(A.before_transposed(k + stride), i, has_upper) {}
  /// The amount to subtract; `below` and `above` are the R right-hand side rows of the neighbors.
  __device__ double less(const double* below, const double* above) const {
    double sum = 0;
    if (lower) sum += of_lower.times(below);
    if (upper) sum += of_upper.times(above);
    return sum;
  }
};

/// Coefficients of a row of x in the backward pass, given x of the neighbor blocks.
template <int R>
struct RowUp {
  bool upper;
  Column<R> inverse, of_lower, of_upper;

  /// Row i of block k, with neighbors `stride` away.
  __device__ RowUp(const ReducedBand<R>& A, int k, int stride, int i)
      : upper(k + stride < A.blocks()),
        inverse(A.diagonal(k), i),  // the inverse is symmetric
        of_lower(A.before(k), i),
        of_upper(A.after(k), i) {}
  /// The row of x; `a`, `below` and `above` are the R rows of a_k, x_p and x_n.
  __device__ double value(const double* a, const double* below, const double* above) const {
    double sum = inverse.times(a);
    sum -= of_lower.times(below);
    if (upper) sum -= of_upper.times(above);
    return sum;
  }
};

/// Forward pass in a segment: updates its right-hand side rows `a` (zeros beyond m) by the
/// elimination of all blocks except the first, and writes to the R numbers `next` the segment's
/// contribution to the next segment's first block, if any. Must be called by a whole thread block.
template <int R>
__device__ void solve_segment_down(const ReducedBand<R>& A, int segment, double* a, double* next) {
  const int first = segment * A.segment, count = A.end_of_segment(first) - first;
  for (int stride = 1; stride < count; stride *= 2) {
    const auto block = [&](int e) {
      return e / R * 2 * stride;
    };  // relative to the segment's first block
    ask_and_use(
        left_over(count, stride) * R,
        [&](int e) {
          const int k = block(e);
          return RowDown<R>(A, first + k, stride, e % R, k > 0, k + stride < count);
        },
        [&](int e, const RowDown<R>& row) {
          const int k = block(e);
          a[k * R + e % R] -= row.less(a + (k - stride) * R, a + (k + stride) * R);
        });
  }
  if (segment + 1 < A.segments()) {
    constexpr int end = ReducedBand<R>::segment;
    static_assert(
        end == 8,
        "the preceding neighbors of the next segment's first block are 1, 2 and 4 blocks away");
    struct Rows {
      Column<R> one, two, four;  // blocks before the next segment's first block
    };
    ask_and_use(
        R,
        [&](int i) {
          return Rows{{A.after_transposed(first + end - 1), i},
                      {A.after_transposed(first + end - 2), i},
                      {A.after_transposed(first + end - 4), i}};
        },
        [&](int i, const Rows& rows) {
          next[i] = rows.one.times(a + (end - 1) * R) + rows.two.times(a + (end - 2) * R) +
                    rows.four.times(a + (end - 4) * R);
        });
  }
  __syncthreads();
}

/// Solves for x of the segments' first blocks, from `a` and `next` of solve_segment_down (R numbers
/// per segment; the first segment's are unused), and writes x to their rows of `a`. `b` and `x`
/// need as many numbers. Must be called by a whole thread block.
template <int R>
__device__ void solve_between(const ReducedBand<R>& A, double* a, const double* next, double* b,
                              double* x) {
  constexpr int rows = ReducedBand<R>::segment_rows;
  const int segments = A.segments();
  for (int e = static_cast<int>(threadIdx.x); e < segments * R; e += static_cast<int>(blockDim.x))
    b[e] = a[e / R * rows + e % R] - (e < R ? 0.0 : next[e]);
  int stride = 1;  // in segments, like k
  for (; stride < segments; stride *= 2) {
    const auto block = [&](int e) { return e / R * 2 * stride; };
    ask_and_use(
        left_over(segments, stride) * R,
        [&](int e) {
          const int k = block(e);
          return RowDown<R>(A, k * A.segment, stride * A.segment, e % R, k > 0,
                            k + stride < segments);
        },
        [&](int e, const RowDown<R>& row) {
          const int k = block(e);
          b[k * R + e % R] -= row.less(b + (k - stride) * R, b + (k + stride) * R);
        });
  }
  ask_and_use(
      R, [&](int i) { return Column<R>(A.diagonal(0), i); },
      [&](int i, const Column<R>& inverse) { a[i] = x[i] = inverse.times(b); });
  for (stride /= 2; stride > 0; stride /= 2) {
    const auto block = [&](int e) { return stride * (2 * (e / R) + 1); };
    ask_and_use(
        eliminated(segments, stride) * R,
        [&](int e) { return RowUp<R>(A, block(e) * A.segment, stride * A.segment, e % R); },
        [&](int e, const RowUp<R>& row) {
          const int k = block(e), i = e % R;
          a[k * rows + i] = x[k * R + i] =
              row.value(b + k * R, x + (k - stride) * R, x + (k + stride) * R);
        });
  }
}

/// Backward pass in a segment, given x of its first block and of the next segment's first block.
/// `a` contains the segment's rows from solve_segment_down. Must be called by a whole thread block.
template <int R>
__device__ void solve_segment_up(const ReducedBand<R>& A, int segment, const double* a, double* x) {
  const int first = segment * A.segment, count = A.end_of_segment(first) - first;
  for (int stride = A.segment / 2; stride > 0; stride /= 2) {
    const auto block = [&](int e) {
      return stride * (2 * (e / R) + 1);
    };  // relative to the segment's first block
    ask_and_use(
        eliminated(count, stride) * R,
        [&](int e) { return RowUp<R>(A, first + block(e), stride, e % R); },
        [&](int e, const RowUp<R>& row) {
          const int k = block(e);
          x[k * R + e % R] = row.value(a + k * R, x + (k - stride) * R, x + (k + stride) * R);
        });
  }
  __syncthreads();
}

}  // namespace spex::gpu
