#include "mpi/collective.hpp"

#include <optional>

#include <fmt/format.h>

#include "mpi/check.hpp"
#include "mpi/failure.hpp"

namespace spex::mpi {

void collective(const Communicator& comm, const std::function<void()>& step) {
  const std::optional<FailureOfRank> failed = agree(comm, attempt(step));
  if (!failed) return;
  throw CollectiveError(failed->failure.kind,
                        failed->rank == 0 ? "" : fmt::format("rank {}", failed->rank),
                        failed->failure.text);
}

void on_root(const Communicator& comm, const std::function<void()>& step) {
  collective(comm, [&] {
    if (comm.is_root()) step();
  });
}

bool all_ranks(const Communicator& comm, bool mine) {
  int all = mine ? 1 : 0;
  SPEX_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, comm.get()));
  return all != 0;
}

}  // namespace spex::mpi
