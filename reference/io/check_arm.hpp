// Whether a PSF is that of a camera's arm.
#pragma once

#include <string>

#include "reference/model/psf.hpp"

namespace spex {

/// Throws Error(data) `file: ...` if the PSF of `file` is that of another arm than `camera`'s. A
/// PSF of another spectrograph is allowed, and names that are not those of DESI's cameras are
/// ignored.
void check_arm(const Psf& psf, const std::string& camera, const std::string& file);

}  // namespace spex
