#include <algorithm>

#include "gpu/core/check.hpp"
#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
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
constexpr int spectra_of_warp = fiber_roots::spectra_of_warp;
constexpr int vectors = fiber_roots::vectors;
static_assert(spectra_of_warp * group == warp_size);
constexpr int tile = 25;  // rows of E that a warp multiplies at a time
constexpr unsigned all = 0xffffffffU;
constexpr double root_error = fiber_poles::gpu_error;
constexpr int poles_of_sector = 32 / sizeof(double);  // whose scratch is one sector of memory
constexpr int most_poles = fiber_poles::most;
// Relative tolerance of the correction by E, itself at most 1e-7 of the result.
constexpr double correction_error = 3e-4;
// Relative error of the correction in single precision, for an eigenvalue ratio of 1.
constexpr double single_error = 6e-8;
// A single-precision correction is accepted if its error is below this, relative to P^(-1/2) 1 and
// in units of the whitened y, whose errors are 1; or if its relative error is below
// correction_error.
constexpr double accepted_error = 1e-10;

// Sums each number of `v` over the lanes of a spectrum; lane p gets the sum of v[p]. Each step
// exchanges half of the numbers, so it adds half as many as the step before.
__device__ double sum_over_group(const double (&v)[group]) {
  const int lane = threadIdx.x % group;
  double half[4], quarter[2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool upper = (lane & 4) != 0;
    half[i] = upper ? v[i + 4] : v[i];
    half[i] += __shfl_xor_sync(all, upper ? v[i] : v[i + 4], 4);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const bool upper = (lane & 2) != 0;
    quarter[i] = upper ? half[i + 2] : half[i];
    quarter[i] += __shfl_xor_sync(all, upper ? half[i] : half[i + 2], 2);
  }
  const bool upper = (lane & 1) != 0;
  return (upper ? quarter[1] : quarter[0]) +
         __shfl_xor_sync(all, upper ? quarter[0] : quarter[1], 1);
}

// Whether `value` is true in any lane of the spectrum.
__device__ bool any_of_group(bool value) {
  const unsigned first = threadIdx.x % warp_size / group * group;
  return (__ballot_sync(all, value) >> first & ((1U << group) - 1)) != 0;
}

// Scratch of a warp: L and two pairs of vectors.
__host__ __device__ constexpr int scratch_numbers_of_warp(int R, int m) {
  return m * (R + 1 + 2 * vectors) * warp_size;
}

// Columns of L are prefetched this many columns ahead: the scratch of all warps exceeds the
// second-level cache.
constexpr int columns_ahead = 4;

template <class Real>
__device__ void prefetch(const Real* value) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(value));
}

// The work of a lane: one pole of a spectrum. L and the vectors are of type Real.
template <int R, class Real>
struct Lane {
  int m;
  int ndiag;
  int lane;         // within the warp's scratch
  int p;            // within the spectrum's lanes
  const double* P;  // band of the spectrum, zeros beyond its rows
  const float* E;
  const double* y;
  double* sums;   // shared, [m][group chunks]: 1, y, then the band of Q, from P_b alone
  double* added;  // shared, [vectors][m]: the correction by E of P^(-1/2) of 1 and y
  double* r;      // shared, [m]
  Real* L;        // of the warp, [m][R + 1][32]
  Real* x;        // of the warp, [m][vectors][32]
  Real* Ex;       // of the warp, [m][vectors][32]

