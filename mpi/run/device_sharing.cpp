#include "mpi/run/device_sharing.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

#include "mpi/comm/check.hpp"

namespace spex::mpi {

int ranks_sharing(const std::vector<std::string>& mine, const Communicator& node) {
  // A line a device.
  std::string text;
  for (const std::string& device : mine) text += device + '\n';
  const auto ranks = static_cast<std::size_t>(node.size());
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(ranks), first(ranks);
  SPEX_MPI_CHECK(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, node.get()));
  std::exclusive_scan(lengths.begin(), lengths.end(), first.begin(), 0);
  std::string all(static_cast<std::size_t>(first.back() + lengths.back()), '\0');
  SPEX_MPI_CHECK(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(),
                                first.data(), MPI_CHAR, node.get()));
  std::map<std::string, int> ranks_of;
  std::istringstream lines(all);
  for (std::string device; std::getline(lines, device);) ++ranks_of[device];
  int most = 1;
  for (const std::string& device : mine) most = std::max(most, ranks_of[device]);
  return most;
}

}  // namespace spex::mpi
