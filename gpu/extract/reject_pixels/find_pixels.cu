#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/pixel_model.cuh"
#include "gpu/extract/frame_flux/frame_factor.cuh"
#include "gpu/extract/normal_equations/fiber_reach.hpp"
#include "gpu/extract/reject_pixels/find_pixels.hpp"
#include "gpu/extract/reject_pixels/selected_inverse.cuh"
#include "reference/core/count.hpp"
#include "reference/extract/reject_pixels.hpp"

namespace spex::gpu {
namespace {

constexpr unsigned all = 0xffffffffU;
constexpr int between_threads = 256;
constexpr int segment_threads = 128;
constexpr int column_threads = 128;
constexpr int model_warps = 8;
// A warp tests `inner` columns of `rows_of_warp` rows; its first and last lane hold neighbors.
constexpr int warps = 4;
constexpr int inner = warp_size - 2;
constexpr int rows_of_warp = 16;

template <int R>
__device__ SelectedInverse<R> inverse_of(const FrameSystem& system, int s, double* inverse) {
  return {system.m, inverse + s * SelectedInverse<R>::numbers(system.m)};
}

// A block per fiber.
template <int R>
__global__ void __launch_bounds__(between_threads)
    inverse_between_kernel(FrameSystem system, double* inverse) {
  const auto s = static_cast<int>(blockIdx.x);
  const BundleOfFiber place = system.place[s];
  if (place.begin == place.end) return;
  invert_between<R>(factor_of<R>(system, s), inverse_of<R>(system, s, inverse));
}

// A block per segment of a fiber.
template <int R>
__global__ void __launch_bounds__(segment_threads)
    inverse_segment_kernel(FrameSystem system, double* inverse) {
  const auto s = static_cast<int>(blockIdx.y);
  const BundleOfFiber place = system.place[s];
  if (place.begin == place.end) return;
  invert_segment<R>(factor_of<R>(system, s), inverse_of<R>(system, s, inverse), blockIdx.x);
}

using Columns = TestedBundles::Columns;

// The columns of fiber s that `rows` reach in row y.
__device__ Columns columns_of(const SpotsView& spots, const RowBinsView& rows, int s, int y) {
  const RowBins row = rows.rows[static_cast<size_t>(spots.first_spec + s) * rows.ny_ccd + y];
  return row.first < row.last ? Columns{row.x0, row.x1} : Columns{};
}

__device__ void take(const Columns& more, Columns& columns) {
  columns.x0 = min(columns.x0, more.x0);
  columns.x1 = max(columns.x1, more.x1);
}

// One thread per row of a bundle.
__global__ void columns_kernel(TestedBundles tested, SpotsView spots, int nx) {
  const BundleOfFiber bundle = tested.bundles[blockIdx.y];
  const int y = blockIdx.x * column_threads + threadIdx.x;
  if (y >= tested.rows.ny_ccd) return;
  Columns lit, of_tests;
  for (int s = bundle.begin; s < bundle.end; ++s) {
    take(columns_of(spots, tested.rows, s, y), lit);
    take(columns_of(spots, tested.tested_rows, s, y), of_tests);
  }
  tested.lit_of(blockIdx.y, y) = lit;
  if (max(of_tests.x0, 0) >= min(of_tests.x1, nx)) return;
  // Integer minima and maxima do not depend on the order.
  atomicMin(&tested.columns[blockIdx.y].x0, max(of_tests.x0, 0));
  atomicMax(&tested.columns[blockIdx.y].x1, min(of_tests.x1, nx));
}

// m_i of the tested columns of a bundle. A warp per model_rows rows.
__global__ void __launch_bounds__(model_warps* warp_size)
    model_kernel(TestedBundles tested, SpotsView spots, PixelsView pixels) {
  __shared__ WarpModel models[model_warps];
  const FrameSystem& system = tested.system;
  const BundleOfFiber bundle = tested.bundles[blockIdx.y];
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const int y = (static_cast<int>(blockIdx.x) * model_warps + warp) * model_rows;
  if (bundle.begin == bundle.end || y >= pixels.ny) return;
  const TestedBundles::Columns columns = tested.columns[blockIdx.y];
  const int nrows = min(pixels.ny - y, model_rows);
  const ModelBins bins{spots.first_spec, 0, bundle.begin, bundle.end, 0, system.m};
  for (int x = columns.x0; x < columns.x1; x += model_columns) {
    const int ncolumns = min(columns.x1 - x, model_columns);
    find_model(
        spots, tested.rows, bins, {x, y, ncolumns, nrows},
        [&](int s, int w) { return system.f[system.bands.bin(s, w)]; }, models[warp]);
    for (int r = 0; r < nrows; ++r) {
      const Columns lit = tested.lit_of(blockIdx.y, y + r);
      double* const row = tested.model + static_cast<size_t>(y + r) * pixels.nx;
      // Pixels beyond are another bundle's.
      for (int column = lane; column < ncolumns; column += warp_size)
        if (lit.hold(x + column)) row[x + column] = models[warp].m[r][column];
    }
    __syncwarp();
  }
}

// What a warp tests.
struct Strip {
  const TestedBundles& tested;
  const SpotsView& spots;
  const PixelsView& pixels;
  BundleOfFiber bundle;
  int x;        // the lane's column
  bool inside;  // the tested columns

