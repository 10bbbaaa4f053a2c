#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "gpu/extract/reject_pixels/find_pixels.hpp"
#include "gpu/extract/reject_pixels/selected_inverse.cuh"
#include "reference/core/count.hpp"
#include "reference/extract/reject_pixels.hpp"

namespace spex::gpu {
namespace {

constexpr unsigned all = 0xffffffffU;
constexpr int inverse_threads = 256;
constexpr int column_threads = 128;
// A warp tests `inner` columns of `rows_of_warp` rows; its first and last lane hold neighbors.
constexpr int warps = 4;
constexpr int inner = warp_size - 2;
constexpr int rows_of_warp = 16;

template <int R>
__global__ void __launch_bounds__(inverse_threads)
    inverse_kernel(FrameSystem system, double* inverse) {
  const int s = blockIdx.x, m = system.m;
  const BundleOfFiber place = system.place[s];
  if (place.begin == place.end) return;
  invert_selected<R>({m, system.factor + s * ReducedBand<R>::numbers(m)},
                     {m, inverse + s * SelectedInverse<R>::numbers(m)});
}

// Whether a spot's box holds pixels of the CCD's columns.
__device__ bool on_columns(int xc, int width, int nx) {
  return max(xc, 0) < min(xc + width, nx);
}

// One block per fiber.
__global__ void columns_kernel(TestedBundles tested, SpotsView spots, int nx, int ny) {
  const BundleOfFiber place = tested.system.place[blockIdx.x];
  if (place.begin == place.end) return;
  TestedBundles::Columns& columns = tested.columns[place.bundle];
  const size_t corner = static_cast<size_t>(spots.first_spec + blockIdx.x) * spots.nwave;
  for (int w = tested.more + threadIdx.x; w < tested.system.m - tested.more; w += column_threads) {
    const int xc = spots.xc[corner + w], yc = spots.yc[corner + w];
    if (!on_columns(xc, spots.nx, nx) || max(yc, 0) >= min(yc + spots.ny, ny)) continue;
    // Integer minima and maxima do not depend on the order.
    atomicMin(&columns.x0, max(xc, 0));
    atomicMax(&columns.x1, min(xc + spots.nx, nx));
  }
}

// What the model says of a pixel.
struct Modeled {
  double m = 0;
  bool tested = false;  // whether a tested spot of a fiber covers it, in this row
};

// What a warp tests.
struct Strip {
  const TestedBundles& tested;
  const SpotsView& spots;
  const RowBinsView& rows;
  const PixelsView& pixels;
  BundleOfFiber bundle;
  int x;  // the lane's column

