// Moves the spots of a PSF on the CCD.
#pragma once

#include "reference/model/psf.hpp"

namespace spex {

/// Moves all spots by (dx, dy) pixels, without a change of their shapes.
void move_spots(Psf& psf, double dx, double dy);

}  // namespace spex