  // Divides the scratch of the warp.
  __device__ void take(double* scratch) {
    L = reinterpret_cast<Real*>(scratch);
    x = L + m * (R + 1) * warp_size;
    Ex = x + m * vectors * warp_size;
  }
  __device__ int width() const { return group * fiber_roots::chunks(ndiag); }
  __device__ double of_band(int v, int j) const { return sums[j * width() + v]; }
  __device__ double Q(int j, int d) const { return sums[j * width() + vectors + d]; }
  __device__ Real& column(Real* of, int j, int v) const {
    return of[(j * vectors + v) * warp_size + lane];
  }
  __device__ double element(int j, int d, double shift) const {
    return P[j * (R + 1) + d] + (d == 0 ? shift : 0.0);
  }
  // Column j of L, and both vectors' elements j at `of`.
  __device__ void load(const Real* of, int j, Real (&l)[R + 1], Real (&v)[vectors]) const {
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = L[(j * (R + 1) + d) * warp_size + lane];
#pragma unroll
    for (int k = 0; k < vectors; ++k) v[k] = of[(j * vectors + k) * warp_size + lane];
  }
  __device__ void prefetch_column(const Real* of, int j) const {
    if (j < 0 || j >= m) return;
#pragma unroll
    for (int d = 0; d <= R; ++d) prefetch(L + (j * (R + 1) + d) * warp_size + lane);
#pragma unroll
    for (int k = 0; k < vectors; ++k) prefetch(of + (j * vectors + k) * warp_size + lane);
  }
};

// The same lane, in another precision.
template <class Real, int R>
__device__ Lane<R, Real> with_precision(const Lane<R, double>& my) {
  Lane<R, Real> other{my.m, my.ndiag, my.lane, my.p, my.P, my.E, my.y, my.sums, my.added, my.r};
  other.take(my.L);
  return other;
}

// One step of forward substitution: returns the first element of `window`, and subtracts its
// multiples from the elements behind it.
template <int R, class Real>
__device__ Real take_next(Real (&window)[R + 1], const Real (&l)[R + 1], Real entering) {
  const Real value = window[0];
#pragma unroll
  for (int d = 1; d <= R; ++d) window[d - 1] = window[d] - l[d] * value;
  window[R] = entering;
  return value;
}

// One step of back substitution: returns the element above those in the window.
template <int R, class Real>
__device__ Real take_previous(Real (&window)[R + 1], const Real (&l)[R + 1], Real value) {
  Real x = value * l[0];
  // The newest element comes last, because it is known last.
#pragma unroll
  for (int d = R; d > 0; --d) x -= l[d] * window[d - 1];
#pragma unroll
  for (int d = R; d > 0; --d) window[d] = window[d - 1];
  window[0] = x;
  return x;
}

// Factors P + shift and solves L x = v for both vectors. True if all pivots are positive.
template <int R, class Real>
__device__ bool factor_shifted(const Lane<R, Real>& my, double shift) {
  const auto one = [&](int j) { return static_cast<Real>(j < my.m ? 1 : 0); };
  const auto y = [&](int j) { return static_cast<Real>(j < my.m ? my.y[j] : 0.0); };
  Real window[vectors][R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[0][d] = one(d);
    window[1][d] = y(d);
  }
  return factor_band<R, Real>(
      my.m, [&](int j, int d) { return static_cast<Real>(my.element(j, d, shift)); },
      [&](int j, const Real(&l)[R + 1]) {
        Real* L = my.L + j * (R + 1) * warp_size + my.lane;
#pragma unroll
        for (int d = 0; d <= R; ++d) L[d * warp_size] = l[d];
        my.column(my.x, j, 0) = take_next<R>(window[0], l, one(j + R + 1));
        my.column(my.x, j, 1) = take_next<R>(window[1], l, y(j + R + 1));
      });
}

// Raises a lower bound of the eigenvalues of P_b to within a factor of 1.7 of the least eigenvalue.
// Each lane tests another number by Sturm: are all pivots of P_b minus the number positive? The
// least eigenvalue is at most m times the bound from the trace of the inverse.
template <int R>
__device__ double raise_least(const Lane<R, double>& my, double least) {
  const double shift = least * pow(static_cast<double>(my.m), (my.p + 1) / (group + 1.0));
  const bool below = factor_band<R>(
      my.m, [&](int j, int d) { return my.element(j, d, -shift); },
      [](int, const double(&)[R + 1]) {});
  double best = below ? shift : least;
#pragma unroll
  for (int offset = group / 2; offset > 0; offset /= 2)
    best = fmax(best, __shfl_xor_sync(all, best, offset));
  return best;
}

