// A PSF like those of DESI's spectrographs, made of a few smooth functions.
#pragma once

#include "reference/model/camera.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// The PSF of all 500 fibers of a camera. Gauss-Hermite degree 6, spots of 17 x 11 pixels, widths
/// of about 1.1 pixels; fibers 7.3 pixels apart, bundles of 25 with gaps of 20; one wavelength bows
/// by 100 rows over the fibers. b: 3510-5998 A on 4096 x 4096 pixels, r: 5543-7826 A and z:
/// 7357-9987 A on 4114 columns x 4128 rows. Differs a little from spectrograph to spectrograph; the
/// same for a camera always.
[[nodiscard]] Psf make_desi_psf(const Camera& camera);

}  // namespace spex
