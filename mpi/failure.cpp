#include "mpi/failure.hpp"

#include <exception>
#include <new>

#include "mpi/broadcast.hpp"
#include "mpi/check.hpp"

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
  broadcast(comm, lowest.failure.kind, lowest.rank);
  broadcast(comm, lowest.failure.text, lowest.rank);
  return lowest;
}

}  // namespace spex::mpi
