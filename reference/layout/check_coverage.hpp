// Checks that the wavelength grid falls on the CCD, at wavelengths at which the PSF means
// something.
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

/// Throws Error(data) with `psf_file` if a spot of the patches is broken (extraction.md, section
/// 2.1), naming the wavelength of the bin in `stated`, the grid as requested; for a padding bin
/// also that of the nearest requested bin. `beyond`: as many more fibers on both sides are checked.
void check_spots(const Psf& psf, const WaveGrid& grid, const WaveGrid& stated,
                 const std::vector<Patch>& patches, int beyond, const std::string& psf_file);

}  // namespace spex
