#include <cmath>
#include <stdexcept>

#include "gpu/core/launch.hpp"
#include "gpu/extract/roots.hpp"
#include "gpu/extract/spectra_device.cuh"

namespace spex::gpu {
namespace {

constexpr int most_steps = 60;
constexpr double residual_bound = 1e-5;
constexpr double condition_bound = 1e12;

// Leading dimension in shared memory: rows start 32 bytes apart in the banks, so that the eight
// rows of a fragment do not collide.
template <int P>
constexpr int leading = P + 4;

template <int P>
constexpr int warps = (P / 16) * (P / 16);

// A warp's 16 x 16 part of a product: 2 x 2 fragments of 8 x 8, two numbers a lane each.
struct Fragment {
  double v[2][2][2] = {};
};

// += L R for the tile at (row0, col0); R is symmetric and read by rows.
template <int P>
__device__ void multiply(const double* L, const double* R, int row0, int col0, Fragment& sum) {
  const int lane = threadIdx.x % warp_size;
  const int g = lane / 4, t = lane % 4;
#pragma unroll 4
  for (int k = 0; k < P; k += 4) {
    double a[2], b[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      a[i] = L[(row0 + 8 * i + g) * leading<P> + k + t];
      b[i] = R[(col0 + 8 * i + g) * leading<P> + k + t];
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
            : "+d"(sum.v[i][j][0]), "+d"(sum.v[i][j][1])
            : "d"(a[i]), "d"(b[j]));
  }
}

// visit(row, column, value) for this lane's numbers of a tile.
template <class Visit>
__device__ void for_each(int row0, int col0, Fragment& sum, const Visit& visit) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int k = 0; k < 2; ++k)
        visit(row0 + 8 * i + lane / 4, col0 + 8 * j + lane % 4 * 2 + k, sum.v[i][j][k]);
}

// The largest of all threads' values, the same for all; NaN counts as infinity.
template <int P>
__device__ double block_max(double value, double* of_warps) {
  if (isnan(value)) value = INFINITY;
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    value = fmax(value, __shfl_xor_sync(0xffffffffU, value, offset));
  __syncthreads();
  if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = value;
  __syncthreads();
  double largest = 0;
  for (int w = 0; w < warps<P>; ++w) largest = fmax(largest, of_warps[w]);
  return largest;
}

// Largest row sum of magnitudes of the first m rows.
template <int P>
__device__ double infinity_norm(const double* S, int m, double* of_warps) {
  double sum = 0;
  for (int row = threadIdx.x; row < m; row += warps<P> * warp_size) {
    double mine = 0;
    for (int k = 0; k < m; ++k) mine += fabs(S[row * leading<P> + k]);
    sum = isnan(mine) ? INFINITY : fmax(sum, mine);
  }
  return block_max<P>(sum, of_warps);
}

// Newton-Schulz in shared memory. Returns the residual |I - Z Y| before the last update, which
// squares it.
template <int P>
__device__ double iterate(double* Y, double* Z, double* T, double* of_warps) {
  const int warp = threadIdx.x / warp_size;
  const int row0 = warp / (P / 16) * 16, col0 = warp % (P / 16) * 16;
  double previous = INFINITY;
  for (int step = 0; step < most_steps; ++step) {
    Fragment ZY;
    multiply<P>(Z, Y, row0, col0, ZY);
    double largest = 0;
    for_each(row0, col0, ZY, [&](int row, int column, double value) {
      const double difference = (row == column ? 1.0 : 0.0) - value;
      largest = isnan(difference) ? INFINITY : fmax(largest, fabs(difference));
      T[row * leading<P> + column] = (row == column ? 1.0 : 0.0) + 0.5 * difference;
    });
    const double residual = block_max<P>(largest, of_warps);
    if (!isfinite(residual)) return residual;
    if (residual < 0.1 && residual > 0.5 * previous) return residual;  // rounding, no better now
    Fragment YT, TZ;
    multiply<P>(Y, T, row0, col0, YT);
    multiply<P>(T, Z, row0, col0, TZ);
    __syncthreads();
    for_each(row0, col0, YT,
             [&](int row, int column, double value) { Y[row * leading<P> + column] = value; });
    for_each(row0, col0, TZ,
             [&](int row, int column, double value) { Z[row * leading<P> + column] = value; });
    __syncthreads();
    if (residual < 1e-8) return residual;
    previous = residual;
  }
  return INFINITY;
}

