// The read noise of the pixels of a CCD.
#pragma once

#include <array>
#include <vector>

#include "reference/sim/exposure_key.hpp"

namespace spex {

/// The amplifier of a quarter of the CCD.
struct Amplifier {
  char name;     ///< as in DESI's keywords: A and B read the lower rows, A and C the left columns
  double noise;  ///< read noise, electron
};
/// DESI's amplifiers, with noises of its size.
inline constexpr std::array<Amplifier, 4> amplifiers{
    {{'A', 2.9}, {'B', 3.1}, {'C', 3.05}, {'D', 3.25}}};

/// A rectangle of pixels of a CCD.
struct CcdSection {
  int x0;  ///< first column
  int x1;  ///< column after the last
  int y0;  ///< first row
  int y1;  ///< row after the last
};
/// The quarter that number `amplifier` of `amplifiers` reads.
[[nodiscard]] CcdSection section_of(int amplifier, int nx, int ny);

/// Read noise of each pixel, electron, `[y * nx + x]`: that of its amplifier over a pixel flat,
/// which has a spread of 1% and belongs to seed and camera.
[[nodiscard]] std::vector<float> make_read_noise(int nx, int ny, const ExposureKey& key,
                                                 int threads);

}  // namespace spex
