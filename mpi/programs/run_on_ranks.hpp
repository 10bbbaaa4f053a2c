// Shared main function of programs that run under MPI.
#pragma once

#include <functional>
#include <string>

#include "mpi/comm/environment.hpp"

namespace spex {

/// Runs `body(argc, argv, world)` on every rank and returns its exit status.
///
/// Rank 0 reports a CollectiveError as one line on stderr, with an exit status as in run_guarded.
/// Any other exception is known to one rank only, while others may wait for that rank: the message
/// names the rank, and MPI_Abort ends all ranks.
[[nodiscard]] int run_on_ranks(
    const std::string& program, int argc, char** argv,
    const std::function<int(int, char**, const mpi::Communicator&)>& body);

}  // namespace spex
