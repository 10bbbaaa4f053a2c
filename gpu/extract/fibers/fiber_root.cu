#include "gpu/extract/fibers/fiber_root.hpp"
#include "gpu/extract/fibers/fiber_root_lanes.cuh"
#include "gpu/extract/fibers/fiber_root_outside.hpp"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

using namespace root_lanes;

constexpr int warps = fiber_roots::warps;
constexpr int lanes = fiber_roots::root_lanes;
constexpr int chunk = fiber_roots::chunk;
constexpr int spectra_of_warp = warp_size / lanes;
// Poles whose scratch fills one 32-byte sector of memory: fewer poles would move as many bytes.
constexpr int poles_of_sector = 32 / sizeof(double);

// Scratch of a warp: L and two vectors a lane.
__host__ __device__ constexpr int scratch_of_warp(int R, int m) {
  return m * (R + 1 + vectors) * warp_size;
}

// Adds the upper half of `v` of the lower lanes to that of the upper lanes, and the lower half the
// other way round; `half` is the lane's own.
template <int n>
__device__ void exchange(const double (&v)[2 * n], double (&half)[n]) {
  const bool upper = (threadIdx.x & n) != 0;
#pragma unroll
  for (int i = 0; i < n; ++i)
    half[i] = (upper ? v[i + n] : v[i]) + __shfl_xor_sync(all, upper ? v[i] : v[i + n], n);
}

// Sums each number of `v` over the lanes of a spectrum; lane p gets the sum of v[p % chunk]. Each
// step exchanges half of the numbers, so it adds half as many as the step before.
__device__ double sum_over_lanes(const double (&v)[chunk]) {
  static_assert(chunk == 8 && lanes == 2 * chunk);
  double four[4], two[2], one[1];
  exchange<4>(v, four);
  exchange<2>(four, two);
  exchange<1>(two, one);
  return one[0] + __shfl_xor_sync(all, one[0], chunk);
}

// The work of a lane: one pole of a spectrum.
template <int R>
struct Lane {
  const Equations<R>& of;
  int width;     // numbers a bin in `sums`
  int p;         // within the spectrum's lanes
  double* sums;  // shared, [m][width]: P_b^(-1/2) of 1 and y, then the band of Q
  double* r;     // shared, [m]
  double* L;     // scratch of the warp, [m][R + 1][32], of lane 0
  double* x;     // scratch of the warp, [m][vectors][32], of lane 0
  int column;    // of the scratch

  __device__ double P_root(int v, int j) const { return sums[j * width + v]; }
  __device__ double Q(int j, int d) const { return sums[j * width + vectors + d]; }
  __device__ double& element_of_L(int j, int d) const {
    return L[(j * (R + 1) + d) * warp_size + column];
  }
  __device__ double& element_of_x(int j, int v) const {
    return x[(j * vectors + v) * warp_size + column];
  }
  // Column j of L, and element j of both vectors.
  __device__ void load(int j, double (&l)[R + 1], double (&v)[vectors]) const {
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = element_of_L(j, d);
#pragma unroll
    for (int k = 0; k < vectors; ++k) v[k] = element_of_x(j, k);
  }
  __device__ void prefetch_column(int j) const {
    if (j < 0) return;
#pragma unroll
    for (int d = 0; d <= R; ++d) prefetch(&element_of_L(j, d));
#pragma unroll
    for (int k = 0; k < vectors; ++k) prefetch(&element_of_x(j, k));
  }
};

// Bounds of the eigenvalues of P_b, and of what the term of E changes.
struct Bounds {
  double least, largest;
  double of_r = 0;  // of the row sums r, by the norm of E
  double of_z = 0;  // of z = P^(-1/2) y, the flux in units of its sigma
};

// Raises a lower bound of the eigenvalues of P_b to within a factor of 1.3 of the least eigenvalue.
// Each lane tests another number by Sturm: are all pivots of P_b minus the number positive? The
// least eigenvalue is at most m times the bound from the trace of the inverse.
template <int R>
__device__ double raise_least(const Lane<R>& my, double least) {
  const double shift = least * pow(static_cast<double>(my.of.m), (my.p + 1) / (lanes + 1.0));
  const bool below = factor_band<R>(
      my.of.m, [&](int j, int d) { return my.of.element(j, d, -shift); },
      [](int, const double(&)[R + 1]) {});
  return max_of<lanes>(below ? shift : least);
}