  __device__ int lane() const { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ size_t corner(int s) const {
    return static_cast<size_t>(spots.first_spec + s) * spots.nwave;
  }
  __device__ const double* spot(int s, int w) const {
    const size_t k = static_cast<size_t>(spots.row_of(spots.first_spec + s)) * spots.nwave + w;
    return spots.value + k * spots.nx * spots.ny;
  }
};

// Calls visit(s, columns) for the fibers of the bundle that `rows` say reach columns [x0, x1) of
// row y, in order. Called by a whole warp.
template <class Visit>
__device__ void for_each_fiber(const Strip& strip, const RowBinsView& rows, int y, int x0, int x1,
                               const Visit& visit) {
  for (int first = strip.bundle.begin; first < strip.bundle.end; first += warp_size) {
    const int mine = first + strip.lane();
    Columns columns;
    if (mine < strip.bundle.end) columns = columns_of(strip.spots, rows, mine, y);
    unsigned reached = __ballot_sync(all, columns.x0 < x1 && columns.x1 > x0);
    for (; reached != 0; reached &= reached - 1) {
      const int from = __ffs(static_cast<int>(reached)) - 1;
      visit(first + from,
            Columns{__shfl_sync(all, columns.x0, from), __shfl_sync(all, columns.x1, from)});
    }
  }
}

// The model of a pixel, and whether the bundle may have light there.
struct Modeled {
  double m = 0;
  bool lit = false;

