// What was seen of the GPUs over all runs of an entry.
#pragma once

#include <vector>

#include "bench/machine/gpu_monitor.hpp"
#include "bench/result/record.hpp"

namespace spex::bench {

/// Adds what was seen during a run.
void add_health(const std::vector<GpuObservation>& watched, HealthRecord& health);

}  // namespace spex::bench
