// Device functions over the pixels of a spot within a patch.
#pragma once

#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/bins.hpp"
#include "gpu/layout/patches.hpp"

namespace spex::gpu {

/// The part of a bin's spot within the used pixels of its patch.
struct ClippedSpot {
  const double* value;  ///< whole spot, row-major with `stride`
  int xc, yc, stride;   ///< its lower-left pixel on the CCD
  int x0, x1, y0, y1;   ///< used pixels of the spot, on the CCD

  __device__ double at(int x, int y) const { return value[(y - yc) * stride + x - xc]; }
};

__device__ inline ClippedSpot clip_spot(const PatchGeometry& patch, const SpotsView& spots, int s,
                                        int w) {
  const int fiber = patch.spec0 + s, bin = patch.wave0 + w;
  const size_t k = static_cast<size_t>(fiber) * spots.nwave + bin;
  const size_t spot = static_cast<size_t>(spots.row_of(fiber)) * spots.nwave + bin;
  const int xc = spots.xc[k], yc = spots.yc[k];
  return {spots.value + spot * spots.nx * spots.ny,
          xc,
          yc,
          spots.nx,
          max(xc, patch.x0),
          min(xc + spots.nx, patch.x1),
          max(yc, patch.y0),
          min(yc + spots.ny, patch.y1)};
}

/// Sums over the pixels of a bin (extraction.md, section 4): y = A^T W p, q = A^T W, and the
/// fraction of its light in weighted pixels.
struct BinSums {
  double y = 0, q = 0, good = 0;

  __device__ void add(const ClippedSpot& spot, const PixelsView& pixels, int px, int py) {
    const size_t i = static_cast<size_t>(py) * pixels.nx + px;
    const double W = pixels.W[i];
    if (!(W > 0)) return;
    const double a = spot.at(px, py);
    y += a * W * pixels.p[i];
    q += a * W;
    good += a;
  }
  __device__ void store(const BinVectors& bins, size_t at) const {
    bins.y[at] = y;
    bins.q[at] = q;
    bins.good[at] = good;
  }
};

/// The sums over a spot's used pixels, for all lanes. Called by a whole warp with the same spot.
__device__ inline BinSums sum_pixels(const ClippedSpot& spot, const PixelsView& pixels) {
  const int nx = spot.x1 - spot.x0;
  const int count = nx > 0 && spot.y1 > spot.y0 ? nx * (spot.y1 - spot.y0) : 0;
  BinSums sums;
  for (int k = threadIdx.x % warp_size; k < count; k += warp_size)
    sums.add(spot, pixels, spot.x0 + k % nx, spot.y0 + k / nx);
  return {warp_sum(sums.y), warp_sum(sums.q), warp_sum(sums.good)};
}

}  // namespace spex::gpu
