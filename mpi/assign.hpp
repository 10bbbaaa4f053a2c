// Which rank extracts which patch.
#pragma once

#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/options.hpp"

namespace spex::mpi {

/// The rank of each patch, [patches.size()], never descending; ranks beyond the work have none.
///
/// baseline spreads patches. cpu-refactor spreads bundles, so that a bundle's spots are evaluated
/// once; where there are more ranks than bundles, subbundles.
[[nodiscard]] std::vector<int> assign_patches(const std::vector<Patch>& patches, int nranks,
                                              CpuMilestone milestone);

}  // namespace spex::mpi
