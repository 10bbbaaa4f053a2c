// What identifies the random numbers of an exposure.
#pragma once

#include <cstdint>

#include "reference/model/camera.hpp"
#include "reference/sim/random.hpp"

namespace spex {

/// Identifies an exposure for the random streams of its noise.
struct ExposureKey {
  std::uint64_t seed = 0;   ///< seed of the simulation
  std::uint64_t expid = 0;  ///< exposure number
  Camera camera;            ///< camera of the image

  /// Stream `number` of a purpose, of this exposure alone.
  [[nodiscard]] Random stream(Stream purpose, std::uint64_t number) const {
    return {purpose, {seed, expid, key_of(camera.name()), number}};
  }
};

}  // namespace spex
