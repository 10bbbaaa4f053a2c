// The lamps of calibration exposures.
#pragma once

#include <span>

#include "reference/sim/sky_lines.hpp"

namespace spex {

/// The continuum lamps of a flat: electron / Angstrom in 900 s for a throughput of 1.
[[nodiscard]] double flat_lamp(double lambda);

/// Lines of the arc lamps mercury, cadmium, neon, argon and krypton, sorted by wavelength (vacuum,
/// to about 0.1 Angstrom). Strengths are of the right order of magnitude only.
[[nodiscard]] std::span<const SkyLine> arc_lines();

}  // namespace spex
