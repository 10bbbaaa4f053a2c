// An error as a value, which can travel between ranks and threads.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mpi/environment.hpp"
#include "reference/core/error.hpp"

namespace spex::mpi {

struct Failure {
  ErrorKind kind = ErrorKind::internal;
  std::string text;
};

/// Calls `step`; what it threw, if it did.
[[nodiscard]] std::optional<Failure> attempt(const std::function<void()>& step);

/// What failed on the lowest rank that failed.
struct FailureOfRank {
  int rank = 0;
  Failure failure;
};

/// Every rank of `comm` gets the same answer: whether any rank has failed, and how. Collective.
[[nodiscard]] std::optional<FailureOfRank> agree(const Communicator& comm,
                                                 const std::optional<Failure>& mine);

}  // namespace spex::mpi
