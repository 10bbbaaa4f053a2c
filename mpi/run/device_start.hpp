// How many devices a process starts, and how the driver is told.
#pragma once

#include <cstddef>
#include <string>

namespace spex::mpi {

/// GPUs with which `frames` of one process are done soonest. The driver starts those that it may
/// see one after the other, s seconds each, and g of them take n t / g for n frames of t seconds:
/// the g-th is worth its start where n t > g (g - 1) s. 1 or more.
[[nodiscard]] int devices_worth_starting(std::size_t frames);

/// What CUDA_VISIBLE_DEVICES is to be, which is `visible` now (null: not set), so that the driver
/// sees the first `count` GPUs of those that it would, or all where there are fewer.
[[nodiscard]] std::string first_visible_devices(const char* visible, int count);

}  // namespace spex::mpi
