// A grid that meets no light is a mistake of the command line.
#pragma once

#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/psf.hpp"

namespace spex {

/// Throws Error(usage) where no bin of the grid has its spot's centre within reach of the CCD for
/// any fiber of the patches: the grid lies wholly off the CCD.
void check_coverage(const Psf& psf, const WaveGrid& grid, const std::vector<Patch>& patches);

}  // namespace spex
