// What a CCD makes of the light: noise, cosmic rays, defects.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/camera.hpp"

namespace spex {

/// Which electrons the variance of a pixel is computed from.
enum class IvarOf {
  expected,  ///< the expected ones, as DESI's preprocessing models them: unbiased
  observed,  ///< the noisy ones: faint spectra come out too low
};

inline constexpr double read_noise = 3;  ///< electron

/// A CCD image as a preproc file holds it; rows first, `[y * nx + x]`.
struct CcdImage {
  int nx = 0;                      ///< columns
  int ny = 0;                      ///< rows
  std::vector<float> image;        ///< electron
  std::vector<float> ivar;         ///< electron^-2
  std::vector<std::int32_t> mask;  ///< bits of mask_bits.hpp
};

/// What tells the noise of one image from that of another.
struct ExposureKey {
  std::uint64_t seed = 0;   ///< of the simulation
  std::uint64_t expid = 0;  ///< number of the exposure
  Camera camera;            ///< of the image
};

/// Poisson noise of `expected` (electron, `[ny][nx]`), read noise, then cosmic rays (MASK COSMIC,
/// about one track in 8000 pixels), bad columns and blocks (MASK BAD, DEAD and others, their pixels
/// garbage). ivar = 1 / (read_noise^2 + electrons), of `expected` or of max(image, 0). The same for
/// any number of threads.
[[nodiscard]] CcdImage expose(const std::vector<double>& expected, int nx, int ny,
                              const ExposureKey& key, IvarOf ivar, int threads);

}  // namespace spex
