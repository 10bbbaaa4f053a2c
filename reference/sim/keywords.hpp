// Header keywords of simulated files.
#pragma once

#include <vector>

#include "reference/fits/write/fits_write.hpp"
#include "reference/sim/sim_options.hpp"

namespace spex {

/// Program, version and seed of the simulation; no seed in a benchmark's inputs.
[[nodiscard]] std::vector<HeaderKeyword> origin_keywords(const SimOptions& options);

/// The IMAGE header of exposure number `index`, whose CCD has nx x ny pixels.
[[nodiscard]] std::vector<HeaderKeyword> image_keywords(const SimOptions& options,
                                                        const Camera& camera, int index, int nx,
                                                        int ny);

}  // namespace spex
