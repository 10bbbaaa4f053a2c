// Smaller CCDs cut out of a camera's: fewer fibers, the rows and columns that they need.
#pragma once

#include <string>

#include "reference/model/options.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// How much of a camera is simulated.
enum class SimSize {
  full,    ///< all fibers, the whole CCD
  bundle,  ///< the first 25 fibers, all rows, the columns that they reach
  tiny,    ///< the first 25 fibers, 300 rows from the first wavelength of the camera's grid on
};

/// As on the command line.
[[nodiscard]] std::string to_string(SimSize size);

/// Where the PSF is defined: the wavelengths that its traces and parameters share, Angstrom.
struct WaveInterval {
  double wavemin = 0;  ///< Angstrom
  double wavemax = 0;  ///< Angstrom
};
/// The range of `psf`.
[[nodiscard]] WaveInterval defined_range(const Psf& psf);

/// The PSF of the smaller CCD: traces shifted to its pixel (0, 0), NPIX_X and NPIX_Y its size. For
/// tiny also WAVEMIN and WAVEMAX are narrowed to the wavelengths whose spots reach it, and all
/// polynomials written anew on them. `grid` is the camera's own. `name` is what errors call the
/// PSF. Throws Error(data) where tiny finds no row of the grid's first wavelength on the CCD.
[[nodiscard]] Psf cut_psf(const Psf& psf, SimSize size, const WaveRange& grid,
                          const std::string& name);

}  // namespace spex
