// Steps that all ranks take together: the failure of one rank ends the step on all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mpi/comm/environment.hpp"
#include "reference/core/error.hpp"
#include "reference/model/members.hpp"

namespace spex::mpi {

/// An error as a value that can be sent between ranks and threads.
struct Failure {
  ErrorKind kind = ErrorKind::internal;  ///< decides the exit status
  std::string text;                      ///< one-line message for the user

  SPEX_MEMBERS(kind, text)
};

/// Calls `step` and returns its exception as a Failure, if any.
[[nodiscard]] std::optional<Failure> attempt(const std::function<void()>& step);

/// The failure of the lowest failing rank.
struct FailureOfRank {
  int rank = 0;     ///< rank in the communicator
  Failure failure;  ///< its failure
};

/// Agrees on the failure of the lowest failing rank, if any; all ranks get the same answer.
/// Collective.
[[nodiscard]] std::optional<FailureOfRank> agree(const Communicator& comm,
                                                 const std::optional<Failure>& mine);

/// An error known to all ranks, so that all can exit in order.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Calls `step` on every rank and waits for all ranks. If any rank fails, every rank throws the
/// same CollectiveError: the error of the lowest failing rank, naming the rank unless it is rank 0.
/// No rank is left waiting for a failed rank.
void collective(const Communicator& comm, const std::function<void()>& step);

/// Calls `step` on rank 0 only; errors as in collective().
void on_root(const Communicator& comm, const std::function<void()>& step);

/// Waits until every rank calls this, without using the CPU meanwhile. Collective.
void wait_idly(const Communicator& comm);

/// Whether `mine` is true on every rank; all ranks get the same answer. Collective.
[[nodiscard]] bool all_ranks(const Communicator& comm, bool mine);

}  // namespace spex::mpi