template <int P>
__global__ void __launch_bounds__(warps<P>* warp_size)
    roots_kernel(const PatchGeometry* patches, const CoreSpectrum* cores, const double* C_all,
                 int m, const double* f_all, const double* q_all, BinStrides strides, int* status,
                 SpectraView spectra) {
  constexpr int ld = leading<P>;
  constexpr int threads = warps<P> * warp_size;
  extern __shared__ double shared[];
  double* Y = shared;
  double* Z = Y + P * ld;
  double* T = Z + P * ld;
  double* r = T + P * ld;
  double* Qf = r + P;
  double* of_warps = Qf + P;

  const CoreSpectrum core = cores[blockIdx.x];
  const PatchGeometry patch = patches[core.patch];
  if (status[core.patch] != 0) return;  // set by an earlier kernel: the same for all threads
  const double* C = C_all + static_cast<size_t>(blockIdx.x) * m * m;

  for (int k = threadIdx.x; k < P * P; k += threads) {
    const int row = k / P, column = k % P;
    const int low = max(row, column), high = min(row, column);
    Y[row * ld + column] =
        low < m ? C[static_cast<size_t>(high) * m + low] : (row == column ? 1.0 : 0.0);
    Z[row * ld + column] = row == column ? 1.0 : 0.0;
  }
  __syncthreads();
  const double norm = infinity_norm<P>(Y, m, of_warps);
  if (!(norm > 0) || !isfinite(norm)) {
    if (threadIdx.x == 0) atomicExch(status + core.patch, 1);
    return;
  }
  for (int k = threadIdx.x; k < m * m; k += threads) Y[k / m * ld + k % m] /= norm;
  __syncthreads();
  const double residual = iterate<P>(Y, Z, T, of_warps);
  __syncthreads();
  const double Z_norm = infinity_norm<P>(Z, m, of_warps);
  // ||C|| ||C^-1/2||^2 = ||A|| ||Z||^2, and ||A|| = 1
  if (!(residual < residual_bound) || !(Z_norm * Z_norm < condition_bound)) {
    if (threadIdx.x == 0) atomicExch(status + core.patch, 1);
    return;
  }

  const double scale = 1 / sqrt(norm);  // Q = Z scale
  const size_t first = static_cast<size_t>(core.patch) * strides.of_patch +
                       static_cast<size_t>(patch.pad_below + core.s) * strides.of_spec;
  for (int row = threadIdx.x; row < m; row += threads) {
    double sum = 0, product = 0;
    for (int k = 0; k < m; ++k) {
      const double value = Z[row * ld + k] * scale;
      sum += value;
      product += value * f_all[first + static_cast<size_t>(k) * strides.of_wave];
    }
    r[row] = sum;
    Qf[row] = product;
  }
  __syncthreads();
  for (int w = threadIdx.x; w < patch.nkept; w += threads) {
    const int column = w + patch.wavepad;
    if (q_all[first + static_cast<size_t>(column) * strides.of_wave] == 0) continue;
    store_bin(
        patch, core.s, w, Qf[column], [&](int row) { return Z[row * ld + column] * scale; },
        [&](int row) { return r[row]; }, status + core.patch, spectra);
  }
}

template <int P>
void launch(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores, const double* C,
            int m, const double* f, const double* q, const BinStrides& strides, int* status,
            const SpectraView& spectra, cudaStream_t stream) {
  constexpr std::size_t bytes = (3 * P * leading<P> + 2 * P + 32) * sizeof(double);
  SPEX_GPU_CHECK(cudaFuncSetAttribute(roots_kernel<P>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(bytes)));
  roots_kernel<P><<<ncores, warps<P> * warp_size, bytes, stream>>>(patches, cores, C, m, f, q,
                                                                   strides, status, spectra);
  SPEX_LAUNCH_CHECK();
}

}  // namespace

void find_roots(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                const double* C, int m, const double* f, const double* q, const BinStrides& strides,
                int* status, const SpectraView& spectra, cudaStream_t stream) {
  const auto run = [&](auto kernel) {
    kernel(patches, cores, ncores, C, m, f, q, strides, status, spectra, stream);
  };
  if (m <= 32)
    run(launch<32>);
  else if (m <= 48)
    run(launch<48>);
  else if (m <= 64)
    run(launch<64>);
  else if (m <= largest_root)
    run(launch<80>);
  else
    throw std::logic_error("find_roots: a block too large");
}

}  // namespace spex::gpu
