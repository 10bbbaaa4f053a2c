#include "gpu/core/block.cuh"
#include "gpu/core/launch.hpp"
#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/spot_device.cuh"
#include "gpu/extract/normal_equations/fiber_bands.hpp"
#include "reference/extract/fiber_cholesky.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 256;

// The position of a patch in FrameBands.
struct PatchInFrame {
  int s0, v0;  // the frame's indices of the patch's first spectrum and bin

  __device__ PatchInFrame(const PatchGeometry& patch, const SpotsView& spots)
      : s0(patch.spec0 - spots.first_spec), v0(patch.wave0) {}
};

// Whether the patch uses all CCD rows [y0, y1).
__device__ bool holds_rows(const PatchGeometry& patch, const PixelsView& pixels, int y0, int y1) {
  return (y0 >= patch.y0 || patch.y0 == 0) && (y1 <= patch.y1 || patch.y1 == pixels.ny);
}

// The sum of W a b over the used pixels of both spots.
__device__ double overlap(const PixelsView& pixels, const ClippedSpot& a, const ClippedSpot& b) {
  double sum = 0;
  for (int y = max(a.y0, b.y0); y < min(a.y1, b.y1); ++y)
    for (int x = max(a.x0, b.x0); x < min(a.x1, b.x1); ++x)
      sum += a.at(x, y) * pixels.W[static_cast<size_t>(y) * pixels.nx + x] * b.at(x, y);
  return sum;
}

// The spot of lane `of`, for all lanes.
__device__ ClippedSpot spot_of_lane(const ClippedSpot& spot, int of) {
  constexpr unsigned all = 0xffffffffU;
  const auto shared = [&](int value) { return __shfl_sync(all, value, of); };
  const auto value = __shfl_sync(all, reinterpret_cast<unsigned long long>(spot.value), of);
  return {reinterpret_cast<const double*>(value),
          shared(spot.xc),
          shared(spot.yc),
          spot.stride,
          shared(spot.x0),
          shared(spot.x1),
          shared(spot.y0),
          shared(spot.y1)};
}

// Copies y, q and good of a patch's bins from the frame, or recomputes sums where the patch cuts
// the spot. One thread per bin.
__global__ void take_bins_kernel(const PatchGeometry* patches, SpotsView spots, PixelsView pixels,
                                 FrameBands frame, BinVectors bins) {
  const PatchGeometry& patch = patches[blockIdx.y];
  const int j = blockIdx.x * threads + threadIdx.x;
  const bool exists = j < patch.n();
  const PatchInFrame place(patch, spots);
  const int s = exists ? j / patch.nwave : 0, w = exists ? j % patch.nwave : 0;
  const ClippedSpot spot = clip_spot(patch, spots, s, w);
  const bool cut = !holds_rows(patch, pixels, spot.yc, spot.yc + spots.ny);
  BinSums sums;
  // The warp sums the pixels of one lane's spot after another.
  unsigned lanes = __ballot_sync(0xffffffffU, exists && cut);
  for (; lanes != 0; lanes &= lanes - 1) {
    const int of = __ffs(static_cast<int>(lanes)) - 1;
    const BinSums one = sum_pixels(spot_of_lane(spot, of), pixels);
    if (threadIdx.x % warp_size == of) sums = one;
  }
  if (!exists) return;
  if (!cut) {
    const size_t from = frame.bin(place.s0 + s, place.v0 + w);
    sums = {frame.y[from], frame.q[from], frame.good[from]};
  }
  sums.store(bins, bins.strides.patch(blockIdx.y) + bins.strides.bin(s, w));
}

