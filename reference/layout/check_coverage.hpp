// A grid that meets no light is a mistake of the command line, or of the PSF.
#pragma once

#include <string>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// Throws Error(usage) where no bin of the grid has its spot's centre within reach of the CCD for
/// any fiber of the patches: the grid lies wholly off the CCD. Error(data) of `psf_file` where the
/// PSF's traces are said to be of that grid.
void check_coverage(const Psf& psf, const WaveGrid& grid, const std::vector<Patch>& patches,
                    const std::string& psf_file);

}  // namespace spex
