#include <cfloat>

#include "gpu/core/check.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/jacobi_roots.hpp"
#include "gpu/extract/limits.hpp"

namespace spex::gpu {
namespace {

constexpr int warps = 32;
constexpr int threads = warps * warp_size;
constexpr int most_sweeps = 30;
// Rows of a column that a lane holds.
constexpr int rows_of_lane = (largest_root + warp_size - 1) / warp_size;

// L of A = L L^T in place, column-major, zeros above the diagonal. False, for all threads, where a
// pivot is not positive.
__device__ bool factor(double* A, int m) {
  for (int j = 0; j < m; ++j) {
    const double pivot = A[j * m + j];
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    __syncthreads();
    for (int i = j + threadIdx.x; i < m; i += threads) A[j * m + i] /= sqrt(pivot);
    __syncthreads();
    const int left = m - j - 1;
    for (int k = threadIdx.x; k < left * left; k += threads) {
      const int column = j + 1 + k / left, row = j + 1 + k % left;
      if (row >= column) A[column * m + row] -= A[j * m + row] * A[j * m + column];
    }
    __syncthreads();
  }
  for (int k = threadIdx.x; k < m * m; k += threads)
    if (k % m < k / m) A[k] = 0;
  __syncthreads();
  return true;
}

// Makes columns a and b orthogonal; a warp's work. False where they are so to rounding.
__device__ bool rotate(double* a, double* b, int m) {
  const int lane = threadIdx.x % warp_size;
  double x[rows_of_lane], y[rows_of_lane];
  double aa = 0, bb = 0, ab = 0;
#pragma unroll
  for (int k = 0; k < rows_of_lane; ++k) {
    const int row = lane + k * warp_size;
    x[k] = row < m ? a[row] : 0.0;
    y[k] = row < m ? b[row] : 0.0;
    aa += x[k] * x[k];
    bb += y[k] * y[k];
    ab += x[k] * y[k];
  }
  aa = warp_sum(aa);
  bb = warp_sum(bb);
  ab = warp_sum(ab);
  // As LAPACK's dgesvj: below this the cosine is rounding.
  if (fabs(ab) <= m * DBL_EPSILON * sqrt(aa) * sqrt(bb)) return false;
  const double zeta = (bb - aa) / (2 * ab);
  const double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double cosine = 1 / sqrt(1 + tangent * tangent);
  const double sine = cosine * tangent;
#pragma unroll
  for (int k = 0; k < rows_of_lane; ++k) {
    const int row = lane + k * warp_size;
    if (row >= m) continue;
    a[row] = cosine * x[k] - sine * y[k];
    b[row] = sine * x[k] + cosine * y[k];
  }
  return true;
}

// Sweeps over all pairs of columns, in rounds in which each column meets one other: the schedule of
// a tournament, in which the last player stays and the others go round. False, for all threads,
// where they do not end.
__device__ bool make_orthogonal(double* W, int m) {
  const int players = m + m % 2;  // with an odd number, one sits out each round
  const int round_length = players - 1;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    int rotated = 0;
    for (int round = 0; round < round_length; ++round) {
      int mine = 0;
      for (int pair = threadIdx.x / warp_size; pair < players / 2; pair += warps) {
        const int i = (round + pair) % round_length;
        const int j = pair == 0 ? players - 1 : (round + round_length - pair) % round_length;
        if (max(i, j) < m) mine |= rotate(W + min(i, j) * m, W + max(i, j) * m, m) ? 1 : 0;
      }
      rotated |= __syncthreads_or(mine);
    }
    if (rotated == 0) return true;
  }
  return false;
}

__global__ void __launch_bounds__(threads)
    jacobi_kernel(const CoreSpectrum* cores, int m, const double* C_all, double* Q_all,
                  int* status) {
  extern __shared__ double W[];
  const double* C = C_all + static_cast<size_t>(blockIdx.x) * m * m;
  double* Q = Q_all + static_cast<size_t>(blockIdx.x) * m * m;
  for (int k = threadIdx.x; k < m * m; k += threads) W[k] = C[k];
  __syncthreads();
  if (!factor(W, m) || !make_orthogonal(W, m)) {
    if (threadIdx.x == 0) atomicExch(status + cores[blockIdx.x].patch, 1);
    return;
  }
  // Q = X X^T, with the columns of W = U diag(s) over s^(3/2).
  for (int column = threadIdx.x / warp_size; column < m; column += warps) {
    double* w = W + column * m;
    double square = 0;
    for (int row = threadIdx.x % warp_size; row < m; row += warp_size) square += w[row] * w[row];
    const double s = sqrt(warp_sum(square));
    for (int row = threadIdx.x % warp_size; row < m; row += warp_size) w[row] /= s * sqrt(s);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < m * m; k += threads) {
    const int column = k / m, row = k % m;
    double sum = 0;
    for (int j = 0; j < m; ++j) sum += W[j * m + row] * W[j * m + column];
    Q[k] = sum;
  }
}

}  // namespace

void find_jacobi_roots(const CoreSpectrum* cores, int count, int m, const double* C, double* Q,
                       int* status, cudaStream_t stream) {
  allow_shared_memory(reinterpret_cast<const void*>(jacobi_kernel));
  jacobi_kernel<<<count, threads, jacobi_roots_bytes(m), stream>>>(cores, m, C, Q, status);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
