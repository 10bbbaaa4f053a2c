// Compiled without fused multiply-adds (gpu/CMakeLists.txt): used_rows must truncate to the same
// rows as on the CPU.
#include <climits>

#include "gpu/core/block.cuh"
#include "gpu/layout/patches.hpp"
#include "reference/layout/used_rows.hpp"

namespace spex::gpu {
namespace {

constexpr int threads = 128;

struct Extent {
  int xmin, xmax, ypadmin, ypadmax, ymin, ymax;
  int reach;
};

__device__ Extent merge(const Extent& a, const Extent& b) {
  return {min(a.xmin, b.xmin),       max(a.xmax, b.xmax), min(a.ypadmin, b.ypadmin),
          max(a.ypadmax, b.ypadmax), min(a.ymin, b.ymin), max(a.ymax, b.ymax),
          max(a.reach, b.reach)};
}

// Whether rows ascend with wavelength for every fiber of the patch; the result is valid in all
// threads.
__device__ bool rows_ascend(const PatchGeometry& patch, const SpotsView& spots) {
  bool ascend = true;
  for (int j = threadIdx.x; j < patch.n(); j += threads) {
    const int s = j / patch.nwave, w = j % patch.nwave;
    const int* yc = spots.yc + (patch.spec0 + s) * spots.nwave + patch.wave0 + w;
    if (w > 0 && yc[0] < yc[-1] && yc[0] != dark_corner) ascend = false;
  }
  return __syncthreads_and(ascend ? 1 : 0) != 0;
}

__global__ void used_pixels_kernel(PatchGeometry* patches, SpotsView spots, double pixpad_frac,
                                   int nx_ccd, int ny_ccd, int* reach) {
  PatchGeometry& patch = patches[blockIdx.x];
  const bool ascend = rows_ascend(patch, spots);
  Extent mine{INT_MAX, INT_MIN, INT_MAX, INT_MIN, INT_MAX, INT_MIN, 0};
  for (int j = threadIdx.x; j < patch.n(); j += threads) {
    const int s = j / patch.nwave, w = j % patch.nwave;
    const int k = (patch.spec0 + s) * spots.nwave + patch.wave0 + w;
    const bool core = w >= patch.wavepad && w < patch.nwave - patch.wavepad;
    const int xc = spots.xc[k], yc = spots.yc[k];
    if (xc == dark_corner) continue;
    mine = merge(mine, {xc, xc + spots.nx, yc, yc + spots.ny, core ? yc : INT_MAX,
                        core ? yc + spots.ny : INT_MIN, 0});
    // The farthest wavelength whose spot overlaps with this spot, over all fibers of the patch. If
    // rows ascend, no spot beyond the first non-overlapping spot overlaps.
    for (int t = 0; t < patch.nspec; ++t) {
      const int first = (patch.spec0 + t) * spots.nwave + patch.wave0;
      for (int v = w + mine.reach + 1; v < patch.nwave; ++v) {
        const int rows_above = spots.yc[first + v] - yc;
        if (ascend && rows_above >= spots.ny) break;
        if (abs(rows_above) < spots.ny && abs(spots.xc[first + v] - xc) < spots.nx)
          mine.reach = v - w;
      }
    }
  }
  const Extent all =
      merge_block<threads>(mine, [](const Extent& a, const Extent& b) { return merge(a, b); });
  if (threadIdx.x != 0) return;
  atomicMax(reach, all.reach);  // integer maximum: independent of the order
  if (all.ymin > all.ymax) {    // no core bin has light
    patch.x0 = patch.x1 = patch.y0 = patch.y1 = 0;
    return;
  }
  const RowRange rows = used_rows(all.ypadmin, all.ypadmax, all.ymin, all.ymax, pixpad_frac);
  patch.x0 = max(all.xmin, 0);
  patch.x1 = min(all.xmax, nx_ccd);
  patch.y0 = max(rows.lo, 0);
  patch.y1 = min(rows.hi, ny_ccd);
}

}  // namespace

PatchGeometry make_geometry(const Patch& patch, int fiber, int first_bin) {
  PatchGeometry geometry;
  geometry.spec0 = patch.padded_spec_first() - fiber;
  geometry.wave0 = patch.padded_wave_first() - first_bin;
  geometry.nspec = patch.padded_nspec();
  geometry.nwave = patch.padded_nwave();
  geometry.pad_below = patch.pad_below;
  geometry.ncore = patch.nspec;
  geometry.wavepad = patch.wavepad;
  geometry.nkept = patch.nkept;
  return geometry;
}

void find_used_pixels(const PatchesOnCcd& of, cudaStream_t stream) {
  used_pixels_kernel<<<of.count, threads, 0, stream>>>(of.patches, of.spots, of.pixpad_frac,
                                                       of.nx_ccd, of.ny_ccd, of.reach);
  SPEX_LAUNCH_CHECK();
}

}  // namespace spex::gpu
