// Synthetic PSFs similar to those of DESI's spectrographs, built from smooth functions.
#pragma once

#include "reference/model/camera.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// The PSF of all 500 fibers of a camera. Gauss-Hermite degree 6, spots of 17 x 11 pixels, widths
/// of about 1.1 pixels; fibers are 7.3 pixels apart, with gaps of 20 pixels between bundles of 25;
/// lines of constant wavelength bow by 100 rows over the fibers. b: 3510-5998 A on 4096 x 4096
/// pixels, r: 5543-7826 A and z: 7357-9987 A on 4114 columns x 4128 rows. Deterministic per camera,
/// with small differences between spectrographs.
[[nodiscard]] Psf make_desi_psf(const Camera& camera);

}  // namespace spex