// The largest q of a patch's bins. A spot that the patch cuts has at most the q of the whole spot,
// within rounding, so only those are computed that may be the largest.
__global__ void scales_kernel(const PatchGeometry* patches, SpotsView spots, PixelsView pixels,
                              FrameBands frame, double* scales) {
  const PatchGeometry& patch = patches[blockIdx.x];
  const PatchInFrame place(patch, spots);
  const auto larger = [](double a, double b) { return fmax(a, b); };
  const auto is_cut = [&](int j) {
    const int yc = clip_spot(patch, spots, j / patch.nwave, j % patch.nwave).yc;
    return !holds_rows(patch, pixels, yc, yc + spots.ny);
  };
  const auto q_of_frame = [&](int j) {
    return frame.q[frame.bin(place.s0 + j / patch.nwave, place.v0 + j % patch.nwave)];
  };
  double whole = 0;
  for (int j = threadIdx.x; j < patch.n(); j += threads)
    if (!is_cut(j)) whole = larger(whole, q_of_frame(j));
  whole = merge_block<threads>(whole, larger);
  double largest = whole;
  for (int base = 0; base < patch.n(); base += threads) {
    const int j = base + static_cast<int>(threadIdx.x);
    const bool exists = j < patch.n();
    const bool may = exists && is_cut(j) && !(q_of_frame(j) * (1 + 1e-9) <= whole);
    const ClippedSpot spot =
        clip_spot(patch, spots, exists ? j / patch.nwave : 0, exists ? j % patch.nwave : 0);
    for (unsigned lanes = __ballot_sync(0xffffffffU, may); lanes != 0; lanes &= lanes - 1) {
      const int of = __ffs(static_cast<int>(lanes)) - 1;
      largest = larger(largest, sum_pixels(spot_of_lane(spot, of), pixels).q);
    }
  }
  largest = merge_block<threads>(largest, larger);
  if (threadIdx.x == 0) scales[blockIdx.x] = 1e-4 * largest;
}

// `overlap` of each lane in `lanes` with its own spots: the whole warp sums the pixels of one
// lane's spots after another.
__device__ double overlap_of_lanes(unsigned lanes, const PixelsView& pixels, const ClippedSpot& a,
                                   const ClippedSpot& b) {
  constexpr unsigned all = 0xffffffffU;
  constexpr int columns = 8;  // pixel columns in parallel; lanes / columns rows in parallel
  const int lane = threadIdx.x % warp_size;
  double mine = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int of = __ffs(lanes) - 1;
    const auto shared = [&](int value) { return __shfl_sync(all, value, of); };
    const int x0 = shared(max(a.x0, b.x0)), x1 = shared(min(a.x1, b.x1));
    const int y0 = shared(max(a.y0, b.y0)), y1 = shared(min(a.y1, b.y1));
    // The origin of a spot relative to CCD row 0 and column 0.
    const auto origin = [&](const ClippedSpot& spot) {
      const auto value =
          reinterpret_cast<unsigned long long>(spot.value - spot.yc * spot.stride - spot.xc);
      return reinterpret_cast<const double*>(__shfl_sync(all, value, of));
    };
    const double *of_a = origin(a), *of_b = origin(b);
    double sum = 0;
    for (int x = x0 + lane % columns; x < x1; x += columns)
#pragma unroll 4
      for (int y = y0 + lane / columns; y < y1; y += warp_size / columns)
        sum += of_a[y * a.stride + x] * pixels.W[static_cast<size_t>(y) * pixels.nx + x] *
               of_b[y * b.stride + x];
    sum = warp_sum(sum);
    if (lane == of) mine = sum;
  }
  return mine;
}

