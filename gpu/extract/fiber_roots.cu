#include <algorithm>

#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/extract/fiber_poles.cuh"
#include "gpu/extract/fiber_reach.hpp"
#include "gpu/extract/fiber_roots.hpp"
#include "gpu/extract/spectra_device.cuh"
#include "gpu/linalg/lane_band.cuh"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/linalg/zolotarev.hpp"

namespace spex::gpu {
namespace {

constexpr int warps = fiber_roots::warps;
constexpr int group = fiber_roots::group;
constexpr int lanes = group * fiber_roots::sides;  // of a spectrum
constexpr int spectra_of_warp = fiber_roots::spectra_of_warp;
constexpr int vectors = fiber_roots::vectors;
static_assert(spectra_of_warp * lanes == warp_size);
constexpr double root_error = fiber_poles::gpu_error;
constexpr int most_poles = fiber_poles::most;
// Of what E adds, which is 1e-7 of the whole at most.
constexpr double correction_error = 3e-4;
// Up to this ratio of the largest eigenvalue to the least, single precision finds what E adds
// within 3e-4.
constexpr double single_condition = 5e3;

// Blocks of a multiprocessor: fewer share more of its memory, and of the second-level cache.
constexpr int most_blocks_of_processor = 1;
// Of the root, and of what E adds.
constexpr int poles_of_spectrum = 2 * most_poles;
template <int R>
__host__ __device__ constexpr int scratch_of_warp(int m) {
  return LaneScratch<R, double>::size(m) +
         spectra_of_warp * poles_of_spectrum *
             static_cast<int>(sizeof(ZolotarevPole) / sizeof(double));
}

// The least multiple of `group` poles that is enough, as lane p says of p + 1 times the group.
__device__ int poles_for(bool enough) {
  constexpr int most = most_poles / group;
  static_assert(most <= group);
  const unsigned lanes_of_spectrum =
      __ballot_sync(all_lanes, enough) >> (threadIdx.x % warp_size / lanes * lanes);
  const int first = __ffs(lanes_of_spectrum & ((1U << most) - 1));
  return group * (first == 0 ? most : first);
}

// A number below all eigenvalues of P_b, within a factor of 1.7 of the least for as many bins as
// there are here, from one that is: each pole's lanes ask Sturm's question of another, whether P_b
// less it has positive pivots. The least is no more than `bins` times what its inverse's trace
// allows.
template <int R>
__device__ double raise_least(const Lane<R>& my, double least) {
  const double shift = least * pow(static_cast<double>(my.m), (my.p + 1) / (group + 1.0));
  double best = is_positive<R>(my, -shift) ? shift : least;
#pragma unroll
  for (int offset = group / 2; offset > 0; offset /= 2)
    best = fmax(best, __shfl_xor_sync(all_lanes, best, offset));
  return best;
}

// (P_b x)_j, x(k) element k of a vector.
template <int R, class Vector>
__device__ double times_P(const Lane<R>& my, int j, const Vector& x) {
  double sum = my.P[j * (R + 1)] * x(j);
  for (int d = 1; d <= R; ++d) {
    if (j + d < my.m) sum += my.P[j * (R + 1) + d] * x(j + d);
    if (j >= d) sum += my.P[(j - d) * (R + 1) + d] * x(j - d);
  }
  return sum;
}
template <int R, class Vector>
__device__ double times_E(const Lane<R>& my, int j, const Vector& x) {
  double sum = 0;
#pragma unroll 8
  for (int k = 0; k < my.m; ++k) sum += my.E[static_cast<size_t>(k) * my.m + j] * x(k);
  return sum;
}

// r = Q 1 = P (P^(-1/2) 1), with all of P. False where the elements beyond the band change it by
// more than they may.
template <int R>
__device__ bool find_row_sums(const Lane<R>& my) {
  const auto of_band = [&](int j) { return my.of_band(0, j); };
  const auto of_P = [&](int j) { return my.of_band(0, j) + my.added[j]; };
  bool within = true;
  for (int j = my.p + my.side * group; j < my.m; j += lanes) {
    const double r = times_P<R>(my, j, of_P) - times_E<R>(my, j, of_P);
    within = within && fabs(times_P<R>(my, j, of_band) - r) <= fiber_bounds::outside * fabs(r);
    my.r[j] = r;
  }
  return within;
}

template <int R>
__global__ void __launch_bounds__(warps* warp_size)
    roots_kernel(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                 FiberLayout layout, SchurComplements complements, const double* trace,
                 const double* q_all, double* scratch, int columns_in_shared, int* status,
                 SpectraView spectra) {
  extern __shared__ double shared[];
  const int m = layout.nwave;
  const int warp = threadIdx.x / warp_size;
  const int lane = threadIdx.x % lanes;  // of the spectrum
  Lane<R> my;
  my.m = m;
  my.h = rows_of_half(R, m);
  my.rows = rows_of_halves(R, m);
  my.ndiag = spectra.ndiag;
  my.p = lane % group;
  my.side = lane / group;
  my.first = my.side == 0 ? 0 : (my.rows - 1) * (R + 1);
  my.next_column = my.side == 0 ? R + 1 : -(R + 1);
  my.next_row = my.side == 0 ? 1 : -R;
  my.sums = shared + (threadIdx.x / lanes) * fiber_roots::shared_numbers(m, my.ndiag);
  my.added = my.sums + m * my.width();
  my.r = my.added + vectors * m;
  double* columns = shared + warps * spectra_of_warp * fiber_roots::shared_numbers(m, my.ndiag) +
                    warp * columns_in_shared * LaneScratch<R, double>::column_size;
  scratch += static_cast<size_t>(blockIdx.x * warps + warp) * scratch_of_warp<R>(m);
  const auto poles = reinterpret_cast<ZolotarevPole*>(scratch + LaneScratch<R, double>::size(m)) +
                     threadIdx.x % warp_size / lanes * poles_of_spectrum;
  const int stride = gridDim.x * warps * spectra_of_warp;
  for (int base = (blockIdx.x * warps + warp) * spectra_of_warp; base < ncores; base += stride) {
    const int k = base + threadIdx.x % warp_size / lanes;
    const bool exists = k < ncores;
    const int spectrum = exists ? k : ncores - 1;  // others do the last again, for nothing
    const CoreSpectrum core = cores[spectrum];
    const PatchGeometry& patch = patches[core.patch];
    const size_t slot = static_cast<size_t>(core.patch) * layout.nslots + patch.pad_below + core.s;
    my.P = complements.band + static_cast<size_t>(spectrum) * SchurComplements::band_size(layout);
    my.E = complements.outside + static_cast<size_t>(spectrum) * m * m;
    my.y = complements.y + static_cast<size_t>(spectrum) * m;
    for (int j = lane; j < m * my.width(); j += lanes) my.sums[j] = 0;
    for (int j = lane; j < vectors * m; j += lanes) my.added[j] = 0;
    __syncwarp();

    // D <= 2 rho^2 N_ss: P >= 0.995 N_ss where both couplings are within their bound.
    double least = 0.995 / trace[slot];
    double largest = 1.001 * complements.norm[spectrum];
    const bool can = least > 0 && largest > least && largest < fiber_bounds::condition * least;
    if (!can) least = 1, largest = 2;
    least = fmin(raise_least<R>(my, least), 0.5 * largest);
    // Poles of the root, and after them those of what E adds.
    const double error = zolotarev_error(group * (my.p + 1), least / largest);
    const int poles_of_root = poles_for(error <= root_error);
    const int poles_of_E = poles_for(error <= correction_error);
    for (int i = lane; i < poles_of_root + poles_of_E; i += lanes) {
      const bool root = i < poles_of_root;
      poles[i] = zolotarev_pole(root ? i : i - poles_of_root, root ? poles_of_root : poles_of_E,
                                least, largest);
    }
    __syncwarp();
    bool good = can;
    // Rounds of poles; where another spectrum of the warp has more, this one's last again, without
    // weight.
    const auto with_poles = [&](const ZolotarevPole* of, int n, bool wanted, const auto& add) {
      const int end = __reduce_max_sync(all_lanes, wanted ? n : 0);
      for (int i = my.p; i < end; i += group) {
        const ZolotarevPole pole = of[min(i, n - 1)];
        const bool positive = add(pole.shift, i < n ? pole.weight : 0.0);
        good = (positive || !wanted) && good;
      }
      __syncwarp();
    };
    with_poles(poles, poles_of_root, true, [&](double shift, double weight) {
      const LaneScratch<R, double> mine(scratch, columns, columns_in_shared, my.h, my.rows);
      return add_root<R>(my, mine, shift, weight);
    });
    // Each precision for the spectra that want it.
    const auto correct = [&]<class Real>(Real, bool wanted) {
      with_poles(poles + poles_of_root, poles_of_E, wanted, [&](double shift, double weight) {
        const LaneScratch<R, Real> mine(scratch, columns, columns_in_shared, my.h, my.rows);
        return add_correction<R, Real>(my, mine, shift, weight, wanted);
      });
    };
    const bool single = largest < single_condition * least;
    correct(float{}, single);
    correct(double{}, !single);
    good = find_row_sums<R>(my) && good;
    if (!good && exists) status[core.patch] = guarded;
    __syncwarp();
    const double* q = q_all + slot * m;
    for (int w = lane; w < patch.nkept && exists; w += lanes) {
      const int column = w + patch.wavepad;
      if (q[column] == 0) continue;
      store_bin(
          patch, core.s, w, my.of_band(1, column) + my.added[m + column],
          [&](int row) { return my.Q(min(row, column), abs(row - column)); },
          [&](int row) { return my.r[row]; }, status + core.patch, spectra);
    }
    __syncwarp();
  }
}

// What one launch of a reach takes of the device: as many blocks as are resident together, and
// shared memory for as many columns of their warps as there is room for.
template <int R>
struct Launch {
  std::size_t bytes;  // of a block's shared memory
  int columns = 0;    // of a warp in it
  int blocks;

