// Which rank extracts which patch.
#pragma once

#include <optional>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/options.hpp"

namespace spex::mpi {

/// The rank of each patch, [patches.size()]; ranks beyond the work have none.
///
/// baseline spreads patches. cpu-refactor spreads bundles, so that a bundle's spots are evaluated
/// once; where there are more ranks than bundles, subbundles. Ranks never descend then.
///
/// `ranks_per_bundle`, where given, forms teams of that many ranks: bundles go to teams, and a
/// bundle's subbundles are spread over the ranks of its team. Ranks that do not fill a team have no
/// work. Throws Error(usage) where there are fewer ranks than that, or fewer subbundles.
[[nodiscard]] std::vector<int> assign_patches(const std::vector<Patch>& patches, int nranks,
                                              Milestone milestone,
                                              std::optional<int> ranks_per_bundle = {});

}  // namespace spex::mpi