// The bands of spectrum blockIdx.x of patch blockIdx.y.
__global__ void take_bands_kernel(FiberBatch batch, FrameBands frame, const double* prior) {
  const FiberLayout layout = batch.layout;
  const FiberBands bands = batch.bands;
  const SpotsView spots = batch.view.spots;
  const PixelsView pixels = batch.view.pixels;
  const PatchGeometry& patch = batch.view.patches[blockIdx.y];
  const int s = blockIdx.x;
  if (s >= patch.nspec) return;
  const PatchInFrame place(patch, spots);
  const size_t slot = static_cast<size_t>(blockIdx.y) * layout.nslots + s;
  const int m = patch.nwave, R = layout.reach;
  const int* const corner =
      spots.yc + static_cast<size_t>(patch.spec0 + s) * spots.nwave + patch.wave0;
  // Computes element (w of t, v of s) if `exists`, or copies the frame's value from `shared`.
  // Called by the whole warp.
  const auto element = [&](bool exists, int v, int t, int w, const double* shared) {
    // If the patch holds all rows of bin v's spot, it holds all rows that both spots share.
    const int yc = exists ? corner[v] : 0;
    const bool cut = exists && !holds_rows(patch, pixels, yc, yc + spots.ny);
    if (!__any_sync(0xffffffffU, cut)) return exists ? *shared : 0.0;
    const ClippedSpot a = clip_spot(patch, spots, s, exists ? v : 0);
    const ClippedSpot b = clip_spot(patch, spots, t, exists ? w : 0);
    const bool same = holds_rows(patch, pixels, max(a.yc, b.yc), min(a.yc, b.yc) + spots.ny);
    const double value = exists && same ? *shared : 0.0;
    const unsigned lanes = __ballot_sync(0xffffffffU, exists && !same);
    return value + overlap_of_lanes(lanes, pixels, a, b);
  };
  const size_t first_bin = frame.bin(place.s0 + s, place.v0);
#pragma unroll 2
  for (int base = 0; base < layout.band_size(); base += threads) {
    const int k = base + threadIdx.x;
    const int v = k / (R + 1), d = k % (R + 1);
    double value = element(v + d < m, v, s, v + d, frame.band + first_bin * (R + 1) + k);
    if (k >= layout.band_size()) continue;
    if (d == 0) value += prior[slot * layout.nwave + v];
    bands.band[slot * layout.band_size() + k] = value;
  }
  if (s + 1 == patch.nspec) return;
  const int width = 2 * R + 1;
#pragma unroll 2
  for (int base = 0; base < layout.pair_size(); base += threads) {
    const int k = base + threadIdx.x;
    const int v = k / width, w = v - R + k % width;
    const double value =
        element(v < m && w >= 0 && w < m, v, s + 1, w, frame.pair + first_bin * width + k);
    if (k < layout.pair_size()) bands.pair[slot * layout.pair_size() + k] = value;
  }
}

// One thread per bin of s and bin of a spectrum at a distance of two or more, where the frame found
// that they may share light. In the patch their diagonals also contain the prior.
__global__ void far_kernel(FiberBatch batch, FrameBands frame) {
  const FiberLayout layout = batch.layout;
  const SpotsView spots = batch.view.spots;
  const PatchGeometry patch = batch.view.patches[blockIdx.y];
  const int k = blockIdx.x * threads + threadIdx.x;
  const int s = k / patch.nwave, v = k % patch.nwave;
  if (s + 2 >= patch.nspec) return;
  const PatchInFrame place(patch, spots);
  if (frame.far[frame.bin(place.s0 + s, place.v0 + v)] == 0) return;
  const size_t first = static_cast<size_t>(blockIdx.y) * layout.nslots;
  const auto diagonal = [&](int spectrum, int bin) {
    return batch.bands.band[(first + spectrum) * layout.band_size() + bin * (layout.reach + 1)];
  };
  const ClippedSpot a = clip_spot(patch, spots, s, v);
  for (int t = s + 2; t < patch.nspec; ++t)
    for (int w = max(0, v - layout.reach); w <= min(patch.nwave - 1, v + layout.reach); ++w) {
      const double shared = overlap(batch.view.pixels, a, clip_spot(patch, spots, t, w));
      if (!(shared <= fiber_bounds::far * sqrt(diagonal(s, v) * diagonal(t, w))))
        batch.view.status[blockIdx.y] = guarded;
    }
}

}  // namespace

void take_bins(const BatchView& batch, const FrameBands& frame, const BinVectors& bins,
               cudaStream_t stream) {
  take_bins_kernel<<<dim3(blocks_for(batch.n, threads), batch.count), threads, 0, stream>>>(
      batch.patches, batch.spots, batch.pixels, frame, bins);
  SPEX_LAUNCH_CHECK();
}

void find_scales(const BatchView& batch, const FrameBands& frame, double* scales,
                 cudaStream_t stream) {
  scales_kernel<<<batch.count, threads, 0, stream>>>(batch.patches, batch.spots, batch.pixels,
                                                     frame, scales);
  SPEX_LAUNCH_CHECK();
}

void take_bands(const FiberBatch& batch, const FrameBands& frame, const double* prior,
                cudaStream_t stream) {
  take_bands_kernel<<<dim3(batch.layout.nslots, batch.view.count), threads, 0, stream>>>(
      batch, frame, prior);
  SPEX_LAUNCH_CHECK();
}

void refuse_far_light(const FiberBatch& batch, const FrameBands& frame, cudaStream_t stream) {
  const int bins = batch.layout.nslots * batch.layout.nwave;
  far_kernel<<<dim3(blocks_for(bins, threads), batch.view.count), threads, 0, stream>>>(batch,
                                                                                        frame);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
