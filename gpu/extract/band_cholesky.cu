#include "gpu/core/launch.hpp"
#include "gpu/extract/band_cholesky.hpp"
#include "gpu/extract/spot_device.cuh"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int tile = 4;  // a thread's part of a product is tile x tile

// C(r, c) = sum_{k < depth} A(r, k) B(k, c) for r, c < size; store(r, c, value) takes it. Rows and
// columns are dealt to a 16 x 16 grid of threads with stride 16, so that neighbouring threads read
// neighbouring columns.
template <class A, class B, class Store>
__device__ void block_product(int size, const A& a, const B& b, const Store& store) {
  const int tr = threadIdx.x / 16, tc = threadIdx.x % 16;
  for (int r0 = 0; r0 < size; r0 += 16 * tile)
    for (int c0 = 0; c0 < size; c0 += 16 * tile) {
      double sum[tile][tile] = {};
      for (int k = 0; k < size; ++k) {
        double left[tile], right[tile];
#pragma unroll
        for (int i = 0; i < tile; ++i) {
          const int r = r0 + tr + 16 * i, c = c0 + tc + 16 * i;
          left[i] = r < size ? a(r, k) : 0.0;
          right[i] = c < size ? b(k, c) : 0.0;
        }
#pragma unroll
        for (int i = 0; i < tile; ++i)
#pragma unroll
          for (int j = 0; j < tile; ++j) sum[i][j] += left[i] * right[j];
      }
#pragma unroll
      for (int i = 0; i < tile; ++i)
#pragma unroll
        for (int j = 0; j < tile; ++j) {
          const int r = r0 + tr + 16 * i, c = c0 + tc + 16 * j;
          if (r < size && c < size) store(r, c, sum[i][j]);
        }
    }
}

// D = chol(D) in the lower triangle; false where a pivot is not positive or not finite.
__device__ bool factor_block(double* D, int size, int ld) {
  for (int c = 0; c < size; ++c) {
    const double pivot = D[c * ld + c];
    if (!(pivot > 0) || !isfinite(pivot)) return false;  // the same for all threads
    const double root = sqrt(pivot);
    __syncthreads();
    for (int r = c + threadIdx.x; r < size; r += threads)
      D[r * ld + c] = r == c ? root : D[r * ld + c] / root;
    __syncthreads();
    const int left = size - c - 1;
    for (int k = threadIdx.x; k < left * left; k += threads) {
      const int r = c + 1 + k / left, j = c + 1 + k % left;
      if (j <= r) D[r * ld + j] -= D[r * ld + c] * D[j * ld + c];
    }
    __syncthreads();
  }
  return true;
}

// F = D^-1 for the lower triangular D; a thread a column.
__device__ void invert_block(const double* D, double* F, int size, int ld) {
  for (int c = threadIdx.x; c < size; c += threads) {
    for (int r = 0; r < c; ++r) F[r * ld + c] = 0;
    F[c * ld + c] = 1 / D[c * ld + c];
    for (int r = c + 1; r < size; ++r) {
      double sum = 0;
      for (int k = c; k < r; ++k) sum += D[r * ld + k] * F[k * ld + c];
      F[r * ld + c] = -sum / D[r * ld + r];
    }
  }
}

__global__ void factor_kernel(BandLayout layout, double* panels_all, double* M_all, double* y_all,
                              int* status) {
  const int size = layout.size();
  const int ld = size + 1;  // rows of shared blocks start in different banks
  const int nblocks = layout.nblocks();
  extern __shared__ double shared[];
  double* D = shared;         // the diagonal block, then its factor, then the block below
  double* E = D + size * ld;  // L_{b, b-1}
  double* F = E + size * ld;  // L_bb^-1
  double* z = F + size * ld;  // L^-1 y of the block before
  double* rhs = z + size;

  double* panels = panels_all + static_cast<size_t>(blockIdx.x) * layout.patch_size();
  double* M = M_all + static_cast<size_t>(blockIdx.x) * nblocks * size * size;
  double* y = y_all + static_cast<size_t>(blockIdx.x) * layout.rows();

  for (int b = 0; b < nblocks; ++b) {
    double* panel = panels + b * layout.panel_size();
    for (int k = threadIdx.x; k < size * size; k += threads) {
      const int c = k / size, r = k % size;
      D[r * ld + c] = r >= c ? panel[static_cast<size_t>(c) * 2 * size + r] : 0.0;
    }
    __syncthreads();
    if (b > 0) {
      // D -= L_{b,b-1} L_{b,b-1}^T
      block_product(
          size, [&](int r, int k) { return E[r * ld + k]; },
          [&](int k, int c) { return E[c * ld + k]; },
          [&](int r, int c, double value) { D[r * ld + c] -= value; });
      __syncthreads();
    }
    if (!factor_block(D, size, ld)) {
      if (threadIdx.x == 0) status[blockIdx.x] = 1;
      return;
    }
    invert_block(D, F, size, ld);
    for (int r = threadIdx.x; r < size; r += threads) {
      double sum = y[b * size + r];
      if (b > 0)
        for (int k = 0; k < size; ++k) sum -= E[r * ld + k] * z[k];
      rhs[r] = sum;
    }
    __syncthreads();
    // z_b = L_bb^-1 (y_b - L_{b,b-1} z_{b-1})
    for (int r = threadIdx.x; r < size; r += threads) {
      double sum = 0;
      for (int k = 0; k <= r; ++k) sum += F[r * ld + k] * rhs[k];
      z[r] = sum;
      y[b * size + r] = sum;
    }
    for (int k = threadIdx.x; k < size * size; k += threads) {
      const int c = k / size, r = k % size;
      panel[static_cast<size_t>(c) * 2 * size + r] = F[r * ld + c];
    }
    if (b > 0)  // M_b = -L_bb^-1 L_{b,b-1}
      block_product(
          size, [&](int r, int k) { return F[r * ld + k]; },
          [&](int k, int c) { return E[k * ld + c]; },
          [&](int r, int c, double value) {
            M[(static_cast<size_t>(b) * size + c) * size + r] = -value;
          });
    __syncthreads();
    if (b + 1 == nblocks) break;
    // L_{b+1,b} = N_{b+1,b} L_bb^-T
    for (int k = threadIdx.x; k < size * size; k += threads) {
      const int c = k / size, r = k % size;
      D[r * ld + c] = panel[static_cast<size_t>(c) * 2 * size + size + r];
    }
    __syncthreads();
    block_product(
        size, [&](int r, int k) { return D[r * ld + k]; },
        [&](int k, int c) { return F[c * ld + k]; },
        [&](int r, int c, double value) {
          E[r * ld + c] = value;
          panel[static_cast<size_t>(c) * 2 * size + size + r] = value;
        });
    __syncthreads();
  }

  // Back: x_b = L_bb^-T (z_b - L_{b+1,b}^T x_{b+1}); a warp a row, z holds x_{b+1}.
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  for (int b = nblocks - 1; b >= 0; --b) {
    const double* panel = panels + b * layout.panel_size();
    for (int r = warp; r < size; r += threads / warp_size) {
      double sum = 0;
      if (b + 1 < nblocks)
        for (int k = lane; k < size; k += warp_size)
          sum += panel[static_cast<size_t>(r) * 2 * size + size + k] * z[k];
      sum = warp_sum(sum);
      if (lane == 0) rhs[r] = y[b * size + r] - sum;
    }
    __syncthreads();
    for (int r = warp; r < size; r += threads / warp_size) {
      double sum = 0;
      for (int k = r + lane; k < size; k += warp_size)
        sum += panel[static_cast<size_t>(r) * 2 * size + k] * rhs[k];
      sum = warp_sum(sum);
      if (lane == 0) {
        z[r] = sum;
        y[b * size + r] = sum;
      }
    }
    __syncthreads();
  }
}

