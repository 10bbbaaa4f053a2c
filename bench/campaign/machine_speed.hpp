// How much of itself the machine gave to a long run, from one part of it to another.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace spex::bench {

/// A part of a run, in seconds since 1970.
struct TimeSpan {
  double begin = 0, end = 0;
};

/// What a machine gave to a run in its parts, by what was looked at from outside (Telemetry). On
/// CPUs that is the time of the run's processes on them, times the clock of the CPUs; on GPUs the
/// clock of those that had work. Who works less for a frame than before, as with answers that were
/// kept, is not given less.
class MachineSpeed {
 public:
  /// `series` is Telemetry's; `threads` are those that the run may have on CPUs at a time, beyond
  /// which what it takes does not count.
  MachineSpeed(const nlohmann::ordered_json& series, int threads);

  /// How many times as much in `later` as in `earlier`, each second; nothing where it is not known.
  [[nodiscard]] std::optional<double> ratio(const TimeSpan& later, const TimeSpan& earlier) const;

 private:
  [[nodiscard]] std::optional<double> of_cpus(const TimeSpan& span) const;
  [[nodiscard]] std::optional<double> of_gpus(const TimeSpan& span) const;
  [[nodiscard]] double work_until(double unix_s) const;

  std::vector<double> unix_s_;  // of each look
  std::vector<double> work_;    // of CPUs, since the first look
  bool on_gpus_ = false;
  std::vector<double> clock_, weight_;  // of the GPUs at each look; the weight is their use
};

}  // namespace spex::bench
