// All of spex-cpu but its main.
#pragma once

#include <functional>

#include "mpi/run/exposure.hpp"

namespace spex {

/// Makes the hook of a rank's run over many frames. May throw Error(usage).
using HookOfRank = std::function<mpi::PhaseHook(int rank)>;

/// Runs spex-cpu and returns its exit status; the tests' has hooks.
[[nodiscard]] int cpu_program(int argc, char** argv, const HookOfRank& hook_of = {});

}  // namespace spex
