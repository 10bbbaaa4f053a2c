#include <algorithm>

#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/spectra_device.cuh"
#include "gpu/extract/fibers/fiber_root.hpp"
#include "gpu/extract/fibers/fiber_root_lanes.cuh"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "reference/core/count.hpp"
#include "reference/extract/fiber_cholesky.hpp"
#include "reference/linalg/zolotarev.hpp"

namespace spex::gpu {
namespace {

using namespace root_lanes;

constexpr int warps = fiber_roots::warps;
constexpr int spectra_of_warp = fiber_roots::spectra_of_warp;
static_assert(spectra_of_warp * group == warp_size);
constexpr int tile = 25;  // rows of E that a warp multiplies at a time
constexpr double root_error = fiber_poles::gpu_error;
// Poles whose scratch fills one 32-byte sector of memory: fewer poles would move as many bytes.
constexpr int poles_of_sector = 32 / sizeof(double);
constexpr int max_poles = fiber_poles::most;
// Relative tolerance of the correction by E, itself at most 1e-7 of the result.
constexpr double correction_error = 3e-4;
// Relative error of the correction in single precision, divided by the ratio of the largest
// eigenvalue to the least.
constexpr double single_error = 6e-8;
// A single-precision correction is accepted if its relative error is at most correction_error, or
// if the error itself is at most this: relative to P^(-1/2) 1, and in units of P^(-1/2) y, whose
// standard deviation is 1.
constexpr double accepted_error = 1e-10;

// Ex = E x for the vectors of each lane, a tile of rows at a time.
template <int R, class Real>
__device__ void apply_E(const Lane<R, Real>& my) {
  for (int first = 0; first < my.m; first += tile) {
    const int rows = min(tile, my.m - first);
    Real sum[vectors][tile] = {};
#pragma unroll 2
    for (int k = 0; k < my.m; ++k) {
      const Real x0 = my.column(my.x, k, 0), x1 = my.column(my.x, k, 1);
      const float* E = my.E + static_cast<size_t>(k) * my.m + first;
#pragma unroll
      for (int i = 0; i < tile; ++i) {
        const Real e = i < rows ? E[i] : 0;
        sum[0][i] += e * x0;
        sum[1][i] += e * x1;
      }
    }
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      if (i >= rows) break;
      my.column(my.Ex, first + i, 0) = sum[0][i];
      my.column(my.Ex, first + i, 1) = sum[1][i];
    }
  }
}

// Adds the sum over poles of X E X times 1 and y, X = (P_b + shift)^-1, if `wanted`. The lanes have
// factored X and solved L x = v for both vectors.
template <int R, class Real>
__device__ void add_correction(const Lane<R, Real>& my, double weight, bool wanted) {
  solve_back<R>(my, my.x, [&](int j, int k, Real x) { my.column(my.x, j, k) = x; });
  apply_E<R>(my);
  solve_forward<R>(my, my.Ex);
  double v[group] = {};
  solve_back<R>(my, my.Ex, [&](int j, int k, Real x) {
    v[k] = weight * x;
    if (k + 1 < vectors) return;
    const double sum = sum_over_group(v);
    if (wanted && my.p < vectors) my.added[my.p * my.m + j] += sum;
  });
}

// The largest correction by E: of P^(-1/2) 1 relative to the element, of P^(-1/2) y as it is.
// Infinite where a correction is not finite.
template <int R>
__device__ double correction(const Lane<R, double>& my) {
  double largest = 0;
  for (int j = my.p; j < my.m; j += group) {
    const double size = fmax(fabs(my.added[j] / my.of_band(0, j)), fabs(my.added[my.m + j]));
    largest = fmax(largest, isfinite(my.added[j] + my.added[my.m + j]) ? size : INFINITY);
  }
#pragma unroll
  for (int offset = group / 2; offset > 0; offset /= 2)
    largest = fmax(largest, __shfl_xor_sync(all, largest, offset));
  return largest;
}

// (P_b x)_j, x(k) element k of a vector.
template <int R, class Vector>
__device__ double times_P(const Lane<R, double>& my, int j, const Vector& x) {
  double sum = my.element(j, 0, 0) * x(j);
  for (int d = 1; d <= R; ++d) {
    if (j + d < my.m) sum += my.element(j, d, 0) * x(j + d);
    if (j >= d) sum += my.element(j - d, d, 0) * x(j - d);
  }
  return sum;
}
template <int R, class Vector>
__device__ double times_E(const Lane<R, double>& my, int j, const Vector& x) {
  double sum = 0;
#pragma unroll 8
  for (int k = 0; k < my.m; ++k) sum += my.E[static_cast<size_t>(k) * my.m + j] * x(k);
  return sum;
}

// r = Q 1 = P (P^(-1/2) 1) with all of P. False if the elements beyond the band change r by more
// than fiber_bounds::outside.
template <int R>
__device__ bool find_row_sums(const Lane<R, double>& my) {
  const auto of_band = [&](int j) { return my.of_band(0, j); };
  const auto of_P = [&](int j) { return my.of_band(0, j) + my.added[j]; };
  bool within = true;
  for (int j = my.p; j < my.m; j += group) {
    const double r = times_P<R>(my, j, of_P) - times_E<R>(my, j, of_P);
    within = within && fabs(times_P<R>(my, j, of_band) - r) <= fiber_bounds::outside * fabs(r);
    my.r[j] = r;
  }
  return within;
}

template <int R>
__global__ void __launch_bounds__(warps* warp_size)
    roots_kernel(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                 FiberLayout layout, FiberSolution solution, SchurComplements complements,
                 const double* q_all, double* scratch, int* status, SpectraView spectra) {
  extern __shared__ double shared[];
  const int m = layout.nwave;
  const int warp = threadIdx.x / warp_size;
  Lane<R, double> my;
  my.m = m;
  my.ndiag = spectra.ndiag;
  my.lane = threadIdx.x % warp_size;
  my.p = my.lane % group;
  my.sums = shared + (threadIdx.x / group) * fiber_roots::shared_numbers(m, my.ndiag);
  my.added = my.sums + m * my.width();
  my.r = my.added + vectors * m;
  my.take(scratch + static_cast<size_t>(blockIdx.x * warps + warp) * scratch_numbers_of_warp(R, m));
  const int stride = gridDim.x * warps * spectra_of_warp;
  for (int base = (blockIdx.x * warps + warp) * spectra_of_warp; base < ncores; base += stride) {
    const int k = base + my.lane / group;
    const bool exists = k < ncores;
    const int spectrum = exists ? k : ncores - 1;  // spare lanes repeat the last, without a result
    const CoreSpectrum core = cores[spectrum];
    const PatchGeometry& patch = patches[core.patch];
    const size_t slot = static_cast<size_t>(core.patch) * layout.nslots + patch.pad_below + core.s;
    my.P = complements.band + static_cast<size_t>(spectrum) * SchurComplements::band_size(layout);
    my.E = complements.outside + static_cast<size_t>(spectrum) * m * m;
    my.y = complements.y + static_cast<size_t>(spectrum) * m;
    for (int j = my.p; j < m * my.width(); j += group) my.sums[j] = 0;
    for (int j = my.p; j < vectors * m; j += group) my.added[j] = 0;
    __syncwarp();

    // D <= 2 rho^2 N_ss: P >= 0.995 N_ss where both couplings are within their bound.
    double least = 0.995 / solution.trace[slot];
    double largest = 1.001 * complements.norm[spectrum];
    const double condition = largest * solution.kept[slot] / 0.995;
    const bool can = least > 0 && largest > least && condition < fiber_bounds::condition &&
                     largest < fiber_bounds::padded_condition * least;
    if (!can) least = 1, largest = 2;
    least = fmin(raise_least<R>(my, least), 0.5 * largest);
    // n poles in rounds of `group`, one a lane; where another spectrum of the warp has more poles,
    // or a round has fewer poles than lanes, lanes repeat the last pole without weight. True where
    // all pivots are positive.
    const auto with_poles = [&](int n, const auto& add) {
      const int end = __reduce_max_sync(all, n);
      bool positive = true;
      for (int first = 0; first < end; first += group) {
        const int i = min(first + my.p, n - 1);
        const ZolotarevPole pole = zolotarev_pole(i, n, least, largest);
        positive = add(i % group, pole.shift, first + my.p < n ? pole.weight : 0.0) && positive;
      }
      __syncwarp();
      return positive;
    };
    // Poles for a relative error, in steps of `step`.
    const auto poles_for = [&](double error, int step) {
      int n = step;
      while (n < max_poles && zolotarev_error(n, least / largest) > error) n += step;
      return n;
    };
    // Lanes that repeat a pole share its scratch: they write the same numbers.
    const int first_lane = my.lane - my.p;
    bool good = with_poles(poles_for(root_error, poles_of_sector),
                           [&](int pole, double shift, double weight) {
                             Lane<R, double> same = my;
                             same.lane = first_lane + pole;
                             const bool positive = factor_shifted<R>(same, shift);
                             add_root<R>(same, shift, weight);
                             return positive;
                           });
    good = good && can;
    const auto correct = [&](const auto& in_precision, bool wanted) {
      return with_poles(poles_for(correction_error, group), [&](int, double shift, double weight) {
        const bool positive = factor_shifted<R>(in_precision, shift);
        add_correction<R>(in_precision, weight, wanted);
        return positive;
      });
    };
    bool corrected = correct(with_precision<float>(my), true);
    const double error = single_error * largest / least;
    const double size = correction<R>(my);
    const bool again =
        any_of_group(!corrected || (error > correction_error && !(error * size <= accepted_error)));
    if (__any_sync(all, again)) {
      __syncwarp();
      for (int j = my.p; j < vectors * m && again; j += group) my.added[j] = 0;
      __syncwarp();
      corrected = correct(my, again) || !again;
    }
    good = good && corrected;
    good = find_row_sums<R>(my) && good;
    if (!good && exists) status[core.patch] = guarded;
    __syncwarp();
    const double* q = q_all + slot * m;
    for (int w = my.p; w < patch.nkept && exists; w += group) {
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

// The resources of one launch for a reach.
template <int R>
struct Launch {
  std::size_t bytes;  // of a block's shared memory
  int blocks;         // resident at the same time

  Launch(int m, int ndiag) : bytes(fiber_roots::bytes(m, ndiag)) {
    allow_shared_memory(reinterpret_cast<const void*>(roots_kernel<R>));
    int device = 0, processors = 0, each = 0;
    SPEX_GPU_CHECK(cudaGetDevice(&device));
    SPEX_GPU_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    SPEX_GPU_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, roots_kernel<R>,
                                                                 warps * warp_size, bytes));
    blocks = processors * std::max(each, 1);
  }
};

}  // namespace

std::size_t fiber_root_scratch(const FiberLayout& layout, int ndiag) {
  return with_reach(layout.reach, [&]<int R>() {
    return count_of(Launch<R>(layout.nwave, ndiag).blocks, warps,
                    scratch_numbers_of_warp(R, layout.nwave));
  });
}

void find_fiber_roots(const PatchGeometry* patches, const CoreSpectrum* cores, int ncores,
                      const FiberLayout& layout, const FiberSolution& solution,
                      const SchurComplements& complements, const double* q, double* scratch,
                      int* status, const SpectraView& spectra, cudaStream_t stream) {
  with_reach(layout.reach, [&]<int R>() {
    const Launch<R> launch(layout.nwave, spectra.ndiag);
    roots_kernel<R><<<launch.blocks, warps * warp_size, launch.bytes, stream>>>(
        patches, cores, ncores, layout, solution, complements, q, scratch, status, spectra);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
