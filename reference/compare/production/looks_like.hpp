// Names likely causes of differences that are not expected.
#pragma once

#include <string>
#include <vector>

#include "reference/compare/production/bin_states.hpp"
#include "reference/compare/production/difference.hpp"

namespace spex {

/// One line for each cause that reproduces production's values from ours to 1% of their difference:
/// spectra of another fiber, flux or ivar times a constant, a shift of the wavelengths, a
/// transposed R. Looks only at fibers with differences that are not expected. A hint for people, no
/// verdict.
[[nodiscard]] std::vector<std::string> looks_like(const PipelinePair& pair, const BinStates& states,
                                                  const std::vector<Difference>& differences);

}  // namespace spex
