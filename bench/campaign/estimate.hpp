// What a plan costs, before it starts.
#pragma once

#include "bench/machine/machine.hpp"
#include "bench/plan/plan.hpp"

namespace spex::bench {

struct Cost {
  double seconds = 0;     ///< of the whole plan, inputs and reference frames included
  double disk_bytes = 0;  ///< the most that lies in the data folder at once
};

/// About what the plan takes on this machine. Seconds come from rates measured on a Xeon of 16
/// cores and an H200 (docs/performance.md): expect a factor of two on other machines.
[[nodiscard]] Cost estimate(const Plan& plan, const Machine& machine, bool drawn_seeds);

/// The most that lies on the disk at once for an entry, in bytes: inputs and frames of all runs,
/// and the reference frames of one run.
[[nodiscard]] double disk_bytes(const Plan& plan, const Entry& entry, bool drawn_seeds);

}  // namespace spex::bench
