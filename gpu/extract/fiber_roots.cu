#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/fiber_roots.hpp"
#include "gpu/extract/lane_band.cuh"
#include "gpu/extract/spectra_device.cuh"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/linalg/zolotarev.hpp"

namespace spex::gpu {
namespace {

constexpr int warps = 4;
constexpr int blocks_per_sm = 2;
constexpr int vectors = 2;  // 1 and y' of section 5.1
constexpr int tile = 8;     // rows of E that a warp takes at a time
constexpr double root_error = 1e-13;
constexpr int pole_step = 4;
constexpr int most_poles = 48;

// What a warp keeps in shared memory, and of its own in global memory.
template <int R>
struct WarpMemory {
  double* P;     // [m + 2 R][R + 1]: the band of P, zeros beyond its rows
  double* y;     // [m + 2 R]: y', zeros beyond
  double* band;  // [vectors][m]: P_b^(-1/2) of 1 and y', P_b the band of P
  double* sums;  // [vectors][m]: P^(-1/2) of them less that
  double* r;     // [m]
  double* Q;     // [m][R + 1]
  double* L;     // global, [m][R + 1][32]
  double* x;     // global, [m][vectors][32]
  double* Ex;    // global, [m][vectors][32]
};
__host__ __device__ constexpr int shared_numbers(int R, int m) {
  return (m + 2 * R) * (R + 2) + (2 * vectors + 1) * m + m * (R + 1);
}
__host__ __device__ constexpr int scratch_numbers(int R, int m) {
  return m * (R + 1 + 2 * vectors) * warp_size;
}

template <int R>
__device__ WarpMemory<R> cut_memory(double* shared, double* scratch, int m) {
  WarpMemory<R> memory{};
  memory.P = shared;
  memory.y = memory.P + (m + 2 * R) * (R + 1);
  memory.band = memory.y + m + 2 * R;
  memory.sums = memory.band + vectors * m;
  memory.r = memory.sums + vectors * m;
  memory.Q = memory.r + m;
  memory.L = scratch;
  memory.x = memory.L + m * (R + 1) * warp_size;
  memory.Ex = memory.x + m * vectors * warp_size;
  return memory;
}

// Forward substitution in one vector of a thread: `value` is its element j, which the elements
// after it in the window lose.
template <int R>
__device__ double take_next(double (&window)[R + 1], const double (&l)[R + 1], double next) {
  const double value = window[0];
#pragma unroll
  for (int d = 1; d <= R; ++d) window[d] -= l[d] * value;
#pragma unroll
  for (int d = 0; d < R; ++d) window[d] = window[d + 1];
  window[R] = next;
  return value;
}

// Back substitution: the element above those in the window.
template <int R>
__device__ double take_previous(double (&window)[R + 1], const double (&l)[R + 1], double value) {
  double x = value * l[0];
#pragma unroll
  for (int d = 1; d <= R; ++d) x -= l[d] * window[d - 1];
#pragma unroll
  for (int d = R; d > 0; --d) window[d] = window[d - 1];
  window[0] = x;
  return x;
}

// (D x)_j beyond the band of P, for a vector in shared memory: E x.
template <int R>
__device__ double times_E(const double* D, int m, int j, const double* x) {
  double sum = 0;
#pragma unroll 8
  for (int k = 0; k < m; ++k)
    if (abs(k - j) > R) sum += D[static_cast<size_t>(k) * m + j] * x[k];
  return sum;
}

template <int R>
__device__ double times_P(const double* P, int m, int j, const double* x) {
  double sum = P[j * (R + 1)] * x[j];
  for (int d = 1; d <= R; ++d) {
    if (j + d < m) sum += P[j * (R + 1) + d] * x[j + d];
    if (j >= d) sum += P[(j - d) * (R + 1) + d] * x[j - d];
  }
  return sum;
}

// P within its band and y', by the warp; the norm of P.
template <int R>
__device__ double make_P(const WarpMemory<R>& memory, int m, const double* band, const double* D,
                         const double* g, const double* f) {
  const int lane = threadIdx.x % warp_size;
  for (int k = lane; k < (m + 2 * R) * (R + 1); k += warp_size) {
    const int j = k / (R + 1), d = k % (R + 1);
    memory.P[k] = j + d < m ? band[k] - D[static_cast<size_t>(j) * m + j + d] : 0.0;
  }
  for (int j = lane; j < m + 2 * R; j += warp_size) {
    double y = 0;
    if (j < m) {
      y = g[j];
#pragma unroll 8
      for (int k = 0; k < m; ++k) y -= D[static_cast<size_t>(k) * m + j] * f[k];
    }
    memory.y[j] = y;
  }
  __syncwarp();
  double norm = 0;
  for (int j = lane; j < m; j += warp_size) {
    double sum = fabs(memory.P[j * (R + 1)]);
    for (int d = 1; d <= R; ++d) {
      if (j + d < m) sum += fabs(memory.P[j * (R + 1) + d]);
      if (j >= d) sum += fabs(memory.P[(j - d) * (R + 1) + d]);
    }
    norm = fmax(norm, sum);
  }
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    norm = fmax(norm, __shfl_xor_sync(0xffffffffU, norm, offset));
  return norm;
}

// Factors P + shift and takes both vectors through L. True where all pivots are positive.
template <int R>
__device__ bool factor_shifted(const WarpMemory<R>& memory, int m, double shift) {
  const int lane = threadIdx.x % warp_size;
  double window[vectors][R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[0][d] = d < m ? 1.0 : 0.0;
    window[1][d] = memory.y[d];
  }
  return factor_band<R>(
      m,
      [&](int j, int d) {
        const double a = memory.P[j * (R + 1) + d];
        return d == 0 ? a + shift : a;
      },
      [&](int j, const double(&l)[R + 1]) {
        double* L = memory.L + j * (R + 1) * warp_size + lane;
#pragma unroll
        for (int d = 0; d <= R; ++d) L[d * warp_size] = l[d];
        double* x = memory.x + j * vectors * warp_size + lane;
        x[0] = take_next<R>(window[0], l, j + R + 1 < m ? 1.0 : 0.0);
        x[warp_size] = take_next<R>(window[1], l, memory.y[j + R + 1]);
      });
}

template <int R>
__device__ void load_column(const WarpMemory<R>& memory, int j, double (&l)[R + 1]) {
  const double* L = memory.L + j * (R + 1) * warp_size + threadIdx.x % warp_size;
#pragma unroll
  for (int d = 0; d <= R; ++d) l[d] = L[d * warp_size];
}

// Back through L^T: the vectors, their weighted sums, and the band of Q.
template <int R>
__device__ void solve_and_invert(const WarpMemory<R>& memory, int m, int ndiag, double shift,
                                 double weight) {
  const int lane = threadIdx.x % warp_size;
  double window[vectors][R + 1] = {};
  invert_band<R>(
      m, [&](int j, double(&l)[R + 1]) { load_column<R>(memory, j, l); },
      [&](int j, const double(&l)[R + 1], const double(&z)[R + 1]) {
        double* x = memory.x + j * vectors * warp_size + lane;
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          const double value = take_previous<R>(window[v], l, x[v * warp_size]);
          x[v * warp_size] = value;
          const double sum = warp_sum(weight * value);
          if (lane == 0) memory.band[v * m + j] += sum;
        }
#pragma unroll
        for (int d = 0; d <= R; ++d) {
          if (d > ndiag) break;
          const double q = warp_sum(weight * ((d == 0 ? 1 : 0) - shift * z[d]));
          if (lane == 0) memory.Q[j * (R + 1) + d] += q;
        }
      });
  __syncwarp();
}

// Ex = E x of each thread's vectors, a tile of rows at a time.
template <int R>
__device__ void apply_E(const WarpMemory<R>& memory, int m, const double* D) {
  const int lane = threadIdx.x % warp_size;
  for (int first = 0; first < m; first += tile) {
    double sum[vectors][tile] = {};
    // Bin k of each vector, times column k of E in these rows.
    const auto add = [&](int k, bool near) {
      const double* x = memory.x + k * vectors * warp_size + lane;
      const double x0 = x[0], x1 = x[warp_size];
#pragma unroll
      for (int i = 0; i < tile; ++i) {
        const int row = first + i;
        double e = 0;
        if (row < m && (!near || abs(row - k) > R)) e = D[static_cast<size_t>(k) * m + row];
        sum[0][i] += e * x0;
        sum[1][i] += e * x1;
      }
    };
    const int near_first = min(max(first - R, 0), m);
    const int near_last = min(first + tile + R, m);
#pragma unroll 4
    for (int k = 0; k < near_first; ++k) add(k, false);
#pragma unroll 1
    for (int k = near_first; k < near_last; ++k) add(k, true);
#pragma unroll 4
    for (int k = near_last; k < m; ++k) add(k, false);
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      if (first + i >= m) break;
      double* Ex = memory.Ex + (first + i) * vectors * warp_size + lane;
      Ex[0] = sum[0][i];
      Ex[warp_size] = sum[1][i];
    }
  }
}

