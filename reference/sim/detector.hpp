// The detector: noise, cosmic rays, defects.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/camera.hpp"

namespace spex {

/// The electrons that determine a pixel's variance.
enum class IvarOf {
  expected,  ///< expected electrons, as DESI's preprocessing models them: unbiased
  observed,  ///< observed electrons: biases faint spectra low
};

inline constexpr double read_noise = 3;  ///< electron

/// A CCD image, as stored in a preproc file; rows first, `[y * nx + x]`.
struct CcdImage {
  int nx = 0;                      ///< columns
  int ny = 0;                      ///< rows
  std::vector<float> image;        ///< electron
  std::vector<float> ivar;         ///< electron^-2
  std::vector<std::int32_t> mask;  ///< bits of mask_bits.hpp
};

/// Identifies an exposure for the random streams of its noise.
struct ExposureKey {
  std::uint64_t seed = 0;   ///< seed of the simulation
  std::uint64_t expid = 0;  ///< exposure number
  Camera camera;            ///< camera of the image
};

/// Simulates the exposure of `expected` (electron, `[ny][nx]`): Poisson noise, read noise, cosmic
/// rays (MASK COSMIC, about one track in 8000 pixels), bad columns and blocks (MASK BAD, DEAD etc.,
/// filled with garbage). ivar = 1 / (read_noise^2 + electrons) with the electrons of `expected` or
/// of max(image, 0). The result does not depend on the number of threads.
[[nodiscard]] CcdImage expose(const std::vector<double>& expected, int nx, int ny,
                              const ExposureKey& key, IvarOf ivar, int threads);

}  // namespace spex
