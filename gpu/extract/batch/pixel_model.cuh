// Device functions for the model m = A f of pixels (extraction.md, section 6).
#pragma once

#include <climits>

#include "gpu/core/warp.cuh"
#include "gpu/extract/batch/quality.hpp"

namespace spex::gpu {

/// The part of a model that a warp holds in shared memory: rows of the CCD, and columns.
inline constexpr int model_rows = 4;
inline constexpr int model_columns = 96;

/// A bin of a fiber whose spot may reach the rows.
struct alignas(16) ModelTerm {
  double f;
  int xc;  ///< first CCD column of its spot
  int dy;  ///< first of the rows, relative to the spot
};

/// A warp's shared memory: the model of its pixels, and terms under way.
struct WarpModel {
  double m[model_rows][model_columns];
  ModelTerm terms[warp_size];
};

/// The bins of a model: fibers [s_begin, s_end) after `fiber`, bins [w_begin, w_end) after `bin`,
/// both of the spots.
struct ModelBins {
  int fiber, bin;
  int s_begin, s_end;
  int w_begin, w_end;
};

/// The pixels of a warp's model: at most model_rows and model_columns, from (x, y) on.
struct ModelPixels {
  int x, y;
  int ncolumns, nrows;
};

/// The bins and columns of all spots of a fiber that reach `count` rows from y on. Called by a
/// whole warp; the result is valid in all lanes.
__device__ inline RowBins bins_of_rows(const RowBinsView& all, int fiber, int y, int count) {
  const int lane = threadIdx.x % warp_size;
  RowBins row{INT_MAX, 0, INT_MAX, 0};
  if (lane < count) row = all.rows[static_cast<size_t>(fiber) * all.ny_ccd + y + lane];
  constexpr unsigned lanes = 0xffffffffU;
  return {__reduce_min_sync(lanes, row.first), __reduce_max_sync(lanes, row.last),
          __reduce_min_sync(lanes, row.x0), __reduce_max_sync(lanes, row.x1)};
}

/// m_i = sum_j A_ij f_j over `bins`, in the order of fibers. Called by a whole warp; flux(s, w)
/// returns f.
template <class Flux>
__device__ void find_model(const SpotsView& spots, const RowBinsView& rows, const ModelBins& bins,
                           const ModelPixels& pixels, const Flux& flux, WarpModel& model) {
  const int lane = threadIdx.x % warp_size;
  const int spot_size = spots.nx * spots.ny;
  for (int column = lane; column < pixels.ncolumns; column += warp_size)
    for (int r = 0; r < model_rows; ++r) model.m[r][column] = 0;
  for (int s = bins.s_begin; s < bins.s_end; ++s) {
    const int fiber = bins.fiber + s;
    const RowBins reach = bins_of_rows(rows, fiber, pixels.y, pixels.nrows);
    const int x0 = max(reach.x0, pixels.x), x1 = min(reach.x1, pixels.x + pixels.ncolumns);
    if (x0 >= x1) continue;
    const size_t corner = static_cast<size_t>(fiber) * spots.nwave + bins.bin;
    const size_t spot = static_cast<size_t>(spots.row_of(fiber)) * spots.nwave + bins.bin;
    const int end = min(reach.last - bins.bin, bins.w_end);
    for (int first = max(reach.first - bins.bin, bins.w_begin); first < end; first += warp_size) {
      const int count = min(end - first, warp_size);
      __syncwarp();
      if (const int w = first + lane; lane < count)
        model.terms[lane] = {flux(s, w), spots.xc[corner + w], pixels.y - spots.yc[corner + w]};
      __syncwarp();
      const double* values = spots.value + (spot + first) * spot_size;
      for (int column = x0 + lane; column < x1; column += warp_size) {
        double m[model_rows] = {};
#pragma unroll 2
        for (int k = 0; k < count; ++k) {
          const ModelTerm term = model.terms[k];
          const int dx = column - term.xc;
          const bool inside = dx >= 0 && dx < spots.nx;
          const double* value = values + k * spot_size + term.dy * spots.nx + dx;
#pragma unroll
          for (int r = 0; r < model_rows; ++r) {
            const int dy = term.dy + r;
            if (inside && dy >= 0 && dy < spots.ny) m[r] += value[r * spots.nx] * term.f;
          }
        }
#pragma unroll
        for (int r = 0; r < model_rows; ++r) model.m[r][column - pixels.x] += m[r];
      }
    }
  }
  __syncwarp();
}

}  // namespace spex::gpu
