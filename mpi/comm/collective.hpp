// Steps that all ranks take together, where one rank's failure ends the step on all of them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mpi/comm/environment.hpp"
#include "reference/core/error.hpp"
#include "reference/model/fields.hpp"

namespace spex::mpi {

/// An error as a value, which can travel between ranks and threads.
struct Failure {
  ErrorKind kind = ErrorKind::internal;  ///< decides the exit status
  std::string text;                      ///< one line, as the user shall read it
};

/// All fields of a Failure.
template <MaybeConst<Failure> T>
auto fields(T& failure) {
  auto& [kind, text] = failure;
  return std::tie(kind, text);
}

/// Calls `step`; what it threw, if it did.
[[nodiscard]] std::optional<Failure> attempt(const std::function<void()>& step);

/// What failed on the lowest rank that failed.
struct FailureOfRank {
  int rank = 0;     ///< of the communicator
  Failure failure;  ///< what it threw
};

/// Every rank of `comm` gets the same answer: whether any rank has failed, and how. Collective.
[[nodiscard]] std::optional<FailureOfRank> agree(const Communicator& comm,
                                                 const std::optional<Failure>& mine);

/// An error that every rank knows of, so that all can end in good order.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Calls `step` on every rank and waits for all. Where it throws on any, every rank throws the same
/// CollectiveError: that of the lowest failing rank, which is named unless it is rank 0. So no rank
/// waits for another that has given up.
void collective(const Communicator& comm, const std::function<void()>& step);

/// Calls `step` on rank 0 alone; otherwise as above.
void on_root(const Communicator& comm, const std::function<void()>& step);

/// Whether `mine` is true on every rank; every rank gets the same answer.
[[nodiscard]] bool all_ranks(const Communicator& comm, bool mine);

}  // namespace spex::mpi
