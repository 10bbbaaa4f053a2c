// A camera's PSF in device memory.
#pragma once

#include <vector>

#include "gpu/core/buffer.hpp"
#include "reference/core/host_device.hpp"
#include "reference/model/psf.hpp"
#include "reference/psf/spot_state.hpp"

namespace spex::gpu {

/// A Trace with coefficients in device memory.
struct TraceView {
  double wavemin = 0;
  double wavemax = 0;
  int ncoeff = 0;
  const double* coeff = nullptr;
};

/// The parts of a Psf that kernels need, with coefficients in device memory.
struct PsfView {
  int nfiber = 0;
  int hsizex = 0, hsizey = 0;
  int ghdegx = 0, ghdegy = 0;
  TraceView xtrace, ytrace;
  double wavemin = 0, wavemax = 0;
  int ncoeff = 0;
  const double* param = nullptr;
  const double* tail = nullptr;  ///< Psf::tail; nullptr if spots have no tails
  SpotLimits limits;
  const LightRange* light = nullptr;  ///< per fiber

  [[nodiscard]] SPEX_HD int nx() const { return 2 * hsizex + 1; }
  [[nodiscard]] SPEX_HD int ny() const { return 2 * hsizey + 1; }
  [[nodiscard]] SPEX_HD int nparam() const { return 2 + (ghdegx + 1) * (ghdegy + 1); }
};

/// A camera's PSF in device memory.
struct DevicePsf {
  DeviceBuffer<double> param, tail, xtrace, ytrace;
  DeviceBuffer<LightRange> light;
  std::vector<LightRange> light_ranges;  ///< those of `light`, from which they are uploaded
  PsfView view;                          ///< view of the last uploaded PSF
};
/// Uploads on `stream`, for bins from `from` to `to` (Angstrom); the vectors of `psf` must live,
/// and `device` stay where it is, until the upload is done.
void upload(const Psf& psf, double from, double to, DevicePsf& device, cudaStream_t stream);

}  // namespace spex::gpu
