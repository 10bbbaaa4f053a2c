// Groups of ranks that work on a frame together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// The node of each rank of `world`, numbered from 0 by first appearance. Collective.
[[nodiscard]] std::vector<int> nodes_of_ranks(const Communicator& world);

/// The device of each rank of `comm`, numbered from 0 by first appearance. `device` names this
/// rank's device on its node; ranks of a node with the same name share it. Collective.
[[nodiscard]] std::vector<int> devices_of_ranks(const Communicator& comm,
                                                const std::string& device);

/// The group of each rank: whole nodes if there are at most as many groups as nodes, else equal
/// ranges of ranks in node order. `groups` defaults to the number of nodes. Throws Error(usage)
/// unless it is in 1 ... number of ranks.
[[nodiscard]] std::vector<int> assign_groups(const std::vector<int>& node_of_rank,
                                             std::optional<int> groups);

}  // namespace spex::mpi
