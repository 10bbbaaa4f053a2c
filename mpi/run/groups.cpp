#include "mpi/run/groups.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/check.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {

std::vector<int> nodes_of_ranks(const Communicator& world) {
  int first = world.rank();  // the lowest rank identifies the node
  broadcast(world.node(), first);
  std::vector<int> firsts(world.size());
  SPEX_MPI_CHECK(MPI_Allgather(&first, 1, MPI_INT, firsts.data(), 1, MPI_INT, world.get()));
  std::vector<int> nodes;
  std::vector<int> known;
  for (const int node : firsts) {
    const auto found = std::find(known.begin(), known.end(), node);
    nodes.push_back(static_cast<int>(found - known.begin()));
    if (found == known.end()) known.push_back(node);
  }
  return nodes;
}

std::vector<int> devices_of_ranks(const Communicator& comm, const std::string& device) {
  const std::vector<int> node_of_rank = nodes_of_ranks(comm);
  std::map<std::pair<int, std::string>, int> known;
  std::vector<int> devices;
  for (int rank = 0; rank < comm.size(); ++rank) {
    std::string name = device;
    broadcast(comm, name, rank);
    const int next = static_cast<int>(known.size());
    devices.push_back(known.try_emplace({node_of_rank[rank], name}, next).first->second);
  }
  return devices;
}

std::vector<int> assign_groups(const std::vector<int>& node_of_rank, std::optional<int> groups) {
  const int nranks = static_cast<int>(node_of_rank.size());
  const int nodes = *std::max_element(node_of_rank.begin(), node_of_rank.end()) + 1;
  const int count = groups.value_or(nodes);
  if (count < 1 || count > nranks)
    throw usage_error("--groups", std::to_string(count),
                      fmt::format("1 to the number of ranks, {}", nranks));
  std::vector<int> group(node_of_rank.size());
  if (count <= nodes) {
    for (std::size_t rank = 0; rank < group.size(); ++rank)
      group[rank] = static_cast<int>(static_cast<long>(node_of_rank[rank]) * count / nodes);
    return group;
  }
  std::vector<std::size_t> order(group.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return node_of_rank[a] < node_of_rank[b]; });
  for (std::size_t i = 0; i < order.size(); ++i)
    group[order[i]] = static_cast<int>(static_cast<long>(i) * count / nranks);
  return group;
}

}  // namespace spex::mpi