// (P + shift)^-1 (E x), and its weighted sums added to those of x.
template <int R>
__device__ void add_correction(const WarpMemory<R>& memory, int m, double weight) {
  const int lane = threadIdx.x % warp_size;
  const auto Ex = [&](int j, int v) -> double& {
    return memory.Ex[(j * vectors + v) * warp_size + lane];
  };
  double window[vectors][R + 1];
#pragma unroll
  for (int v = 0; v < vectors; ++v)
#pragma unroll
    for (int d = 0; d <= R; ++d) window[v][d] = d < m ? Ex(d, v) : 0.0;
#pragma unroll 3
  for (int j = 0; j < m; ++j) {
    double l[R + 1];
    load_column<R>(memory, j, l);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const double next = j + R + 1 < m ? Ex(j + R + 1, v) : 0.0;
      Ex(j, v) = take_next<R>(window[v], l, next);
    }
  }
#pragma unroll
  for (int v = 0; v < vectors; ++v)
#pragma unroll
    for (int d = 0; d <= R; ++d) window[v][d] = 0;
#pragma unroll 3
  for (int j = m - 1; j >= 0; --j) {
    double l[R + 1];
    load_column<R>(memory, j, l);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const double sum = warp_sum(weight * take_previous<R>(window[v], l, Ex(j, v)));
      if (lane == 0) memory.sums[v * m + j] += sum;
    }
  }
  __syncwarp();
}

