// The number of devices that a process starts.
#pragma once

#include <cstddef>

namespace spex::mpi {

/// The number of GPUs with which one process finishes `frames` frames soonest. The driver
/// initializes its visible GPUs one after another, s seconds each, and g GPUs take n t / g for n
/// frames of t seconds each: GPU number g pays off if n t > g (g - 1) s. At least 1.
[[nodiscard]] int devices_worth_starting(std::size_t frames);

}  // namespace spex::mpi
