// spex-cpu without its main function.
#pragma once

#include <functional>

#include "mpi/run/exposure.hpp"

namespace spex {

/// Creates a rank's phase hook for tests. May throw Error(usage).
using HookOfRank = std::function<mpi::PhaseHook(int rank)>;

/// Runs spex-cpu and returns its exit status; tests pass a hook.
[[nodiscard]] int cpu_program(int argc, char** argv, const HookOfRank& hook_of = {});

}  // namespace spex