// Solves L^T x = v, computes the band of the inverse, and adds both to the sums of the spectrum.
template <int R>
__device__ void add_root(const Lane<R, double>& my, double shift, double weight) {
  constexpr int most = (R + 1 + vectors + group - 1) / group * group;
  double window[vectors][R + 1] = {};
  // invert_band loads a column while it computes that above it.
  double x[vectors] = {}, x_ahead[vectors] = {};
  invert_band<R>(
      my.m,
      [&](int j, double(&l)[R + 1]) {
        my.prefetch_column(my.x, j - columns_ahead);
#pragma unroll
        for (int k = 0; k < vectors; ++k) x[k] = x_ahead[k];
        my.load(my.x, j, l, x_ahead);
      },
      [&](int j, const double(&l)[R + 1], const double(&z)[R + 1]) {
        double v[most] = {};
#pragma unroll
        for (int k = 0; k < vectors; ++k)
          v[k] = weight * take_previous<R>(window[k], l, j > 0 ? x[k] : x_ahead[k]);
#pragma unroll
        for (int d = 0; d <= R; ++d) v[vectors + d] = weight * ((d == 0 ? 1 : 0) - shift * z[d]);
#pragma unroll
        for (int first = 0; first < most; first += group) {
          if (first >= my.width()) break;
          double chunk[group];
#pragma unroll
          for (int i = 0; i < group; ++i) chunk[i] = v[first + i];
          my.sums[j * my.width() + first + my.p] += sum_over_group(chunk);
        }
      });
}

// Solves L^T x = v for both vectors at `of`; passes element j of vector k to `take(j, k, x)`.
template <int R, class Real, class Take>
__device__ void solve_back(const Lane<R, Real>& my, const Real* of, const Take& take) {
  Real window[vectors][R + 1] = {};
  Real l_ahead[R + 1], ahead[vectors];
  my.load(of, my.m - 1, l_ahead, ahead);
  for (int j = my.m - 1; j >= 0; --j) {
    my.prefetch_column(of, j - columns_ahead);
    Real l[R + 1], value[vectors];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = l_ahead[d];
#pragma unroll
    for (int k = 0; k < vectors; ++k) value[k] = ahead[k];
    if (j > 0) my.load(of, j - 1, l_ahead, ahead);
#pragma unroll
    for (int k = 0; k < vectors; ++k) take(j, k, take_previous<R>(window[k], l, value[k]));
  }
}

// Solves L x = v for both vectors at `of`, in place.
template <int R, class Real>
__device__ void solve_forward(const Lane<R, Real>& my, Real* of) {
  const auto value = [&](int j, int k) { return j < my.m ? my.column(of, j, k) : Real{0}; };
  Real window[vectors][R + 1];
#pragma unroll
  for (int k = 0; k < vectors; ++k)
#pragma unroll
    for (int d = 0; d <= R; ++d) window[k][d] = value(d, k);
  Real l_ahead[R + 1], unused[vectors];
  my.load(of, 0, l_ahead, unused);
  for (int j = 0; j < my.m; ++j) {
    my.prefetch_column(of, j + R + 1 + columns_ahead);
    Real l[R + 1], entering[vectors];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = l_ahead[d];
#pragma unroll
    for (int k = 0; k < vectors; ++k) entering[k] = value(j + R + 1, k);
    if (j + 1 < my.m) my.load(of, j + 1, l_ahead, unused);
#pragma unroll
    for (int k = 0; k < vectors; ++k) my.column(of, j, k) = take_next<R>(window[k], l, entering[k]);
  }
}

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
                 FiberLayout layout, SchurComplements complements, const double* trace,
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
    double least = 0.995 / trace[slot];
    double largest = 1.001 * complements.norm[spectrum];
    const bool can = least > 0 && largest > least && largest < fiber_bounds::condition * least;
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
      while (n < most_poles && zolotarev_error(n, least / largest) > error) n += step;
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
                      const FiberLayout& layout, const SchurComplements& complements,
                      const double* trace, const double* q, double* scratch, int* status,
                      const SpectraView& spectra, cudaStream_t stream) {
  with_reach(layout.reach, [&]<int R>() {
    const Launch<R> launch(layout.nwave, spectra.ndiag);
    roots_kernel<R><<<launch.blocks, warps * warp_size, launch.bytes, stream>>>(
        patches, cores, ncores, layout, complements, trace, q, scratch, status, spectra);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
