#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/tensor.cuh"
#include "gpu/core/warp.cuh"
#include "gpu/linalg/band_cholesky.hpp"
#include "gpu/linalg/limits.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_size;

// C(r, c) = sum_{k < size8} A(r, k) B(k, c) in tiles of 8 x 8, dealt to the warps; A, B are called
// for all indices below size8, store(r, c, value) too. `lower` leaves out the tiles above the
// diagonal.
template <class A, class B, class Store>
__device__ void block_product(int size8, bool lower, const A& a, const B& b, const Store& store) {
  const auto [g, t] = fragment_lane();
  const int across = size8 / 8;
  for (int k = threadIdx.x / warp_size; k < across * across; k += warps) {
    const int row0 = k / across * 8, col0 = k % across * 8;
    if (lower && col0 > row0) continue;
    double c0 = 0, c1 = 0;
#pragma unroll 7
    for (int i = 0; i < size8; i += 4) multiply_add(a(row0 + g, i + t), b(i + t, col0 + g), c0, c1);
    store(row0 + g, col0 + 2 * t, c0);
    store(row0 + g, col0 + 2 * t + 1, c1);
  }
}

// D = L L^T, F = L^-1 and z = L^-1 rhs, by elimination of [D | I | rhs] a column at a time: with
// pivots d_c, D becomes L diag(sqrt d), and rows of F and rhs are scaled at the end. False where a
// pivot is not positive or not finite, for all threads. D's upper triangle is not used; F comes in
// as I.
__device__ bool eliminate(double* D, double* F, double* rhs, int size, int ld) {
  const int tr = threadIdx.x / 16, tc = threadIdx.x % 16;
  for (int c = 0; c < size; ++c) {
    const double pivot = D[c * ld + c];
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    const double inverse = 1 / pivot;
    for (int r = c + 1 + tr; r < size; r += 16) {
      const double factor = D[r * ld + c] * inverse;
      for (int j = c + 1 + tc; j <= r; j += 16) D[r * ld + j] -= factor * D[j * ld + c];
      for (int k = tc; k <= c; k += 16) F[r * ld + k] -= factor * F[c * ld + k];
      if (tc == 0) rhs[r] -= factor * rhs[c];
    }
    __syncthreads();
  }
  for (int r = tr; r < size; r += 16) {
    const double scale = 1 / sqrt(D[r * ld + r]);
    for (int k = tc; k <= r; k += 16) F[r * ld + k] *= scale;
    if (tc == 0) rhs[r] *= scale;
  }
  __syncthreads();
  return true;
}

// Two blocks on a multiprocessor: more would make the compiler spill.
__global__ void __launch_bounds__(threads, 2)
    factor_kernel(BandLayout layout, double* panels_all, double* M_all, double* y_all,
                  int* status) {
  const int size = layout.size();
  const int size8 = (size + 7) / 8 * 8;
  const int ld = size8 + 4;  // rows of shared blocks start in different banks
  const int nblocks = layout.nblocks();
  extern __shared__ double shared[];
  double* D = shared;          // the diagonal block, then the block below
  double* E = D + size8 * ld;  // L_{b, b-1}
  double* F = E + size8 * ld;  // L_bb^-1
  double* z = F + size8 * ld;  // L^-1 y of the block before
  double* rhs = z + size8;

  double* panels = panels_all + static_cast<size_t>(blockIdx.x) * layout.patch_size();
  double* M = M_all + static_cast<size_t>(blockIdx.x) * nblocks * size * size;
  double* y = y_all + static_cast<size_t>(blockIdx.x) * layout.rows();
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;

  for (int k = threadIdx.x; k < size8 * ld; k += threads) E[k] = 0;
  for (int b = 0; b < nblocks; ++b) {
    double* panel = panels + b * layout.panel_size();
    for (int c = warp; c < size8; c += warps)
      for (int r = lane; r < size8; r += warp_size) {
        const bool inside = r < size && c < size && r >= c;
        D[r * ld + c] = inside ? panel[static_cast<size_t>(c) * 2 * size + r] : 0.0;
        F[r * ld + c] = r == c ? 1.0 : 0.0;
      }
    // rhs = y_b - L_{b,b-1} z_{b-1}; a warp a row
    for (int r = warp; r < size; r += warps) {
      double sum = 0;
      if (b > 0)
        for (int k = lane; k < size; k += warp_size) sum += E[r * ld + k] * z[k];
      sum = warp_sum(sum);
      if (lane == 0) rhs[r] = y[b * size + r] - sum;
    }
    __syncthreads();
    if (b > 0) {  // D -= L_{b,b-1} L_{b,b-1}^T
      block_product(
          size8, true, [&](int r, int k) { return E[r * ld + k]; },
          [&](int k, int c) { return E[c * ld + k]; },
          [&](int r, int c, double value) { D[r * ld + c] -= value; });
      __syncthreads();
    }
    if (!eliminate(D, F, rhs, size, ld)) {
      if (threadIdx.x == 0) status[blockIdx.x] = 1;
      return;
    }
    for (int r = threadIdx.x; r < size; r += threads) {
      z[r] = rhs[r];
      y[b * size + r] = rhs[r];
    }
    for (int c = warp; c < size; c += warps)
      for (int r = lane; r < size; r += warp_size)
        panel[static_cast<size_t>(c) * 2 * size + r] = F[r * ld + c];
    if (b > 0)  // M_b = -L_bb^-1 L_{b,b-1}
      block_product(
          size8, false, [&](int r, int k) { return F[r * ld + k]; },
          [&](int k, int c) { return E[k * ld + c]; },
          [&](int r, int c, double value) {
            if (r < size && c < size) M[(static_cast<size_t>(b) * size + c) * size + r] = -value;
          });
    if (b + 1 == nblocks) break;
    for (int c = warp; c < size8; c += warps)
      for (int r = lane; r < size8; r += warp_size)
        D[r * ld + c] =
            r < size && c < size ? panel[static_cast<size_t>(c) * 2 * size + size + r] : 0.0;
    __syncthreads();
    block_product(  // L_{b+1,b} = N_{b+1,b} L_bb^-T
        size8, false, [&](int r, int k) { return D[r * ld + k]; },
        [&](int k, int c) { return F[c * ld + k]; },
        [&](int r, int c, double value) {
          E[r * ld + c] = value;
          if (r < size && c < size) panel[static_cast<size_t>(c) * 2 * size + size + r] = value;
        });
    __syncthreads();
  }
  __syncthreads();

  // Back: x_b = L_bb^-T (z_b - L_{b+1,b}^T x_{b+1}); a warp a row, z holds x_{b+1}.
  for (int b = nblocks - 1; b >= 0; --b) {
    const double* panel = panels + b * layout.panel_size();
    for (int r = warp; r < size; r += warps) {
      double sum = 0;
      if (b + 1 < nblocks)
        for (int k = lane; k < size; k += warp_size)
          sum += panel[static_cast<size_t>(r) * 2 * size + size + k] * z[k];
      sum = warp_sum(sum);
      if (lane == 0) rhs[r] = y[b * size + r] - sum;
    }
    __syncthreads();
    for (int r = warp; r < size; r += warps) {
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

}  // namespace

void factor_band(int count, const BandLayout& layout, double* panels, double* M, double* y,
                 int* status, cudaStream_t stream) {
  const std::size_t bytes = factor_bytes(layout.size());
  allow_shared_memory(reinterpret_cast<const void*>(factor_kernel));
  factor_kernel<<<count, threads, bytes, stream>>>(layout, panels, M, y, status);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
