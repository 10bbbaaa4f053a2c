// Spots on the GPU (extraction.md, section 2); the counterpart of reference/psf/spots.hpp.
#pragma once

#include "gpu/core/buffer.hpp"
#include "reference/core/host_device.hpp"
#include "reference/layout/wavelengths.hpp"
#include "reference/model/psf.hpp"

namespace spex::gpu {

/// A Trace whose coefficients are in device memory.
struct TraceView {
  double wavemin = 0;
  double wavemax = 0;
  int ncoeff = 0;
  const double* coeff = nullptr;
};

/// What kernels need of a Psf, its coefficients in device memory.
struct PsfView {
  int nfiber = 0;
  int hsizex = 0, hsizey = 0;
  int ghdegx = 0, ghdegy = 0;
  TraceView xtrace, ytrace;
  double wavemin = 0, wavemax = 0;
  int ncoeff = 0;
  const double* param = nullptr;

  [[nodiscard]] SPEX_HD int nx() const { return 2 * hsizex + 1; }
  [[nodiscard]] SPEX_HD int ny() const { return 2 * hsizey + 1; }
  [[nodiscard]] SPEX_HD int nparam() const { return 2 + (ghdegx + 1) * (ghdegy + 1); }
};

/// A camera's PSF in device memory.
struct DevicePsf {
  DeviceBuffer<double> param, xtrace, ytrace;
  PsfView view;  ///< of the last PSF that was uploaded
};
/// Uploads on `stream`; the vectors of `psf` must live until that is done.
void upload(const Psf& psf, DevicePsf& device, cudaStream_t stream);

/// Bins of the padded grid for which spots are made: [first, first + nwave) of `grid`.
struct WaveBins {
  WaveGrid grid;
  int first = 0;
  int nwave = 0;
};

/// Lower-left pixels of all spots of fibers [fiber, fiber + nspec), `[s * nwave + w]`.
struct SpotCorners {
  int nspec = 0;
  int nwave = 0;
  DeviceBuffer<int> xc, yc;
};

/// Spots of some fibers among those that have corners. Fiber s and bin w: its corner is at
/// `xc[s * nwave + w]`, its spot, as in Spots of the reference, at
/// `value[((row_of(s) * nwave + w) * ny + y) * nx + x]`.
struct SpotsView {
  int first_spec = 0;  ///< spots are held of fibers [first_spec, first_spec + nspec)
  int nspec = 0;
  int nwave = 0;
  int nx = 0;
  int ny = 0;
  const double* value = nullptr;
  const int* xc = nullptr;
  const int* yc = nullptr;
  /// Where the spots of each fiber that has corners stand, if they are not of fibers that follow
  /// each other; -1 for fibers without spots.
  const int* row = nullptr;

  [[nodiscard]] SPEX_HD int row_of(int s) const { return row == nullptr ? s - first_spec : row[s]; }
};

/// Evaluates the corners of all spots, bit by bit as the reference does. `*bad`, where not null,
/// gains 1 + s nwave + w of some spot whose centre is not on any conceivable CCD or whose widths
/// are not positive.
void evaluate_corners(const DevicePsf& psf, int fiber, int nspec, const WaveBins& bins,
                      SpotCorners& corners, int* bad, cudaStream_t stream);

/// Evaluates the spots of fibers [fiber, fiber + nspec) into `value`, which has room for
/// nspec * nwave * ny * nx numbers. Spots of up to 32 columns, 12 rows and 8 Gauss-Hermite terms
/// along x, where a block's shared memory holds the coefficients of a fiber, go a faster way than
/// others, which never shows in a value.
void evaluate_spots(const DevicePsf& psf, int fiber, int nspec, const WaveBins& bins, double* value,
                    cudaStream_t stream);

}  // namespace spex::gpu
