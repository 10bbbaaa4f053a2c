// Spots on the GPU (extraction.md, section 2); the counterpart of reference/psf/spots.hpp.
#pragma once

#include "gpu/core/buffer.hpp"
#include "gpu/psf/device_psf.hpp"
#include "reference/core/host_device.hpp"
#include "reference/layout/wavelengths.hpp"

namespace spex::gpu {

/// Bins [first, first + nwave) of `grid`, the padded grid of the spots.
struct WaveBins {
  WaveGrid grid;
  int first = 0;
  int nwave = 0;
};

/// Bins of the fibers [fiber, fiber + nspec) of a PSF.
struct FiberBins {
  int fiber = 0;
  int nspec = 0;
  WaveBins bins;
};

/// The rims of a spot: norms of its outermost 1 to rim_columns columns, from the left, then from
/// the right, rounded up.
inline constexpr int rim_columns = 4;
inline constexpr int rims_of_spot = 2 * rim_columns;  ///< numbers

/// Spots of some of the fibers that have corners. For fiber s and bin w, the corner is at `xc[s *
/// nwave + w]`; the spot, as in the reference's Spots, is at `value[((row_of(s) * nwave + w) * ny +
/// y) * nx + x]`, and its rims begin at `rims[(row_of(s) * nwave + w) * rims_of_spot]`.
struct SpotsView {
  int first_spec = 0;  ///< spots exist for fibers [first_spec, first_spec + nspec)
  int nspec = 0;
  int nwave = 0;
  int nx = 0;
  int ny = 0;
  const double* value = nullptr;
  const int* xc = nullptr;
  const int* yc = nullptr;
  /// The row of each fiber's spots if the fibers are not consecutive; -1 for fibers without spots.
  const int* row = nullptr;
  const float* rims = nullptr;  ///< nullptr if they were not requested

  [[nodiscard]] SPEX_HD int row_of(int s) const { return row == nullptr ? s - first_spec : row[s]; }
  /// The same spots, in which bin `count` is bin 0. The last `count` bins of a fiber are then the
  /// first ones of the next.
  [[nodiscard]] SpotsView without(int count) const {
    SpotsView view = *this;
    view.value += static_cast<size_t>(count) * nx * ny;
    view.xc += count;
    view.yc += count;
    if (view.rims != nullptr) view.rims += static_cast<size_t>(count) * rims_of_spot;
    return view;
  }
};

/// Lower-left pixels of the spots of FiberBins, `[s * nwave + w]`.
struct SpotCorners {
  int nspec = 0;
  int nwave = 0;
  int nx = 0, ny = 0;  ///< pixels of a spot
  DeviceBuffer<int> xc, yc;

  /// The spots without their values.
  [[nodiscard]] SpotsView view() const {
    return {0, nspec, nwave, nx, ny, nullptr, xc.get(), yc.get()};
  }
};

/// Computes the corners of all spots, bit-identical to the reference: dark_corner for a bin without
/// light. If `bad` is not null, sets `*bad` to 1 + s nwave + w of a broken spot (extraction.md,
/// section 2.1).
void evaluate_corners(const DevicePsf& psf, const FiberBins& of, SpotCorners& corners, int* bad,
                      cudaStream_t stream);

/// Computes the spots of some fibers into `value`, which must hold nspec * nwave * ny * nx numbers,
/// and their rims into `rims` unless it is null. What is at bins without light
/// is undefined; no kernel reads it. A faster kernel handles spots without tails of up to 32
/// columns, 12 rows and 8 Gauss-Hermite terms along x if a fiber's coefficients fit in shared
/// memory; both kernels give the same bits.
void evaluate_spots(const DevicePsf& psf, const FiberBins& of, double* value, float* rims,
                    cudaStream_t stream);

}  // namespace spex::gpu
