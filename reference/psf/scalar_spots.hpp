// Straightforward evaluation of spots for the milestone `scalar` (docs/milestones.md).
#pragma once

#include <vector>

#include "reference/model/psf.hpp"
#include "reference/psf/spots.hpp"

namespace spex {

/// Like evaluate_spots, but one spot at a time: each parameter evaluates its own Legendre
/// polynomials, and nothing is cached between parameters, spots or fibers. Spots of other kinds
/// than GAUSS-HERMITE are those of evaluate_spots. Throws as evaluate_spots does.
[[nodiscard]] Spots evaluate_spots_one_by_one(const Psf& psf, int fiber, int nspec,
                                              const std::vector<double>& wave);

}  // namespace spex