  __device__ int lane() const { return static_cast<int>(threadIdx.x % warp_size); }
  // The bins of fiber s of the system whose spots reach row y.
  __device__ RowBins reach(int s, int y) const {
    RowBins row = rows.rows[static_cast<size_t>(spots.first_spec + s) * rows.ny_ccd + y];
    row.last = min(row.last, tested.system.m);
    return row;
  }
  __device__ size_t corner(int s) const {
    return static_cast<size_t>(spots.first_spec + s) * spots.nwave;
  }
  __device__ const double* spot(int s, int w) const {
    const size_t k = static_cast<size_t>(spots.row_of(spots.first_spec + s)) * spots.nwave + w;
    return spots.value + k * spots.nx * spots.ny;
  }
};

// Calls visit(s, bins) for the fibers of the bundle whose spots reach columns [x0, x1) of row y, in
// order. Called by a whole warp.
template <class Visit>
__device__ void for_each_fiber(const Strip& strip, int y, int x0, int x1, const Visit& visit) {
  for (int first = strip.bundle.begin; first < strip.bundle.end; first += warp_size) {
    const int mine = first + strip.lane();
    RowBins bins{0, 0, INT_MAX, 0};
    if (mine < strip.bundle.end) bins = strip.reach(mine, y);
    unsigned reached = __ballot_sync(all, bins.first < bins.last && bins.x0 < x1 && bins.x1 > x0);
    for (; reached != 0; reached &= reached - 1) {
      const int from = __ffs(static_cast<int>(reached)) - 1;
      visit(first + from,
            RowBins{__shfl_sync(all, bins.first, from), __shfl_sync(all, bins.last, from),
                    __shfl_sync(all, bins.x0, from), __shfl_sync(all, bins.x1, from)});
    }
  }
}

// m_i of the lane's pixel in row y. Called by a whole warp.
__device__ Modeled model_of(const Strip& strip, int y) {
  const FrameSystem& system = strip.tested.system;
  const SpotsView& spots = strip.spots;
  const int begin = __shfl_sync(all, strip.x, 0);
  Modeled found;
  for_each_fiber(strip, y, begin, begin + warp_size, [&](int s, const RowBins& bins) {
    int x0 = INT_MAX, x1 = INT_MIN;  // of tested spots
    for (int first = bins.first; first < bins.last; first += warp_size) {
      const int count = min(bins.last - first, warp_size);
      double f = 0;
      int xc = 0, dy = -1;
      if (strip.lane() < count) {
        const size_t k = strip.corner(s) + first + strip.lane();
        f = system.f[system.bands.bin(s, first + strip.lane())];
        xc = spots.xc[k];
        dy = y - spots.yc[k];
      }
      for (int k = 0; k < count; ++k) {
        const int row = __shfl_sync(all, dy, k), left = __shfl_sync(all, xc, k);
        const double of_bin = __shfl_sync(all, f, k);
        if (row < 0 || row >= spots.ny) continue;
        const int w = first + k, dx = strip.x - left;
        if (dx >= 0 && dx < spots.nx) found.m += strip.spot(s, w)[row * spots.nx + dx] * of_bin;
        const bool tested = w >= strip.tested.more && w < system.m - strip.tested.more;
        if (!tested || !on_columns(left, spots.nx, strip.pixels.nx)) continue;
        x0 = min(x0, left), x1 = max(x1, left + spots.nx);
      }
    }
    found.tested = found.tested || (strip.x >= x0 && strip.x < x1);
  });
  return found;
}

// sum_jk A_ij C_jk A_ik of pixel (x, y): the variance of m_i, without the covariance between
// fibers. Called by a whole warp with the same pixel.
template <int R>
__device__ double model_variance(const Strip& strip, int x, int y) {
  const FrameSystem& system = strip.tested.system;
  const SpotsView& spots = strip.spots;
  double sum = 0;
  for_each_fiber(strip, y, x, x + 1, [&](int s, const RowBins& bins) {
    const SelectedInverse<R> C{system.m,
                               strip.tested.inverse + s * SelectedInverse<R>::numbers(system.m)};
    // Spots of a row that share a pixel lie within a band's reach.
    const int count = min(bins.last - bins.first, warp_size);
    double a = 0;
    if (strip.lane() < count) {
      const int w = bins.first + strip.lane();
      const int dx = x - spots.xc[strip.corner(s) + w], dy = y - spots.yc[strip.corner(s) + w];
      if (dx >= 0 && dx < spots.nx && dy >= 0 && dy < spots.ny)
        a = strip.spot(s, w)[dy * spots.nx + dx];
    }
    for (int base = 0; base < count * count; base += warp_size) {
      const int pair = base + strip.lane();
      const int j = min(pair / count, count - 1), k = pair % count;
      const double a_j = __shfl_sync(all, a, j), a_k = __shfl_sync(all, a, k);
      const int d = abs(j - k);
      if (pair < count * count && d <= R && a_j != 0 && a_k != 0)
        sum += a_j * C.at(bins.first + min(j, k), d) * a_k;
    }
  });
  return warp_sum(sum);
}

__device__ bool is_next_to_rejected(const Strip& strip, int y) {
  const PixelsView& pixels = strip.pixels;
  for (int v = max(y - 1, 0); v <= min(y + 1, pixels.ny - 1); ++v)
    for (int u = max(strip.x - 1, 0); u <= min(strip.x + 1, pixels.nx - 1); ++u)
      if (strip.tested.marks[static_cast<size_t>(v) * pixels.nx + u] == strip.bundle.bundle + 1)
        return true;
  return false;
}

// A pixel that may be above the threshold.
struct Candidate {
  double residual, W, threshold, model_error;

