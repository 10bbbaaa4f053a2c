// Checks that the wavelength grid falls on the CCD.
#pragma once

#include <string>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// Throws Error(usage) if no spot of the patches' fibers and the grid's bins is within reach of the
/// CCD. Throws Error(data) with `psf_file` instead if the PSF states that its traces cover the
/// grid.
void check_coverage(const Psf& psf, const WaveGrid& grid, const std::vector<Patch>& patches,
                    const std::string& psf_file);

}  // namespace spex
