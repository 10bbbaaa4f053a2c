// Cuts a smaller CCD out of a camera's: fewer fibers and only the rows and columns that they need.
#pragma once

#include <string>

#include "reference/model/psf.hpp"
#include "reference/model/wave_range.hpp"

namespace spex {

/// The simulated part of a camera.
enum class SimSize {
  full,    ///< all fibers, the whole CCD
  bundle,  ///< the first 25 fibers, all rows, the columns of these fibers
  tiny,    ///< the first 25 fibers, 300 rows from the first wavelength of the camera's grid
};

/// The name on the command line.
[[nodiscard]] std::string to_string(SimSize size);

/// The wavelength range of the PSF's traces and parameters, Angstrom.
struct WaveInterval {
  double wavemin = 0;  ///< Angstrom
  double wavemax = 0;  ///< Angstrom
};
/// The range of `psf`.
[[nodiscard]] WaveInterval defined_range(const Psf& psf);

/// The PSF of the smaller CCD: traces are shifted to its pixel (0, 0), and NPIX_X and NPIX_Y are
/// its size. For `tiny`, WAVEMIN and WAVEMAX are narrowed to the wavelengths whose spots reach the
/// CCD, and all polynomials are re-expressed on this range. `grid` is the camera's. `name` is the
/// PSF's name in errors. Throws Error(data) if `tiny` finds the grid's first wavelength outside of
/// the CCD.
[[nodiscard]] Psf cut_psf(const Psf& psf, SimSize size, const WaveRange& grid,
                          const std::string& name);

}  // namespace spex
