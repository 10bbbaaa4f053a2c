#include "mpi/comm/collective.hpp"

#include <exception>
#include <new>

#include <fmt/format.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/check.hpp"

namespace spex::mpi {

std::optional<Failure> attempt(const std::function<void()>& step) {
  try {
    step();
    return std::nullopt;
  } catch (const Error& error) {
    return Failure{error.kind(), error.what()};
  } catch (const std::bad_alloc&) {
    return Failure{ErrorKind::internal, "out of memory"};
  } catch (const std::exception& error) {
    return Failure{ErrorKind::internal, error.what()};
  }
}

std::optional<FailureOfRank> agree(const Communicator& comm, const std::optional<Failure>& mine) {
  const int failing = mine ? comm.rank() : comm.size();
  FailureOfRank lowest;
  SPEX_MPI_CHECK(MPI_Allreduce(&failing, &lowest.rank, 1, MPI_INT, MPI_MIN, comm.get()));
  if (lowest.rank == comm.size()) return std::nullopt;
  if (lowest.rank == comm.rank()) lowest.failure = *mine;
  broadcast(comm, lowest.failure, lowest.rank);
  return lowest;
}

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
