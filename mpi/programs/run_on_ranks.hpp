// What the mains of programs that run under MPI share.
#pragma once

#include <functional>
#include <string>

#include "mpi/comm/environment.hpp"

namespace spex {

/// Runs `body(argc, argv, world)` on every rank of MPI and returns its exit status.
///
/// A CollectiveError is one line on stderr, from rank 0, and an exit status, as in run_guarded. Any
/// other exception is known to one rank alone, for which the others may wait: it names the rank and
/// aborts them all.
[[nodiscard]] int run_on_ranks(
    const std::string& program, int argc, char** argv,
    const std::function<int(int, char**, const mpi::Communicator&)>& body);

}  // namespace spex
