// How many ranks of a node use the same device.
#pragma once

#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// The largest number of ranks of `node`, this one included, that use one of the devices `mine`; 1
/// if there are none. Devices have names that differ on a node, such as PCI addresses. Collective
/// over `node`.
[[nodiscard]] int ranks_sharing(const std::vector<std::string>& mine, const Communicator& node);

}  // namespace spex::mpi
