// The number of devices that a process starts, and its setting for the driver.
#pragma once

#include <cstddef>
#include <string>

namespace spex::mpi {

/// The number of GPUs with which one process finishes `frames` frames soonest. The driver
/// initializes its visible GPUs one after another, s seconds each, and g GPUs take n t / g for n
/// frames of t seconds each: GPU number g pays off if n t > g (g - 1) s. At least 1.
[[nodiscard]] int devices_worth_starting(std::size_t frames);

/// The value of CUDA_VISIBLE_DEVICES that limits the driver to the first `count` of its visible
/// GPUs, or all if there are fewer. `visible` is the current value (null: not set).
[[nodiscard]] std::string first_visible_devices(const char* visible, int count);

}  // namespace spex::mpi