  __device__ double light() const { return fmax(m, 0.0); }
};

// m_i of the lane's pixel in row y; 0 where the bundle has no light, and beyond the CCD.
__device__ Modeled model_of(const Strip& strip, int y) {
  const TestedBundles& tested = strip.tested;
  if (!strip.inside || y < 0 || y >= strip.pixels.ny) return {};
  if (!tested.lit_of(strip.bundle.bundle, y).hold(strip.x)) return {};
  return {tested.model[static_cast<size_t>(y) * strip.pixels.nx + strip.x], true};
}

// Whether a tested spot covers the lane's pixel of row y.
__device__ bool is_tested(const Strip& strip, int y) {
  for (int s = strip.bundle.begin; s < strip.bundle.end; ++s)
    if (columns_of(strip.spots, strip.tested.tested_rows, s, y).hold(strip.x)) return true;
  return false;
}

// sum_jk A_ij C_jk A_ik of pixel (x, y): the variance of m_i, without the covariance between
// fibers. Called by a whole warp with the same pixel.
template <int R>
__device__ double model_variance(const Strip& strip, int x, int y) {
  const FrameSystem& system = strip.tested.system;
  const SpotsView& spots = strip.spots;
  double sum = 0;
  for_each_fiber(strip, strip.tested.rows, y, x, x + 1, [&](int s, const Columns&) {
    const RowBinsView& rows = strip.tested.rows;
    RowBins bins = rows.rows[static_cast<size_t>(spots.first_spec + s) * rows.ny_ccd + y];
    bins.last = min(bins.last, system.m);
    const SelectedInverse<R> C{system.m,
                               strip.tested.inverse + s * SelectedInverse<R>::numbers(system.m)};
    // Spots of a row that share a pixel lie within a band's reach.
    const int count = max(min(bins.last - bins.first, warp_size), 0);
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
__device__ void test_row(const Strip& strip, int y, double model, double brightest, bool mine,
                         const FoundPixels& found) {
  const double usual = strip.tested.threshold;
  const double lower = strip.tested.marked ? usual * reject_bounds::neighbor : usual;
  Candidate one{};
  bool may = false;
  if (mine) {
    const size_t i = static_cast<size_t>(y) * strip.pixels.nx + strip.x;
    one.residual = strip.pixels.p[i] - model;
    one.W = strip.pixels.W[i];
    // Most pixels end here.
    if (one.W > 0 && one.residual > 0 &&
        one.residual * one.residual * one.W > lower * lower * reject_bounds::min_spread) {
      one.threshold = strip.tested.marked && is_next_to_rejected(strip, y) ? lower : usual;
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
    if (!is_tested(strip, y)) continue;
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
    test_kernel(TestedBundles tested, SpotsView spots, PixelsView pixels, FoundPixels found) {
  const BundleOfFiber bundle = tested.bundles[blockIdx.z];
  if (bundle.begin == bundle.end) return;
  const TestedBundles::Columns columns = tested.columns[blockIdx.z];
  if (columns.x0 >= columns.x1) return;
  const int lane = threadIdx.x % warp_size;
  const int y0 = (blockIdx.y * warps + threadIdx.x / warp_size) * rows_of_warp;
  const int y1 = min(y0 + rows_of_warp, pixels.ny);
  for (int left = columns.x0 + static_cast<int>(blockIdx.x) * inner; left < columns.x1;
       left += static_cast<int>(gridDim.x) * inner) {
    const int x = left - 1 + lane;
    const bool inside = x >= columns.x0 && x < columns.x1;
    const Strip strip{tested, spots, pixels, bundle, x, inside};
    const bool mine = inside && lane > 0 && lane + 1 < warp_size;
    Modeled last = model_of(strip, y0 - 1), here = model_of(strip, y0);
    for (int y = y0; y < y1; ++y) {
      const Modeled next = model_of(strip, y + 1);
      double brightest = fmax(fmax(last.light(), next.light()), here.light());
      brightest = fmax(
          brightest, fmax(__shfl_up_sync(all, brightest, 1), __shfl_down_sync(all, brightest, 1)));
      // Other pixels are other bundles'.
      test_row<R>(strip, y, here.m, brightest, mine && here.lit, found);
      last = here;
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
    const int nspec = system.bands.nspec;
    const dim3 segments(ReducedBand<R>::segments(system.m), nspec);
    inverse_between_kernel<R><<<nspec, between_threads, 0, stream>>>(system, inverse);
    inverse_segment_kernel<R><<<segments, segment_threads, 0, stream>>>(system, inverse);
  });
  SPEX_LAUNCH_CHECK();
}

void find_columns(const TestedBundles& tested, int nbundles, const SpotsView& spots, int nx,
                  cudaStream_t stream) {
  const dim3 rows(blocks_for(tested.rows.ny_ccd, column_threads), nbundles);
  columns_kernel<<<rows, column_threads, 0, stream>>>(tested, spots, nx);
  SPEX_LAUNCH_CHECK();
}

void find_pixels(const TestedBundles& tested, const SpotsView& spots, const PixelsView& pixels,
                 const FoundPixels& found, cudaStream_t stream) {
  const int nbundles = tested.system.nbundles;
  const dim3 models(blocks_for(pixels.ny, model_warps * model_rows), nbundles);
  model_kernel<<<models, model_warps * warp_size, 0, stream>>>(tested, spots, pixels);
  // Strips of a bundle of 25 fibers of DESI; wider bundles take turns.
  constexpr int strips = 8;
  const dim3 grid(strips, blocks_for(pixels.ny, warps * rows_of_warp), nbundles);
  with_reach(tested.system.bands.reach, [&]<int R>() {
    test_kernel<R><<<grid, warps * warp_size, 0, stream>>>(tested, spots, pixels, found);
  });
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
