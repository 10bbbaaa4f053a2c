#include <cfloat>
#include <cmath>

#include "gpu/core/check.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/linalg/jacobi_roots.hpp"
#include "gpu/linalg/limits.hpp"

namespace spex::gpu {
namespace {

constexpr int warps = 8;
constexpr int blocks_of_multiprocessor = 5;
constexpr int threads = warps * warp_size;
// Lanes that share a pair of columns: pairs of 64 columns keep all threads busy at once.
constexpr int group = 8;
constexpr int groups = threads / group;
constexpr int most_sweeps = 30;
constexpr int most_pairs = (largest_root + 1) / 2;

// L of A = L L^T in place, column-major, zeros above the diagonal. False, for all threads, where a
// pivot is not positive. A column is divided by the root of its pivot when all are known, so that
// a step takes one barrier.
__device__ bool factor(double* A, int m, int leading) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (int j = 0; j < m; ++j) {
    const double* of_pivot = A + j * leading;
    const double pivot = of_pivot[j];
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    for (int column = j + 1 + warp; column < m; column += warps) {
      const double share = of_pivot[column] / pivot;
      for (int row = column + lane; row < m; row += warp_size)
        A[column * leading + row] -= of_pivot[row] * share;
    }
    __syncthreads();
  }
  for (int column = warp; column < m; column += warps) {
    const double root = sqrt(A[column * leading + column]);
    __syncwarp();
    for (int row = lane; row < m; row += warp_size) {
      double& element = A[column * leading + row];
      element = row < column ? 0 : element / root;
    }
  }
  __syncthreads();
  return true;
}

// The bins of C in the order of falling variance, in which the factor's columns are nearer to
// orthogonal: a sweep less in ten.
__device__ void sort_variances(const double* C, int m, int* order) {
  const int j = threadIdx.x;
  if (j < m) {
    // What is not a number comes last; the factor sees it.
    const auto variance = [&](int i) { return isnan(C[i * m + i]) ? -HUGE_VAL : C[i * m + i]; };
    const double mine = variance(j);
    int before = 0;
    for (int i = 0; i < m; ++i) {
      const double other = variance(i);
      before += other > mine || (other == mine && i < j) ? 1 : 0;
    }
    order[j] = before;
  }
  __syncthreads();
  const int place = j < m ? order[j] : 0;
  __syncthreads();
  if (j < m) order[place] = j;
  __syncthreads();
}

// What the pairs of columns of a round are turned by.
struct Round {
  double square[largest_root];  // of each column, as rotations leave it; summed anew for a sweep
  double product[most_pairs];
  double cosine[most_pairs], sine[most_pairs];
};

struct Pair {
  int a, b;
};
// Columns a < b of a pair, of which the schedule of a tournament makes m / 2 a round: the last
// player stays, the others go round. b = m, with an odd number, is one who sits out.
__device__ Pair columns_of(int pair, int round, int m) {
  const int round_length = m + m % 2 - 1;
  const auto wrapped = [&](int i) { return i < round_length ? i : i - round_length; };
  const int i = wrapped(round + pair);
  const int j = pair == 0 ? round_length : wrapped(round + round_length - pair);
  return {min(i, j), max(i, j)};
}

// For all lanes of a group.
__device__ double column_product(const double* a, const double* b, int m) {
  double sum = 0;
  for (int row = threadIdx.x % group; row < m; row += group) sum += a[row] * b[row];
  return group_sum<group>(sum);
}

// The rotation that makes the columns of a pair orthogonal, and what it makes of their squares; a
// thread's work. False where they are so to rounding.
__device__ bool find_rotation(const Pair& columns, int pair, int m, Round& round) {
  round.cosine[pair] = 1;
  round.sine[pair] = 0;
  if (columns.b >= m) return false;
  const double ab = round.product[pair];
  const double aa = round.square[columns.a], bb = round.square[columns.b];
  // As LAPACK's dgesvj: below this the cosine is rounding.
  constexpr double rounding = DBL_EPSILON * DBL_EPSILON;
  if (ab == 0 || ab * ab <= m * m * rounding * aa * bb) return false;
  const double zeta = (bb - aa) / (2 * ab);
  const double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double cosine = 1 / sqrt(1 + tangent * tangent);
  round.cosine[pair] = cosine;
  round.sine[pair] = cosine * tangent;
  round.square[columns.a] = aa - tangent * ab;
  round.square[columns.b] = bb + tangent * ab;
  return true;
}

// Sweeps over all pairs of columns, in rounds in which each column meets one other. False, for all
// threads, where they do not end. A group has the products and the rotation of a pair, a thread
// what is found once for it.
__device__ bool make_orthogonal(double* W, int m, int leading, Round& round) {
  const int pairs = (m + 1) / 2;
  const int mine = threadIdx.x / group, lane = threadIdx.x % group;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    for (int column = mine; column < m; column += groups) {
      const double* w = W + column * leading;
      const double square = column_product(w, w, m);
      if (lane == 0) round.square[column] = square;
    }
    int rotated = 0;
    for (int k = 0; k < 2 * pairs - 1; ++k) {
      for (int pair = mine; pair < pairs; pair += groups) {
        const Pair columns = columns_of(pair, k, m);
        if (columns.b >= m) continue;
        const double product = column_product(W + columns.a * leading, W + columns.b * leading, m);
        if (lane == 0) round.product[pair] = product;
      }
      __syncthreads();
      const bool turns = threadIdx.x < pairs &&
                         find_rotation(columns_of(threadIdx.x, k, m), threadIdx.x, m, round);
      rotated |= __syncthreads_or(turns ? 1 : 0);
      for (int pair = mine; pair < pairs; pair += groups) {
        const double cosine = round.cosine[pair], sine = round.sine[pair];
        if (sine == 0) continue;
        const Pair columns = columns_of(pair, k, m);
        double *a = W + columns.a * leading, *b = W + columns.b * leading;
        for (int row = lane; row < m; row += group) {
          const double x = a[row], y = b[row];
          a[row] = cosine * x - sine * y;
          b[row] = sine * x + cosine * y;
        }
      }
      __syncthreads();
    }
    if (rotated == 0) return true;
  }
  return false;
}

