#include "gpu/extract/fibers/fiber_root_lanes.cuh"
#include "gpu/extract/fibers/fiber_root_outside.hpp"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "reference/core/count.hpp"

namespace spex::gpu {
namespace {

using namespace root_lanes;

constexpr int warps = fiber_roots::warps;
constexpr int lanes = fiber_roots::outside_lanes;
constexpr int spectra_of_warp = warp_size / lanes;
constexpr int tile = fiber_roots::tile;
// Relative tolerance of the term of E, itself at most 1e-7 of the result.
constexpr double term_error = 3e-4;
// Relative error of the term in single precision, divided by the ratio of the largest eigenvalue to
// the least.
constexpr double single_error = 6e-8;
// A single-precision term is accepted if its relative error is at most term_error, or if the error
// itself is at most this: relative to P^(-1/2) 1, and in units of P^(-1/2) y, whose standard
// deviation is 1.
constexpr double accepted_error = 1e-10;

// Scratch of a warp, in doubles: L and two pairs of vectors.
__host__ __device__ constexpr int scratch_of_warp(int R, int m) {
  return m * (R + 1 + 2 * vectors) * warp_size;
}

// A spectrum without E, and the term of E.
struct Spectrum {
  int width;
  const double* sums;  // of WaitingSpectra
  double* u;           // shared, [m]: P_b^(-1/2) 1
  double* added;       // shared, [vectors][m]: the term of E in P^(-1/2) of 1 and y
  double* r;           // shared, [m]: row sums of Q
  double least, largest;

  __device__ double Q(int j, int d) const { return sums[j * width + vectors + d]; }
  __device__ double z(int j) const { return sums[j * width + 1]; }
};

// The work of a lane, one pole of a spectrum, in either precision.
template <int R, class Real>
struct Lane {
  const Equations<R>& of;
  int p;     // within the spectrum's lanes
  Real* L;   // [m][R + 1][32], of the lane
  Real* x;   // [m][vectors][32], of the lane
  Real* Ex;  // [m][vectors][32], of the lane

