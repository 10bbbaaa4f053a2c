#include "mpi/collective.hpp"

#include <exception>
#include <new>
#include <string>

#include <fmt/format.h>

#include "mpi/broadcast.hpp"
#include "mpi/check.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {
namespace {

struct Failure {
  bool failed = false;
  ErrorKind kind = ErrorKind::internal;
  std::string text;
};

Failure attempt(const std::function<void()>& step) {
  try {
    step();
    return {};
  } catch (const Error& error) {
    return {true, error.kind(), error.what()};
  } catch (const std::bad_alloc&) {
    return {true, ErrorKind::internal, "out of memory"};
  } catch (const std::exception& error) {
    return {true, ErrorKind::internal, error.what()};
  }
}

}  // namespace

void collective(const Communicator& comm, const std::function<void()>& step) {
  Failure failure = attempt(step);
  const int mine = failure.failed ? comm.rank() : comm.size();
  int lowest = 0;
  SPEX_MPI_CHECK(MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm.get()));
  if (lowest == comm.size()) return;
  broadcast(comm, failure.kind, lowest);
  broadcast(comm, failure.text, lowest);
  throw Error(failure.kind, lowest == 0 ? "" : fmt::format("rank {}", lowest), failure.text);
}

void on_root(const Communicator& comm, const std::function<void()>& step) {
  collective(comm, [&] {
    if (comm.is_root()) step();
  });
}

}  // namespace spex::mpi
