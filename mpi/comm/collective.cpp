#include "mpi/comm/collective.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <thread>

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

void wait_idly(const Communicator& comm) {
  constexpr std::chrono::milliseconds pause{5};
  MPI_Request request = MPI_REQUEST_NULL;
  SPEX_MPI_CHECK(MPI_Ibarrier(comm.get(), &request));
  for (int all = 0; all == 0;) {
    SPEX_MPI_CHECK(MPI_Test(&request, &all, MPI_STATUS_IGNORE));
    if (all == 0) std::this_thread::sleep_for(pause);
  }
}

bool all_ranks(const Communicator& comm, bool mine) {
  int all = mine ? 1 : 0;
  SPEX_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, comm.get()));
  return all != 0;
}

}  // namespace spex::mpi
