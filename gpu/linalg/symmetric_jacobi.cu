#include <cfloat>
#include <cmath>

#include "gpu/core/check.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/linalg/limits.hpp"
#include "gpu/linalg/symmetric_jacobi.hpp"

namespace spex::gpu {
namespace {

// Lanes per pair of columns. All pairs of a round are rotated at once; a matrix has half as many
// pairs as columns, and each lane handles up to `rows` rows.
constexpr int group = 8;
template <int rows>
constexpr int threads = rows* group / 2 * group;
// Blocks per multiprocessor, limited by registers.
template <int rows>
constexpr int blocks = 896 / threads<rows>;
constexpr int max_sweeps = 30;

// Computes L of A = L L^T in place, column-major, with zeros above the diagonal. Returns false in
// all threads if a pivot is not positive. Columns are divided by the root of their pivot at the
// end, so that a step needs one barrier.
__device__ bool factor(double* A, int m, int leading) {
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const int warps = blockDim.x / warp_size;
  for (int j = 0; j < m; ++j) {
    const double* of_pivot = A + j * leading;
    const double pivot = of_pivot[j];
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    const double inverse = 1 / pivot;
    for (int column = j + 1 + warp; column < m; column += warps) {
      const double share = of_pivot[column] * inverse;
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

// Sorts the bins of C by descending variance. The factor's columns are then closer to orthogonal,
// which saves a tenth of the sweeps.
__device__ void sort_variances(const double* C, int m, int* order) {
  const int j = threadIdx.x;
  if (j < m) {
    // NaN comes last; the factorization detects it.
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

struct Pair {
  int a, b;
};
// Columns a < b of a pair in a round-robin tournament with m / 2 pairs per round: the last player
// stays, the others rotate. b = m, for odd m, means that the column has no partner.
__device__ Pair columns_of(int pair, int round, int m) {
  const int round_length = m + m % 2 - 1;
  const auto wrapped = [&](int i) { return i < round_length ? i : i - round_length; };
  const int i = wrapped(round + pair);
  const int j = pair == 0 ? round_length : wrapped(round + round_length - pair);
  return {min(i, j), max(i, j)};
}

// The dot product of two columns, for all lanes of a group.
__device__ double column_product(const double* a, const double* b, int m) {
  double sum = 0;
  for (int row = threadIdx.x % group; row < m; row += group) sum += a[row] * b[row];
  return group_sum<group>(sum);
}

struct Rotation {
  double cosine, sine, tangent;
};

// The rotation that makes two columns orthogonal, with dot product ab and difference `more` of
// their squared norms: tan(2 angle) = 2 ab / more. Uses reciprocal square roots, which are faster
// than divisions.
__device__ Rotation find_rotation(double ab, double more) {
  const double inverse = rsqrt(more * more + 4 * ab * ab);
  const double square = 0.5 + 0.5 * fabs(more) * inverse;  // squared cosine
  const double secant = rsqrt(square);
  const double sine = (more < 0 ? -ab : ab) * inverse * secant;
  return {square * secant, sine, sine * secant};
}

// Rotates a pair of columns to be orthogonal and updates `squares`. Returns false if they already
// are orthogonal to rounding error. All lanes of the warp must call this function; a group without
// a valid pair does nothing.
template <int rows>
__device__ bool turn(double* W, int m, int leading, const Pair& columns, bool is_pair,
                     double* squares) {
  const int lane = threadIdx.x % group;
  double* const a = W + columns.a * leading;
  double* const b = W + columns.b * leading;
  double x[rows], y[rows];
  double even = 0, odd = 0;  // two accumulators, so that a product depends on the last but one only
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const int row = lane + group * i;
    x[i] = is_pair && row < m ? a[row] : 0.0;
    y[i] = is_pair && row < m ? b[row] : 0.0;
    (i % 2 == 0 ? even : odd) += x[i] * y[i];
  }
  const double ab = group_sum<group>(even + odd);
  const double aa = is_pair ? squares[columns.a] : 0, bb = is_pair ? squares[columns.b] : 0;
  __syncwarp();  // before a lane changes the squares
  // As LAPACK's dgesvj: for a smaller value the cosine is rounding error.
  constexpr double rounding = DBL_EPSILON * DBL_EPSILON;
  if (ab == 0 || ab * ab <= m * m * rounding * aa * bb) return false;
  const Rotation by = find_rotation(ab, bb - aa);
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const int row = lane + group * i;
    if (row >= m) break;
    a[row] = by.cosine * x[i] - by.sine * y[i];
    b[row] = by.sine * x[i] + by.cosine * y[i];
  }
  if (lane == 0) {
    squares[columns.a] = aa - by.tangent * ab;
    squares[columns.b] = bb + by.tangent * ab;
  }
  return true;
}

// Sweeps over all pairs of columns; in each round every column is in one pair. Returns false in all
// threads if the sweeps do not converge. `squares` holds one number per column, recomputed for each
// sweep.
template <int rows>
__device__ bool make_orthogonal(double* W, int m, int leading, double* squares) {
  const int mine = threadIdx.x / group, lane = threadIdx.x % group;
  const int pairs = (m + 1) / 2;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    for (int column = mine; column < m; column += blockDim.x / group) {
      const double* w = W + column * leading;
      const double square = column_product(w, w, m);
      if (lane == 0) squares[column] = square;
    }
    __syncthreads();
    bool turned = false;
    for (int k = 0; k < 2 * pairs - 1; ++k) {
      const Pair columns = columns_of(mine, k, m);
      turned |= turn<rows>(W, m, leading, columns, mine < pairs && columns.b < m, squares);
      __syncthreads();
    }
    if (__syncthreads_or(turned ? 1 : 0) == 0) return true;
  }
  return false;
}

template <int rows>
__global__ void __launch_bounds__(threads<rows>, blocks<rows>)
    jacobi_kernel(const CoreSpectrum* cores, const int* wanted, int m, double* C_all, int* status) {
  extern __shared__ double W[];
  __shared__ double squares[largest_root];
  __shared__ int order[largest_root];
  if (wanted != nullptr && wanted[blockIdx.x] == 0) return;
  const int leading = jacobi_roots_leading(m);
  double* C = C_all + static_cast<size_t>(blockIdx.x) * m * m;
  sort_variances(C, m, order);
  for (int k = threadIdx.x; k < m * m; k += threads<rows>)
    W[k / m * leading + k % m] = C[order[k / m] * m + order[k % m]];
  __syncthreads();
  if (!factor(W, m, leading) || !make_orthogonal<rows>(W, m, leading, squares)) {
    if (threadIdx.x == 0) atomicExch(status + cores[blockIdx.x].patch, 1);
    return;
  }
  // Q = X X^T, with the columns of W = U diag(s) over s^(3/2).
  for (int column = threadIdx.x / group; column < m; column += threads<rows> / group) {
    double* w = W + column * leading;
    const double s = sqrt(column_product(w, w, m));
    for (int row = threadIdx.x % group; row < m; row += group) w[row] /= s * sqrt(s);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < m * m; k += threads<rows>) {
    const int column = k / m, row = k % m;
    double sum = 0;
    for (int j = 0; j < m; ++j) sum += W[j * leading + row] * W[j * leading + column];
    C[order[column] * m + order[row]] = sum;
  }
}

template <int rows>
void launch(const JacobiBatch& batch, cudaStream_t stream) {
  allow_shared_memory(reinterpret_cast<const void*>(jacobi_kernel<rows>));
  jacobi_kernel<rows><<<batch.count, threads<rows>, jacobi_roots_bytes(batch.m), stream>>>(
      batch.cores, batch.wanted, batch.m, batch.C, batch.status);
  SPEX_LAUNCH_CHECK();
}

}  // namespace

void find_jacobi_roots(const JacobiBatch& batch, cudaStream_t stream) {
  // Up to 32 bins; up to 56, gpu_specter's step; and production's 74.
  constexpr int few = 4, some = 7, most = largest_root / group;
  static_assert(most * group == largest_root);
  if (batch.m <= few * group)
    launch<few>(batch, stream);
  else if (batch.m <= some * group)
    launch<some>(batch, stream);
  else
    launch<most>(batch, stream);
}

}  // namespace spex::gpu