__global__ void __launch_bounds__(threads, blocks_of_multiprocessor)
    jacobi_kernel(const CoreSpectrum* cores, const int* which, int m, const double* C_all,
                  double* Q_all, int* status) {
  extern __shared__ double W[];
  __shared__ Round round;
  __shared__ int order[largest_root];
  const int leading = jacobi_roots_leading(m);
  const int matrix = which != nullptr ? which[blockIdx.x] : blockIdx.x;
  const double* C = C_all + static_cast<size_t>(matrix) * m * m;
  double* Q = Q_all + static_cast<size_t>(blockIdx.x) * m * m;
  sort_variances(C, m, order);
  for (int k = threadIdx.x; k < m * m; k += threads)
    W[k / m * leading + k % m] = C[order[k / m] * m + order[k % m]];
  __syncthreads();
  if (!factor(W, m, leading) || !make_orthogonal(W, m, leading, round)) {
    if (threadIdx.x == 0) atomicExch(status + cores[blockIdx.x].patch, 1);
    return;
  }
  // Q = X X^T, with the columns of W = U diag(s) over s^(3/2).
  for (int column = threadIdx.x / group; column < m; column += groups) {
    double* w = W + column * leading;
    const double s = sqrt(column_product(w, w, m));
    for (int row = threadIdx.x % group; row < m; row += group) w[row] /= s * sqrt(s);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < m * m; k += threads) {
    const int column = k / m, row = k % m;
    double sum = 0;
    for (int j = 0; j < m; ++j) sum += W[j * leading + row] * W[j * leading + column];
    Q[order[column] * m + order[row]] = sum;
  }
}

}  // namespace

void find_jacobi_roots(const CoreSpectrum* cores, int count, const int* which, int m,
                       const double* C, double* Q, int* status, cudaStream_t stream) {
  allow_shared_memory(reinterpret_cast<const void*>(jacobi_kernel));
  jacobi_kernel<<<count, threads, jacobi_roots_bytes(m), stream>>>(cores, which, m, C, Q, status);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
