// The detector: noise, cosmic rays, defects.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/sim/cosmics.hpp"
#include "reference/sim/exposure_key.hpp"

namespace spex {

/// The electrons that determine a pixel's variance.
enum class IvarOf {
  expected,  ///< expected electrons, as DESI's preprocessing models them: unbiased
  observed,  ///< observed electrons: biases faint spectra low
};

/// A CCD image, as stored in a preproc file; rows first, `[y * nx + x]`.
struct CcdImage {
  int nx = 0;                      ///< columns
  int ny = 0;                      ///< rows
  std::vector<float> image;        ///< electron
  std::vector<float> ivar;         ///< electron^-2
  std::vector<std::int16_t> mask;  ///< bits of mask_bits.hpp
  std::vector<float> read_noise;   ///< electron
};

/// The electrons that a CCD is expected to collect.
struct ExpectedImage {
  int nx = 0;                     ///< columns
  int ny = 0;                     ///< rows
  std::vector<double> electrons;  ///< `[ny][nx]`
};

/// Simulates the exposure of `expected`: Poisson noise, read noise,
/// `cosmics` (MASK COSMIC unless unmasked), bad columns and blocks (MASK BAD, DEAD etc., filled
/// with garbage). ivar = 1 / (read_noise^2 + electrons) with the electrons of `expected` or of
/// max(image, 0); with those of the image wherever a cosmic ray hits, as DESI's preprocessing takes
/// them for outliers. The result does not depend on the number of threads.
[[nodiscard]] CcdImage expose(const ExpectedImage& expected, const ExposureKey& key,
                              const std::vector<CosmicPixel>& cosmics, IvarOf ivar, int threads);

}  // namespace spex
