// Emission lines of the night sky.
#pragma once

#include <span>

namespace spex {

/// An emission line of the night sky.
struct SkyLine {
  double wavelength;  ///< Angstrom in air, to about 0.1
  double strength;    ///< electrons per fiber in 900 s for a throughput of 1
};

/// Lines sorted by wavelength, 3500 to 10000 Angstrom: the brighter oxygen, sodium, mercury and
/// hydroxyl lines. Strengths are of the right order of magnitude only.
[[nodiscard]] std::span<const SkyLine> sky_lines();

}  // namespace spex
