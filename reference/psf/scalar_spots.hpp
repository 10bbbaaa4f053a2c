// Spots as a first program would evaluate them, for the rung `scalar` (docs/milestones.md).
#pragma once

#include <vector>

#include "reference/model/psf.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

/// As evaluate_spots, one spot after the other: each parameter sums its own Legendre polynomials,
/// and nothing is kept from one parameter, spot or fiber to the next. Throws as evaluate_spots.
[[nodiscard]] Spots evaluate_spots_one_by_one(const Psf& psf, int fiber, int nspec,
                                              const std::vector<double>& wave);

}  // namespace spex
