// Writes the PSF of a simulated camera.
#pragma once

#include <string>
#include <vector>

#include "reference/fits/write/fits_write.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// The shift of an exposure's spots from those of the camera's PSF, pixels.
struct SpotShift {
  double x = 0;  ///< columns
  double y = 0;  ///< rows
};

/// Writes `psf-CAMERA-EXPID.fits` with the PSF in full precision and `keywords` in the primary
/// header, in the form of DESI's: HDUs XTRACE, YTRACE and PSF as specex fits them, INTOFF and
/// EXTOFF as desispec adds them for an exposure. Equal content gives identical bytes. Throws
/// Error(data).
void write_psf(const std::string& path, const Psf& psf, const std::string& camera,
               const SpotShift& shift, const std::vector<HeaderKeyword>& keywords);

}  // namespace spex
