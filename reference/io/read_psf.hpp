// Reads a PSF file (extraction.md, section 1).
#pragma once

#include <string>

#include "reference/model/psf.hpp"

namespace spex {

class FitsReader;

/// Reads `psf-CAMERA-EXPID.fits` (plain or .gz). HDU 0 is XTRACE; YTRACE and PSF by name.
/// Throws Error(data) naming the file, what is wrong and what was expected: missing or truncated
/// file, missing HDU, keyword or parameter row, shapes that disagree, non-finite coefficients,
/// sizes or degrees out of range, WAVEMAX <= WAVEMIN.
[[nodiscard]] Psf read_psf(const std::string& path);
/// The same for an open file.
[[nodiscard]] Psf read_psf(FitsReader& file);

}  // namespace spex
