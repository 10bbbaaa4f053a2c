// Band matrices by block cyclic reduction, one matrix a block of threads: R rows at a time they are
// block-tridiagonal, and of the blocks that are left every second one is eliminated, all of these
// side by side (Heller, 1976). A band's factor takes m steps after each other, this 2 log2(m / R).
#pragma once

#include <cstddef>

namespace spex::gpu {

/// A symmetric positive definite matrix of `m` rows and half-bandwidth R or less, in room for
/// numbers(m). Block k is eliminated between those before and after it of what is then left, p and
/// n, A_kk being by then D_k. Arrays are `[block][R][R]`, rows first.
template <int R>
struct ReducedBand {
  static constexpr int square = R * R;
  int m = 0;
  double* room = nullptr;

  [[nodiscard]] static __host__ __device__ constexpr int blocks(int rows) {
    return (rows + R - 1) / R;
  }
  [[nodiscard]] static __host__ __device__ constexpr size_t numbers(int rows) {
    return static_cast<size_t>(6 * square) * blocks(rows);
  }
  [[nodiscard]] __device__ int blocks() const { return blocks(m); }
  /// D_k, of which the lower triangle counts; D_k^-1 in the end.
  [[nodiscard]] __device__ double* diagonal(int k) const { return room + k * square; }
  /// A_nk while k is left, (L_k^-1 A_kn)^T when it is not, A_nk D_k^-1 in the end.
  [[nodiscard]] __device__ double* after(int k) const { return room + (blocks() + k) * square; }
  /// (L_k^-1 A_kp)^T when k is eliminated, A_pk D_k^-1 in the end; of block 0 unused.
  [[nodiscard]] __device__ double* before(int k) const {
    return room + (2 * blocks() + k) * square;
  }
  /// L_k^-1, D_k = L_k L_k^T.
  [[nodiscard]] __device__ double* root(int k) const { return room + (3 * blocks() + k) * square; }
  /// Transposes of `after` and `before` in the end: neighbouring threads have neighbouring rows,
  /// and read what lies side by side.
  [[nodiscard]] __device__ double* after_transposed(int k) const {
    return room + (4 * blocks() + k) * square;
  }
  /// @copydoc after_transposed
  [[nodiscard]] __device__ double* before_transposed(int k) const {
    return room + (5 * blocks() + k) * square;
  }
};

/// Blocks that a step of stride `stride` eliminates, stride (2 e + 1), of `blocks`.
__device__ inline int eliminated(int blocks, int stride) {
  return (blocks + stride - 1) / (2 * stride);
}
/// Blocks that it leaves, 2 stride e.
__device__ inline int left_over(int blocks, int stride) {
  return (blocks + 2 * stride - 1) / (2 * stride);
}

/// Column c of L_k^-1 (A_kp, A_kn, 1), p and n `stride` away, into its row of `before`, `after` and
/// its column of `root`. False where a pivot of D_k is not positive or not finite.
template <int R>
__device__ bool eliminate(const ReducedBand<R>& A, int k, int stride, int c) {
  const double* D = A.diagonal(k);
  double L[R][R];  // and 1 / L_ii on the diagonal
  bool good = true;
#pragma unroll
  for (int i = 0; i < R; ++i)
#pragma unroll
    for (int j = 0; j <= i; ++j) {
      double sum = D[i * R + j];
#pragma unroll
      for (int l = 0; l < j; ++l) sum -= L[i][l] * L[j][l];
      if (i == j) {
        good = good && sum > 0 && isfinite(sum);
        L[i][i] = 1 / sqrt(sum);
      } else {
        L[i][j] = sum * L[j][j];
      }
    }
  const int row = c % R;
  double* out = A.root(k) + row;
  int step = R;
  if (c < 2 * R) {
    out = (c < R ? A.before(k) : A.after(k)) + row * R;
    step = 1;
  }
  double x[R];
#pragma unroll
  for (int i = 0; i < R; ++i) {
    double sum = i == row ? 1.0 : 0.0;
    if (c < R) sum = A.after(k - stride)[i * R + row];
    if (c >= R && c < 2 * R) sum = k + stride < A.blocks() ? A.after(k)[row * R + i] : 0.0;
    x[i] = sum;
  }
#pragma unroll
  for (int i = 0; i < R; ++i) {
    double sum = x[i];
#pragma unroll
    for (int l = 0; l < i; ++l) sum -= L[i][l] * x[l];
    x[i] = sum * L[i][i];
  }
#pragma unroll
  for (int i = 0; i < R; ++i) out[i * step] = x[i];
  return good;
}

/// Factors the matrix of which `element(j, d)` gives A(j + d, j), zero where j + d >= m. By a whole
/// block of threads, of which each is told whether those of its pivots were positive and finite.
template <int R, class Element>
__device__ bool reduce_band(const ReducedBand<R>& A, const Element& element) {
  constexpr int square = ReducedBand<R>::square;
  const int blocks = A.blocks();
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  for (int e = thread; e < blocks * square; e += threads) {
    const int k = e / square, i = e / R % R, j = e % R;
    const int column = k * R + j;
    const double identity = i == j ? 1.0 : 0.0;
    if (i >= j) A.diagonal(k)[i * R + j] = column < A.m ? element(column, i - j) : identity;
    A.after(k)[i * R + j] = i <= j && column < A.m ? element(column, R + i - j) : 0.0;
  }
  __syncthreads();

  bool good = true;
  for (int stride = 1; stride < blocks; stride *= 2) {
    for (int e = thread; e < eliminated(blocks, stride) * 3 * R; e += threads)
      good = eliminate(A, stride * (2 * (e / (3 * R)) + 1), stride, e % (3 * R)) && good;
    __syncthreads();
    for (int e = thread; e < left_over(blocks, stride) * square; e += threads) {
      const int k = e / square * 2 * stride, i = e / R % R, j = e % R;
      const auto product = [&](const double* a, const double* b) {
        double sum = 0;
        for (int l = 0; l < R; ++l) sum += a[i * R + l] * b[j * R + l];
        return sum;
      };
      double less = 0;
      if (k >= stride) less += product(A.after(k - stride), A.after(k - stride));
      if (k + stride < blocks) {
        const double* U = A.before(k + stride);
        less += product(U, U);
        A.after(k)[i * R + j] = -product(A.after(k + stride), U);
      }
      if (i >= j) A.diagonal(k)[i * R + j] -= less;
    }
    __syncthreads();
  }
  for (int c = thread; c < R; c += threads) good = eliminate(A, 0, 0, 2 * R + c) && good;
  __syncthreads();

  // A thread a row of all three.
  for (int e = thread; e < blocks * R; e += threads) {
    const int k = e / R, i = e % R;
    const double* X = A.root(k);
    double column[R], of_before[R], of_after[R];
    for (int l = 0; l < R; ++l) {
      column[l] = X[l * R + i];
      of_before[l] = k > 0 ? A.before(k)[i * R + l] : 0.0;
      of_after[l] = k > 0 ? A.after(k)[i * R + l] : 0.0;
    }
    for (int j = 0; j < R; ++j) {
      double inverse = 0, before = 0, after = 0;
#pragma unroll
      for (int l = 0; l < R; ++l) {
        const double x = X[l * R + j];
        inverse += column[l] * x;
        before += of_before[l] * x;
        after += of_after[l] * x;
      }
      A.diagonal(k)[i * R + j] = inverse;
      A.before(k)[i * R + j] = A.before_transposed(k)[j * R + i] = before;
      A.after(k)[i * R + j] = A.after_transposed(k)[j * R + i] = after;
    }
  }
  __syncthreads();
  return good;
}

/// x = A^-1 a of a matrix that reduce_band has factored, by a whole block of threads; `a` is
/// changed. Both have room for all rows of the blocks, of which `a` has zeros beyond m.
template <int R>
__device__ void solve_reduced(const ReducedBand<R>& A, double* a, double* x) {
  const int blocks = A.blocks();
  const auto thread = static_cast<int>(threadIdx.x);
  const auto threads = static_cast<int>(blockDim.x);
  int stride = 1;
  __syncthreads();
  for (; stride < blocks; stride *= 2) {
    for (int e = thread; e < left_over(blocks, stride) * R; e += threads) {
      const int k = e / R * 2 * stride, i = e % R;
      double less = 0;
      const auto take = [&](const double* transposed, const double* of) {
#pragma unroll
        for (int j = 0; j < R; ++j) less += transposed[j * R + i] * of[j];
      };
      if (k >= stride) take(A.after_transposed(k - stride), a + (k - stride) * R);
      if (k + stride < blocks) take(A.before_transposed(k + stride), a + (k + stride) * R);
      a[k * R + i] -= less;
    }
    __syncthreads();
  }
  for (int i = thread; i < R; i += threads) {
    double sum = 0;
    for (int j = 0; j < R; ++j) sum += A.diagonal(0)[i * R + j] * a[j];
    x[i] = sum;
  }
  __syncthreads();
  for (stride /= 2; stride > 0; stride /= 2) {
    for (int e = thread; e < eliminated(blocks, stride) * R; e += threads) {
      const int k = stride * (2 * (e / R) + 1), i = e % R;
      const bool ends = k + stride >= blocks;
      double sum = 0;
#pragma unroll
      for (int j = 0; j < R; ++j) {
        sum += A.diagonal(k)[j * R + i] * a[k * R + j];  // it is symmetric
        sum -= A.before(k)[j * R + i] * x[(k - stride) * R + j];
        if (!ends) sum -= A.after(k)[j * R + i] * x[(k + stride) * R + j];
      }
      x[k * R + i] = sum;
    }
    __syncthreads();
  }
}

}  // namespace spex::gpu