// Bounds of the eigenvalues of P_b. False where the guard refuses them.
template <int R>
__device__ bool find_bounds(const Lane<R>& my, const FiberRoots& batch, int spectrum,
                            Bounds& bounds) {
  // D <= 2 rho^2 N_ss: P >= 0.995 N_ss where both couplings are within their bound.
  double least = 0.995 / batch.solution.trace[my.of.slot];
  double largest = 1.001 * batch.complements.norm[spectrum];
  const double condition = largest * batch.solution.kept[my.of.slot] / 0.995;
  const bool can = least > 0 && largest > least && condition < fiber_bounds::condition &&
                   largest < fiber_bounds::padded_condition * least;
  if (!can) least = 1, largest = 2;
  bounds = {fmin(raise_least<R>(my, least), 0.5 * largest), largest};
  return can;
}

// Factors P + shift and solves L x = v for both vectors. True if all pivots are positive.
template <int R>
__device__ bool factor_shifted(const Lane<R>& my, double shift) {
  const int m = my.of.m;
  const auto one = [&](int j) { return j < m ? 1.0 : 0.0; };
  const auto y = [&](int j) { return j < m ? my.of.y[j] : 0.0; };
  double window[vectors][R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[0][d] = one(d);
    window[1][d] = y(d);
  }
  return factor_band<R>(
      m, [&](int j, int d) { return my.of.element(j, d, shift); },
      [&](int j, const double(&l)[R + 1]) {
#pragma unroll
        for (int d = 0; d <= R; ++d) my.element_of_L(j, d) = l[d];
        my.element_of_x(j, 0) = take_next<R>(window[0], l, one(j + R + 1));
        my.element_of_x(j, 1) = take_next<R>(window[1], l, y(j + R + 1));
      });
}

// The squared norms of (P_b + shift)^-1 1 and (P_b + shift)^-1 y.
struct Squares {
  double of[vectors] = {};
};

// Solves L^T x = v, computes the band of the inverse, and adds both to the sums of the spectrum.
template <int R>
__device__ Squares add_root(const Lane<R>& my, double shift, double weight) {
  constexpr int most = fiber_roots::width(R);
  double window[vectors][R + 1] = {};
  // invert_band loads a column while it computes that above it.
  double x[vectors] = {}, x_ahead[vectors] = {};
  Squares squares;
  invert_band<R>(
      my.of.m,
      [&](int j, double(&l)[R + 1]) {
        my.prefetch_column(j - columns_ahead);
#pragma unroll
        for (int k = 0; k < vectors; ++k) x[k] = x_ahead[k];
        my.load(j, l, x_ahead);
      },
      [&](int j, const double(&l)[R + 1], const double(&z)[R + 1]) {
        double v[most] = {};
#pragma unroll
        for (int k = 0; k < vectors; ++k) {
          const double value = take_previous<R>(window[k], l, j > 0 ? x[k] : x_ahead[k]);
          squares.of[k] += value * value;
          v[k] = weight * value;
        }
#pragma unroll
        for (int d = 0; d <= R; ++d) v[vectors + d] = weight * ((d == 0 ? 1 : 0) - shift * z[d]);
#pragma unroll
        for (int first = 0; first < most; first += chunk) {
          if (first >= my.width) break;
          double part[chunk];
#pragma unroll
          for (int i = 0; i < chunk; ++i) part[i] = v[first + i];
          const double sum = sum_over_lanes(part);
          if (my.p < chunk) my.sums[j * my.width + first + my.p] += sum;
        }
      });
  return squares;
}

// Sums P_b^(-1/2) of 1 and y and the band of P_b^(1/2). False if a pivot is not positive.
template <int R>
__device__ bool find_root_of_band(const Lane<R>& my, double norm_of_E, Bounds& bounds) {
  for (int j = my.p; j < my.of.m * my.width; j += lanes) my.sums[j] = 0;
  __syncwarp();
  const int n = poles_for(bounds.least, bounds.largest, fiber_poles::gpu_error, poles_of_sector);
  const bool positive = with_poles<lanes>(
      bounds.least, bounds.largest, n, my.p, [&](int pole, double shift, double weight) {
        // Lanes that repeat a pole share its scratch: they write the same numbers.
        Lane<R> same = my;
        same.column = my.column - my.p + pole;
        const bool good = factor_shifted<R>(same, shift);
        const Squares squares = add_root<R>(same, shift, weight);
        // The norm of (P_b + shift)^-1 is at most 1 / (least + shift).
        const double most = norm_of_E * weight / (bounds.least + shift);
        bounds.of_r += most * shift * sqrt(squares.of[0]);
        bounds.of_z += most * sqrt(squares.of[1]);
        return good;
      });
  bounds.of_r = group_sum<lanes>(bounds.of_r);
  bounds.of_z = group_sum<lanes>(bounds.of_z);
  return positive;
}

