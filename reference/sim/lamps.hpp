// The lamps of calibration exposures.
#pragma once

#include <span>

#include "reference/sim/sky_lines.hpp"

namespace spex {

/// The continuum lamps of a flat: electron / Angstrom in 900 s, through a perfect spectrograph.
[[nodiscard]] double flat_lamp(double lambda);

/// Lines of the arc lamps, mercury, cadmium, neon, argon and krypton, by wavelength, in vacuum to
/// about 0.1 Angstrom; strengths of the right order, not a measurement.
[[nodiscard]] std::span<const SkyLine> arc_lines();

}  // namespace spex