  Launch(int m, int ndiag) : bytes(fiber_roots::bytes(m, ndiag)) {
    constexpr std::size_t column = warps * LaneScratch<R, double>::column_size * sizeof(double);
    allow_shared_memory(reinterpret_cast<const void*>(roots_kernel<R>));
    const int each = std::min(resident(), most_blocks_of_processor);
    while (columns < rows_of_half(R, m) && bytes + column <= most_shared_memory()) {
      bytes += column;
      if (resident() < each) {
        bytes -= column;
        break;
      }
      ++columns;
    }
    int device = 0, processors = 0;
    SPEX_GPU_CHECK(cudaGetDevice(&device));
    SPEX_GPU_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    blocks = processors * each;
  }

 private:
  [[nodiscard]] int resident() const {
    int blocks_of_processor = 0;
    SPEX_GPU_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks_of_processor, roots_kernel<R>, warps * warp_size, bytes));
    return std::max(blocks_of_processor, 1);
  }
};

}  // namespace

std::size_t fiber_root_scratch(const FiberLayout& layout, int ndiag) {
  return with_reach(layout.reach, [&]<int R>() {
    return count_of(Launch<R>(layout.nwave, ndiag).blocks, warps, scratch_of_warp<R>(layout.nwave));
  });
}

void find_fiber_roots(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                      const FiberLayout& layout, const SchurComplements& complements,
                      const double* trace, const double* q, double* scratch, int* status,
                      const SpectraView& spectra, cudaStream_t stream) {
  with_reach(layout.reach, [&]<int R>() {
    const Launch<R> launch(layout.nwave, spectra.ndiag);
    roots_kernel<R><<<launch.blocks, warps * warp_size, launch.bytes, stream>>>(
        patches, cores, ncores, layout, complements, trace, q, scratch, launch.columns, status,
        spectra);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
