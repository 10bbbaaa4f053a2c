// Which ranks work on a frame together.
#pragma once

#include <optional>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// The node of each rank of `world`, numbered from 0 by first appearance. Collective.
[[nodiscard]] std::vector<int> nodes_of_ranks(const Communicator& world);

/// The group of each rank: whole nodes where there are at most as many groups as nodes, else even
/// runs of the ranks in the order of their nodes. `groups` is the number of nodes where absent.
/// Throws Error(usage) where it is not in 1 ... number of ranks.
[[nodiscard]] std::vector<int> assign_groups(const std::vector<int>& node_of_rank,
                                             std::optional<int> groups);

}  // namespace spex::mpi
