// Reads a PSF file (extraction.md, section 1).
#pragma once

#include <string>

#include "reference/model/psf.hpp"

namespace spex {

class FitsReader;

/// Reads `psf-CAMERA-EXPID.fits` (plain, .gz or tile-compressed). HDUs are found by name, in any
/// order; a first HDU without a name is XTRACE if no HDU has that name. A file of version 1 or 2 is
/// one table without a name, with rows X and Y. Throws Error(data) naming
/// the file, what is wrong and what was expected: missing or truncated file, missing HDU, keyword
/// or parameter row, PSF of another kind, shapes that disagree, non-finite coefficients, sizes or
/// degrees out of range, WAVEMAX <= WAVEMIN; a wrong checksum, unless `checksums` is false.
[[nodiscard]] Psf read_psf(const std::string& path, bool checksums = true);
/// The same for an open file.
[[nodiscard]] Psf read_psf(FitsReader& file);

}  // namespace spex
