// Device functions over the pixels of a spot within a patch.
#pragma once

#include "gpu/layout/patches.hpp"

namespace spex::gpu {

/// The part of a bin's spot that lies within the used pixels of its patch.
struct ClippedSpot {
  const double* value;  ///< of the whole spot, rows of `stride`
  int xc, yc, stride;   ///< its lower-left pixel on the CCD
  int x0, x1, y0, y1;   ///< the used pixels of it, on the CCD

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

}  // namespace spex::gpu
