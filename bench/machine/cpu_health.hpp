// Health of the CPUs and the main memory of this node.
#pragma once

#include <string>

#include "bench/result/record.hpp"

namespace spex::bench {

/// Reads the counters below /sys, whose path is `sys`:
///
///     devices/system/edac/mc/mc*           ce_count, ue_count: errors of the memory
///     devices/system/cpu/cpu*/thermal_throttle   core_throttle_count of all cores, and the largest
///                                                package_throttle_count
[[nodiscard]] CpuHealth read_cpu_health(const std::string& sys = "/sys");

}  // namespace spex::bench
