// Emission lines of the night sky.
#pragma once

#include <span>

namespace spex {

/// An emission line of the night sky.
struct SkyLine {
  double wavelength;  ///< Angstrom, in air, to about 0.1
  double strength;    ///< electrons in one fiber in 900 s, through a perfect spectrograph
};

/// By wavelength, 3500 to 10000 Angstrom. The places are those of the brighter oxygen, sodium,
/// mercury and hydroxyl lines; the strengths are of the right order, not a measurement.
[[nodiscard]] std::span<const SkyLine> sky_lines();

}  // namespace spex