template <int R>
__global__ void __launch_bounds__(warps* warp_size, blocks_per_sm)
    roots_kernel(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                 FiberLayout layout, FiberBands bands, FiberSolution solution, const double* D_all,
                 const double* q_all, double* scratch, int* status, SpectraView spectra) {
  extern __shared__ double shared[];
  const int m = layout.nwave;
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const WarpMemory<R> memory = cut_memory<R>(
      shared + warp * shared_numbers(R, m),
      scratch + static_cast<size_t>(blockIdx.x * warps + warp) * scratch_numbers(R, m), m);
  for (int k = blockIdx.x * warps + warp; k < ncores; k += gridDim.x * warps) {
    const CoreSpectrum core = cores[k];
    const PatchGeometry& patch = patches[core.patch];
    const size_t slot_of_patch =
        static_cast<size_t>(core.patch) * layout.nslots + patch.pad_below + core.s;
    const double* D = D_all + static_cast<size_t>(k) * m * m;
    __syncwarp();
    const double norm = make_P<R>(memory, m, bands.band + slot_of_patch * layout.band_size(), D,
                                  solution.g + slot_of_patch * m, solution.f + slot_of_patch * m);
    // D <= 2 rho^2 N_ss: P >= 0.995 N_ss where both couplings are within their bound.
    const double least = 0.995 / solution.trace[slot_of_patch];
    const double largest = 1.001 * norm;
    if (!(least > 0) || !(largest > least) || !(largest < fiber_bounds::condition * least)) {
      if (lane == 0) status[core.patch] = guarded;
      continue;
    }
    int n = pole_step;
    while (n < most_poles && zolotarev_error(n, least / largest) > root_error) n += pole_step;
    for (int j = lane; j < vectors * m; j += warp_size) memory.band[j] = memory.sums[j] = 0;
    for (int j = lane; j < m * (R + 1); j += warp_size) memory.Q[j] = 0;
    __syncwarp();
    bool good = true;
    for (int first = 0; first < n; first += warp_size) {
      // Threads beyond the last pole do what that of the last one does, without weight.
      const ZolotarevPole pole = zolotarev_pole(min(first + lane, n - 1), n, least, largest);
      const double weight = first + lane < n ? pole.weight : 0.0;
      good = factor_shifted<R>(memory, m, pole.shift) && good;
      __syncwarp();
      solve_and_invert<R>(memory, m, spectra.ndiag, pole.shift, weight);
      apply_E<R>(memory, m, D);
      __syncwarp();
      add_correction<R>(memory, m, weight);
    }
    for (int j = lane; j < m; j += warp_size) memory.r[j] = times_P<R>(memory.P, m, j, memory.band);
    __syncwarp();
    for (int j = lane; j < vectors * m; j += warp_size) memory.sums[j] += memory.band[j];
    __syncwarp();
    bool within = good;
    for (int j = lane; j < m; j += warp_size) {
      const double of_band = memory.r[j];
      const double r = times_P<R>(memory.P, m, j, memory.sums) - times_E<R>(D, m, j, memory.sums);
      within = within && fabs(of_band - r) <= fiber_bounds::outside * fabs(r);
      memory.r[j] = r;
    }
    if (!within) status[core.patch] = guarded;
    __syncwarp();
    const double* q = q_all + slot_of_patch * m;
    for (int w = lane; w < patch.nkept; w += warp_size) {
      const int column = w + patch.wavepad;
      if (q[column] == 0) continue;
      store_bin(
          patch, core.s, w, memory.sums[m + column],
          [&](int row) { return memory.Q[min(row, column) * (R + 1) + abs(row - column)]; },
          [&](int row) { return memory.r[row]; }, status + core.patch, spectra);
    }
  }
}

