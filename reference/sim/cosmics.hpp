// Cosmic rays.
#pragma once

#include <vector>

#include "reference/sim/exposure_key.hpp"

namespace spex {

/// How many cosmic rays there are, and how many of them are found.
struct CosmicOptions {
  double factor = 1;    ///< tracks, relative to one in 8000 pixels: those of an exposure of 900 s
  double unmasked = 0;  ///< fraction of the tracks that MASK misses, 0 to 1
};

/// A pixel that a cosmic ray hits.
struct CosmicPixel {
  int x = 0;            ///< column
  int y = 0;            ///< row
  float electrons = 0;  ///< that the ray adds
  bool masked = true;   ///< whether MASK has COSMIC there, from this or another track
};

/// The pixels of all tracks on a CCD of nx x ny pixels, in the order of the tracks; a pixel may
/// occur several times. With a larger `factor` further tracks follow; with a larger `unmasked`
/// further tracks are unmasked.
[[nodiscard]] std::vector<CosmicPixel> make_cosmics(int nx, int ny, const ExposureKey& key,
                                                    const CosmicOptions& options);

}  // namespace spex