  __device__ bool is_above(double spread) const {
    return residual * residual > threshold * threshold * (spread / W + model_error * model_error);
  }
};

// Tests the lane's pixel of row y; `brightest` is M_i. Called by a whole warp.
template <int R>
__device__ void test_row(const Strip& strip, int y, const Modeled& here, double brightest,
                         bool mine, const FoundPixels& found) {
  const double usual = strip.tested.threshold, lower = usual * reject_bounds::neighbor;
  Candidate one{};
  bool may = false;
  if (mine && here.tested) {
    const size_t i = static_cast<size_t>(y) * strip.pixels.nx + strip.x;
    one.residual = strip.pixels.p[i] - here.m;
    one.W = strip.pixels.W[i];
    // Most pixels end here.
    if (one.W > 0 && one.residual > 0 &&
        one.residual * one.residual * one.W > lower * lower * reject_bounds::min_spread) {
      one.threshold = is_next_to_rejected(strip, y) ? lower : usual;
      one.model_error = strip.tested.psferr * brightest;
      may = one.is_above(reject_bounds::min_spread);
    }
  }
  for (unsigned lanes = __ballot_sync(all, may); lanes != 0; lanes &= lanes - 1) {
    const int from = __ffs(static_cast<int>(lanes)) - 1;
    const int x = __shfl_sync(all, strip.x, from);
    const double variance = model_variance<R>(strip, x, y);
    if (strip.lane() != from) continue;
    if (!one.is_above(fmax(1 - one.W * variance, reject_bounds::min_spread))) continue;
    const int at = atomicAdd(found.count, 1);
    if (at < found.capacity)
      found.pixels[at] = {
          static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(strip.pixels.nx) +
              static_cast<std::uint32_t>(x),
          static_cast<std::uint32_t>(strip.bundle.bundle)};
  }
}

// A warp per strip of columns and rows of a bundle.
template <int R>
__global__ void __launch_bounds__(warps* warp_size)
    test_kernel(TestedBundles tested, SpotsView spots, RowBinsView rows, PixelsView pixels,
                FoundPixels found) {
  const BundleOfFiber bundle = tested.bundles[blockIdx.z];
  if (bundle.begin == bundle.end) return;
  const TestedBundles::Columns columns = tested.columns[blockIdx.z];
  if (columns.x0 >= columns.x1) return;
  const int lane = threadIdx.x % warp_size;
  const int y0 = (blockIdx.y * warps + threadIdx.x / warp_size) * rows_of_warp;
  const int y1 = min(y0 + rows_of_warp, pixels.ny);
  for (int left = columns.x0 + static_cast<int>(blockIdx.x) * inner; left < columns.x1;
       left += static_cast<int>(gridDim.x) * inner) {
    const Strip strip{tested, spots, rows, pixels, bundle, left - 1 + lane};
    const bool inside = strip.x >= columns.x0 && strip.x < columns.x1;
    const bool mine = inside && lane > 0 && lane + 1 < warp_size;
    const auto light = [&](const Modeled& one) { return inside && one.m > 0 ? one.m : 0.0; };
    double last = y0 > 0 && y0 < y1 ? light(model_of(strip, y0 - 1)) : 0.0;
    Modeled here = y0 < y1 ? model_of(strip, y0) : Modeled{};
    for (int y = y0; y < y1; ++y) {
      const Modeled next = y + 1 < pixels.ny ? model_of(strip, y + 1) : Modeled{};
      double brightest = fmax(fmax(last, light(next)), light(here));
      brightest = fmax(
          brightest, fmax(__shfl_up_sync(all, brightest, 1), __shfl_down_sync(all, brightest, 1)));
      test_row<R>(strip, y, here, brightest, mine, found);
      last = light(here);
      here = next;
    }
  }
}

}  // namespace

std::size_t inverse_numbers(int reach, int m) {
  return with_reach(reach, [&]<int R>() { return SelectedInverse<R>::numbers(m); });
}

void invert_fibers(const FrameSystem& system, double* inverse, cudaStream_t stream) {
  with_reach(system.bands.reach, [&]<int R>() {
    inverse_kernel<R><<<system.bands.nspec, inverse_threads, 0, stream>>>(system, inverse);
  });
  SPEX_LAUNCH_CHECK();
}

void find_columns(const TestedBundles& tested, const SpotsView& spots, int nx, int ny,
                  cudaStream_t stream) {
  columns_kernel<<<tested.system.bands.nspec, column_threads, 0, stream>>>(tested, spots, nx, ny);
  SPEX_LAUNCH_CHECK();
}

void find_pixels(const TestedBundles& tested, const SpotsView& spots, const RowBinsView& rows,
                 const PixelsView& pixels, const FoundPixels& found, cudaStream_t stream) {
  // Strips of a bundle of 25 fibers of DESI; wider bundles take turns.
  constexpr int strips = 8;
  const dim3 grid(strips, blocks_for(pixels.ny, warps * rows_of_warp), tested.system.nbundles);
  with_reach(tested.system.bands.reach, [&]<int R>() {
    test_kernel<R><<<grid, warps * warp_size, 0, stream>>>(tested, spots, rows, pixels, found);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