// r = P_b (P_b^(-1/2) 1), the row sums of Q without E. Whether E may change a bin's pull by more
// than fiber_outside::gpu.
template <int R>
__device__ bool needs_E(const Lane<R>& my, const Bounds& bounds) {
  bool needed = false;
  for (int j = my.p; j < my.of.m; j += lanes) {
    const double r = my.r[j] = my.of.times_P(j, [&](int k) { return my.P_root(0, k); });
    const double of_r = bounds.of_r / fabs(r), size = fabs(my.P_root(1, j));
    needed =
        needed || !(of_r <= fiber_outside::gpu && bounds.of_z + size * of_r <= fiber_outside::gpu);
  }
  return any_of<lanes>(needed);
}

// Leaves a spectrum to add_terms_of_E.
template <int R>
__device__ void wait_for_E(const Lane<R>& my, int spectrum, const Bounds& bounds,
                           const WaitingSpectra& waiting) {
  int k = my.p == 0 ? atomicAdd(waiting.count, 1) : 0;
  const unsigned mine = ((1U << lanes) - 1) << (threadIdx.x % warp_size / lanes * lanes);
  k = __shfl_sync(mine, k, 0, lanes);
  if (my.p == 0) {
    waiting.spectrum[k] = spectrum;
    waiting.bounds[2 * k] = bounds.least;
    waiting.bounds[2 * k + 1] = bounds.largest;
  }
  double* sums = waiting.sums + static_cast<size_t>(k) * my.of.m * my.width;
  for (int j = my.p; j < my.of.m * my.width; j += lanes) sums[j] = my.sums[j];
}

template <int R>
__global__ void __launch_bounds__(warps* warp_size, 2)
    roots_kernel(FiberRoots batch, WaitingSpectra waiting, double* scratch) {
  extern __shared__ double shared[];
  const int m = batch.layout.nwave, ndiag = batch.spectra.ndiag;
  const int warp = blockIdx.x * warps + threadIdx.x / warp_size;
  const int column = threadIdx.x % warp_size;
  double* sums = shared + (threadIdx.x / lanes) * fiber_roots::root_numbers(m, ndiag);
  double* L = scratch + static_cast<size_t>(warp) * scratch_of_warp(R, m);
  const int stride = gridDim.x * warps * spectra_of_warp;
  for (int base = warp * spectra_of_warp; base < batch.ncores; base += stride) {
    const int k = base + column / lanes;
    const bool exists = k < batch.ncores;
    // Spare lanes repeat the last spectrum, without a result.
    const int spectrum = exists ? k : batch.ncores - 1;
    const Equations<R> of(batch, spectrum);
    const bool wanted = exists && batch.status[of.core.patch] != guarded;
    const int width = fiber_roots::width(ndiag);
    const Lane<R> my{
        of, width, column % lanes, sums, sums + m * width, L, L + m * (R + 1) * warp_size, column};
    Bounds bounds;
    bool good = find_bounds<R>(my, batch, spectrum, bounds);
    good = find_root_of_band<R>(my, batch.complements.norm_of_E[spectrum], bounds) && good;
    const bool wait = needs_E<R>(my, bounds);
    if (!good && wanted) batch.status[of.core.patch] = guarded;
    __syncwarp();
    if (wanted && wait) {
      wait_for_E<R>(my, spectrum, bounds, waiting);
    } else if (wanted) {
      store_spectrum<R, lanes>(
          batch, of, my.p, [&](int j) { return my.P_root(1, j); },
          [&](int j, int d) { return my.Q(j, d); }, [&](int j) { return my.r[j]; });
    }
    __syncwarp();
  }
}

std::size_t bytes_of(const FiberLayout& layout, int ndiag) {
  return sizeof(double) *
         count_of(warps, spectra_of_warp, fiber_roots::root_numbers(layout.nwave, ndiag));
}

}  // namespace

std::size_t fiber_root_scratch(const FiberLayout& layout, int ndiag) {
  return with_reach(layout.reach, [&]<int R>() {
    const int blocks = resident_blocks(roots_kernel<R>, bytes_of(layout, ndiag));
    return std::max(count_of(blocks, warps, scratch_of_warp(R, layout.nwave)),
                    outside_scratch(layout));
  });
}

void find_fiber_roots(const FiberRoots& batch, const WaitingSpectra& waiting, double* scratch,
                      cudaStream_t stream) {
  SPEX_GPU_CHECK(cudaMemsetAsync(waiting.count, 0, sizeof(int), stream));
  with_reach(batch.layout.reach, [&]<int R>() {
    const std::size_t bytes = bytes_of(batch.layout, batch.spectra.ndiag);
    roots_kernel<R><<<resident_blocks(roots_kernel<R>, bytes), warps * warp_size, bytes, stream>>>(
        batch, waiting, scratch);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