// Columns of L^-1 within their own diagonal block: X rows of block b, columns of the bins in it.
__global__ void place_columns_kernel(const PatchGeometry* patches, BandLayout layout, int ncore,
                                     const double* panels, double* X) {
  const PatchGeometry& patch = patches[blockIdx.y];
  const int column = blockIdx.x;  // w ncore + s
  const int w = column / ncore, s = column % ncore;
  if (s >= patch.ncore || w >= patch.nwave) return;
  const int size = layout.size();
  const int b = w / layout.reach;
  const int unit = w * layout.nslots + patch.pad_below + s - b * size;
  const double* panel = panels + static_cast<size_t>(blockIdx.y) * layout.patch_size() +
                        b * layout.panel_size() + static_cast<size_t>(unit) * 2 * size;
  double* out = X +
                (static_cast<size_t>(blockIdx.y) * layout.nwave * ncore + column) * layout.rows() +
                static_cast<size_t>(b) * size;
  for (int r = threadIdx.x; r < size; r += blockDim.x) out[r] = panel[r];
}

std::size_t factor_bytes(int size) {
  return (3 * static_cast<std::size_t>(size) * static_cast<std::size_t>(size + 1) +
          2 * static_cast<std::size_t>(size)) *
         sizeof(double);
}

}  // namespace

int largest_band_block() {
  int device = 0, most = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  int size = 0;
  while (factor_bytes(size + 1) <= static_cast<std::size_t>(most)) ++size;
  return size;
}

void factor_band(int count, const BandLayout& layout, double* panels, double* M, double* y,
                 int* status, cudaStream_t stream) {
  const std::size_t bytes = factor_bytes(layout.size());
  SPEX_GPU_CHECK(cudaFuncSetAttribute(factor_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(bytes)));
  factor_kernel<<<count, threads, bytes, stream>>>(layout, panels, M, y, status);
  SPEX_LAUNCH_CHECK();
}

void solve_core_columns(const Context& context, const PatchGeometry* patches, int count,
                        const BandLayout& layout, int ncore, const double* panels, const double* M,
                        double* X) {
  const int size = layout.size();
  const int rows = layout.rows();
  const int columns = layout.nwave * ncore;
  const long long stride_X = static_cast<long long>(rows) * columns;
  const long long stride_M = static_cast<long long>(layout.nblocks()) * size * size;
  SPEX_GPU_CHECK(cudaMemsetAsync(X, 0, count * static_cast<std::size_t>(stride_X) * sizeof(double),
                                 context.stream()));
  place_columns_kernel<<<dim3(columns, count), 64, 0, context.stream()>>>(patches, layout, ncore,
                                                                          panels, X);
  SPEX_LAUNCH_CHECK();
  // X_b = M_b X_{b-1} for the columns that began in an earlier block.
  const double one = 1, zero = 0;
  for (int b = 1; b < layout.nblocks(); ++b)
    SPEX_GPU_CHECK(cublasDgemmStridedBatched(
        context.blas(), CUBLAS_OP_N, CUBLAS_OP_N, size, b * layout.reach * ncore, size, &one,
        M + static_cast<std::size_t>(b) * size * size, size, stride_M,
        X + static_cast<std::size_t>(b - 1) * size, rows, stride_X, &zero,
        X + static_cast<std::size_t>(b) * size, rows, stride_X, count));
}

}  // namespace spex::gpu
