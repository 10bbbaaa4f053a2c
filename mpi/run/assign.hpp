// Assignment of patches to ranks.
#pragma once

#include <optional>
#include <vector>

#include "reference/layout/patches.hpp"
#include "reference/model/choices.hpp"

namespace spex::mpi {

/// The rank of each patch, [patches.size()]; surplus ranks get no patches. `device_of_rank` numbers
/// the devices from 0, [nranks]; empty: the ranks share one.
///
/// WorkUnit::bundle distributes bundles, so that each bundle's spots are evaluated once; if there
/// are more ranks than bundles, it distributes subbundles. Ranks are then in ascending order. If
/// they cannot have equally many, those with one more are those that balance the devices.
///
/// WorkUnit::patch deals bundles to devices in turn, and a bundle's patches in turn to the ranks of
/// its device, so that these ranks share every bundle; if there are fewer bundles than devices, to
/// all ranks.
///
/// `ranks_per_bundle` forms teams of that many ranks: bundles are distributed over teams, and a
/// bundle's subbundles over the ranks of its team. Ranks outside of a complete team get no patches.
/// Throws Error(usage) if there are fewer ranks or subbundles than `ranks_per_bundle`.
[[nodiscard]] std::vector<int> assign_patches(const std::vector<Patch>& patches, int nranks,
                                              WorkUnit work,
                                              std::optional<int> ranks_per_bundle = {},
                                              const std::vector<int>& device_of_rank = {});

}  // namespace spex::mpi