int resident_blocks() {
  int device = 0, processors = 0;
  SPEX_GPU_CHECK(cudaGetDevice(&device));
  SPEX_GPU_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  return processors * blocks_per_sm;
}

template <int R>
void launch(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
            const FiberLayout& layout, const FiberBands& bands, const FiberSolution& solution,
            const double* D, const double* q, double* scratch, int* status,
            const SpectraView& spectra, cudaStream_t stream) {
  const std::size_t bytes =
      static_cast<std::size_t>(warps * shared_numbers(R, layout.nwave)) * sizeof(double);
  allow_shared_memory(reinterpret_cast<const void*>(roots_kernel<R>));
  roots_kernel<R><<<resident_blocks(), warps * warp_size, bytes, stream>>>(
      patches, cores, ncores, layout, bands, solution, D, q, scratch, status, spectra);
  SPEX_LAUNCH_CHECK();
}

}  // namespace

std::size_t fiber_root_scratch(const FiberLayout& layout) {
  return count_of(resident_blocks() * warps, scratch_numbers(layout.reach, layout.nwave));
}

void find_fiber_roots(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                      const FiberLayout& layout, const FiberBands& bands,
                      const FiberSolution& solution, const double* D, const double* q,
                      double* scratch, int* status, const SpectraView& spectra,
                      cudaStream_t stream) {
  const auto run = layout.reach == 8    ? &launch<8>
                   : layout.reach == 10 ? &launch<10>
                                        : &launch<largest_fiber_reach>;
  run(patches, cores, ncores, layout, bands, solution, D, q, scratch, status, spectra, stream);
}

}  // namespace spex::gpu