  __device__ Lane(const Equations<R>& equations, double* scratch)
      : of(equations), p(threadIdx.x % lanes) {
    L = reinterpret_cast<Real*>(scratch) + threadIdx.x % warp_size;
    x = L + of.m * (R + 1) * warp_size;
    Ex = x + of.m * vectors * warp_size;
  }
  __device__ static Real& element(Real* v, int j, int k) {
    return v[(j * vectors + k) * warp_size];
  }
  __device__ void load(Real* v, int j, Real (&l)[R + 1], Real (&value)[vectors]) const {
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = L[(j * (R + 1) + d) * warp_size];
#pragma unroll
    for (int k = 0; k < vectors; ++k) value[k] = element(v, j, k);
  }
  __device__ void prefetch_column(Real* v, int j) const {
    if (j < 0 || j >= of.m) return;
#pragma unroll
    for (int d = 0; d <= R; ++d) prefetch(L + (j * (R + 1) + d) * warp_size);
#pragma unroll
    for (int k = 0; k < vectors; ++k) prefetch(&element(v, j, k));
  }
};

// Factors P + shift and solves L x = v for both vectors. True if all pivots are positive.
template <int R, class Real>
__device__ bool factor_shifted(const Lane<R, Real>& my, double shift) {
  const int m = my.of.m;
  const auto one = [&](int j) { return static_cast<Real>(j < m ? 1 : 0); };
  const auto y = [&](int j) { return static_cast<Real>(j < m ? my.of.y[j] : 0.0); };
  Real window[vectors][R + 1];
#pragma unroll
  for (int d = 0; d <= R; ++d) {
    window[0][d] = one(d);
    window[1][d] = y(d);
  }
  return factor_band<R, Real>(
      m, [&](int j, int d) { return static_cast<Real>(my.of.element(j, d, shift)); },
      [&](int j, const Real(&l)[R + 1]) {
#pragma unroll
        for (int d = 0; d <= R; ++d) my.L[(j * (R + 1) + d) * warp_size] = l[d];
        my.element(my.x, j, 0) = take_next<R>(window[0], l, one(j + R + 1));
        my.element(my.x, j, 1) = take_next<R>(window[1], l, y(j + R + 1));
      });
}

// Solves L^T x = v for both vectors at `v`; passes element j of vector k to `take(j, k, x)`.
template <int R, class Real, class Take>
__device__ void solve_back(const Lane<R, Real>& my, Real* v, const Take& take) {
  const int m = my.of.m;
  Real window[vectors][R + 1] = {};
  Real l_ahead[R + 1], ahead[vectors];
  my.load(v, m - 1, l_ahead, ahead);
  for (int j = m - 1; j >= 0; --j) {
    my.prefetch_column(v, j - columns_ahead);
    Real l[R + 1], value[vectors];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = l_ahead[d];
#pragma unroll
    for (int k = 0; k < vectors; ++k) value[k] = ahead[k];
    if (j > 0) my.load(v, j - 1, l_ahead, ahead);
#pragma unroll
    for (int k = 0; k < vectors; ++k) take(j, k, take_previous<R>(window[k], l, value[k]));
  }
}

// Solves L x = v for both vectors at `v`, in place.
template <int R, class Real>
__device__ void solve_forward(const Lane<R, Real>& my, Real* v) {
  const int m = my.of.m;
  const auto value = [&](int j, int k) { return j < m ? my.element(v, j, k) : Real{0}; };
  Real window[vectors][R + 1];
#pragma unroll
  for (int k = 0; k < vectors; ++k)
#pragma unroll
    for (int d = 0; d <= R; ++d) window[k][d] = value(d, k);
  Real l_ahead[R + 1], unused[vectors];
  my.load(v, 0, l_ahead, unused);
  for (int j = 0; j < m; ++j) {
    my.prefetch_column(v, j + R + 1 + columns_ahead);
    Real l[R + 1], entering[vectors];
#pragma unroll
    for (int d = 0; d <= R; ++d) l[d] = l_ahead[d];
#pragma unroll
    for (int k = 0; k < vectors; ++k) entering[k] = value(j + R + 1, k);
    if (j + 1 < m) my.load(v, j + 1, l_ahead, unused);
#pragma unroll
    for (int k = 0; k < vectors; ++k) my.element(v, j, k) = take_next<R>(window[k], l, entering[k]);
  }
}

// Ex = E x for both vectors, a tile of rows at a time.
template <int R, class Real>
__device__ void apply_E(const Lane<R, Real>& my) {
  const int m = my.of.m, stride = fiber_roots::stride_of_E(m);
  for (int first = 0; first < m; first += tile) {
    Real sum[vectors][tile] = {};
#pragma unroll 2
    for (int k = 0; k < m; ++k) {
      const Real x[vectors] = {my.element(my.x, k, 0), my.element(my.x, k, 1)};
      const float* E = my.of.E + static_cast<size_t>(k) * stride + first;
#pragma unroll
      for (int i = 0; i < tile; i += 4) {
        const float4 e = *reinterpret_cast<const float4*>(E + i);
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          sum[v][i] += e.x * x[v];
          sum[v][i + 1] += e.y * x[v];
          sum[v][i + 2] += e.z * x[v];
          sum[v][i + 3] += e.w * x[v];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      if (first + i >= m) break;
#pragma unroll
      for (int v = 0; v < vectors; ++v) my.element(my.Ex, first + i, v) = sum[v][i];
    }
  }
}

// Adds the sum over poles of weight X E X v, X = (P_b + shift)^-1 and v = 1 and y, to
// spectrum.added if `wanted`. True if all pivots are positive.
template <int R, class Real>
__device__ bool add_terms(const Lane<R, Real>& my, const Spectrum& spectrum, bool wanted) {
  const int n = poles_for(spectrum.least, spectrum.largest, term_error, lanes);
  return with_poles<lanes>(
      spectrum.least, spectrum.largest, n, my.p, [&](int, double shift, double weight) {
        const bool positive = factor_shifted<R>(my, shift);
        solve_back<R>(my, my.x, [&](int j, int k, Real x) { my.element(my.x, j, k) = x; });
        apply_E<R>(my);
        solve_forward<R>(my, my.Ex);
        solve_back<R>(my, my.Ex, [&](int j, int k, Real x) {
          const double sum = group_sum<lanes>(weight * x);
          if (wanted && my.p == k) spectrum.added[k * my.of.m + j] += sum;
        });
        return positive;
      });
}

// The largest term of E: of P^(-1/2) 1 relative to the element, of P^(-1/2) y as it is. Infinite
// where a term is not finite.
__device__ double size_of_terms(const Spectrum& of, int m, int p) {
  double largest = 0;
  for (int j = p; j < m; j += lanes) {
    const double one = of.added[j], y = of.added[m + j];
    const double size = fmax(fabs(one / of.u[j]), fabs(y));
    largest = fmax(largest, isfinite(one + y) ? size : INFINITY);
  }
  return max_of<lanes>(largest);
}

// r = Q 1 = P (P^(-1/2) 1) with all of P. False if the elements beyond the band change r by more
// than fiber_bounds::outside.
template <int R>
__device__ bool find_row_sums(const Equations<R>& of, const Spectrum& spectrum, int p) {
  const auto of_band = [&](int j) { return spectrum.u[j]; };
  const auto of_P = [&](int j) { return spectrum.u[j] + spectrum.added[j]; };
  bool within = true;
  for (int j = p; j < of.m; j += lanes) {
    const double r = of.times_P(j, of_P) - of.times_E(j, of_P);
    within = within && fabs(of.times_P(j, of_band) - r) <= fiber_bounds::outside * fabs(r);
    spectrum.r[j] = r;
  }
  return within;
}

// The terms of E, in single precision where that is enough. False if a pivot is not positive.
template <int R>
__device__ bool find_terms(const Equations<R>& of, const Spectrum& spectrum, double* scratch) {
  const int p = threadIdx.x % lanes;
  for (int j = p; j < vectors * of.m; j += lanes) spectrum.added[j] = 0;
  __syncwarp();
  const bool good = add_terms<R>(Lane<R, float>(of, scratch), spectrum, true);
  const double error = single_error * spectrum.largest / spectrum.least;
  const double size = size_of_terms(spectrum, of.m, p);
  const bool imprecise = error > term_error && !(error * size <= accepted_error);
  const bool again = any_of<lanes>(!good || imprecise);
  if (!__any_sync(all, again)) return good;
  __syncwarp();
  for (int j = p; j < vectors * of.m && again; j += lanes) spectrum.added[j] = 0;
  __syncwarp();
  return add_terms<R>(Lane<R, double>(of, scratch), spectrum, again) || !again;
}

template <int R>
__global__ void __launch_bounds__(warps* warp_size)
    outside_kernel(FiberRoots batch, WaitingSpectra waiting, double* scratch) {
  extern __shared__ double shared[];
  const int m = batch.layout.nwave, width = fiber_roots::width(batch.spectra.ndiag);
  const int warp = blockIdx.x * warps + threadIdx.x / warp_size;
  const int p = threadIdx.x % lanes;
  double* mine = shared + (threadIdx.x / lanes) * fiber_roots::outside_numbers(m);
  double* of_warp = scratch + static_cast<size_t>(warp) * scratch_of_warp(R, m);
  const int count = *waiting.count;
  const int stride = gridDim.x * warps * spectra_of_warp;
  for (int base = warp * spectra_of_warp; base < count; base += stride) {
    const int number = base + threadIdx.x % warp_size / lanes;
    // Spare lanes repeat the last spectrum, without a result.
    const int k = min(number, count - 1);
    const Equations<R> of(batch, waiting.spectrum[k]);
    const bool wanted = number < count && batch.status[of.core.patch] != guarded;
    const Spectrum spectrum{width,
                            waiting.sums + static_cast<size_t>(k) * m * width,
                            mine,
                            mine + m,
                            mine + (1 + vectors) * m,
                            waiting.bounds[2 * k],
                            waiting.bounds[2 * k + 1]};
    for (int j = p; j < m; j += lanes) spectrum.u[j] = spectrum.sums[j * width];
    bool good = find_terms<R>(of, spectrum, of_warp);
    good = find_row_sums<R>(of, spectrum, p) && good;
    if (!good && wanted) batch.status[of.core.patch] = guarded;
    __syncwarp();
    if (wanted)
      store_spectrum<R, lanes>(
          batch, of, p, [&](int j) { return spectrum.z(j) + spectrum.added[m + j]; },
          [&](int j, int d) { return spectrum.Q(j, d); }, [&](int j) { return spectrum.r[j]; });
    __syncwarp();
  }
}

std::size_t bytes_of(const FiberLayout& layout) {
  return sizeof(double) *
         count_of(warps, spectra_of_warp, fiber_roots::outside_numbers(layout.nwave));
}

}  // namespace

std::size_t outside_scratch(const FiberLayout& layout) {
  return with_reach(layout.reach, [&]<int R>() {
    return count_of(resident_blocks(outside_kernel<R>, bytes_of(layout)), warps,
                    scratch_of_warp(R, layout.nwave));
  });
}

void add_terms_of_E(const FiberRoots& batch, const WaitingSpectra& waiting, double* scratch,
                    cudaStream_t stream) {
  with_reach(batch.layout.reach, [&]<int R>() {
    const std::size_t bytes = bytes_of(batch.layout);
    outside_kernel<R>
        <<<resident_blocks(outside_kernel<R>, bytes), warps * warp_size, bytes, stream>>>(
            batch, waiting, scratch);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
