// Reads PSFs of specter's kinds SPOTGRID, MONOSPOT and PCA-PIX (extraction.md, section 2.2).
#pragma once

#include "reference/fits/read/fits_file.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// The PSF of a file with the HDUs XCOEFF and YCOEFF, whose first header has PSFTYPE, NPIX_X,
/// NPIX_Y and NSPEC. SPOTGRID: HDUs SPOTS, FIBERPOS, SPOTPOS and SPOTWAVE. MONOSPOT: HDU SPOT.
/// PCA-PIX: HDUs 4 to 6, by their numbers. Throws Error(data) naming the file, the HDU, what is
/// wrong and what was expected.
[[nodiscard]] Psf read_psf_images(FitsReader& file);

}  // namespace spex
