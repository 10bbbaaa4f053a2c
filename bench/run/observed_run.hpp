// Runs an entry, timed and observed from outside, from before its launcher starts until its last
// process has ended.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine/gpu_monitor.hpp"
#include "bench/machine/machine.hpp"
#include "bench/machine/nvml.hpp"
#include "bench/result/record.hpp"
#include "bench/run/launch.hpp"
#include "bench/run/signals.hpp"

namespace spex::bench {

struct RunRequest {
  const Entry* entry = nullptr;
  const LaunchRecord* launch = nullptr;
  /// appended to the command line: the files of a single frame
  std::vector<std::string> arguments;
  std::vector<std::string> inputs;  ///< files that the run reads
  std::string outputs;              ///< folder to which it writes frames
  std::string events;               ///< its run log
  std::string log;                  ///< file that receives stdout and stderr
  int frames = 0;                   ///< number of frames that it extracts
  double time_limit_s = 0;
  std::function<void()> meanwhile = {};  ///< called during the run, as Command's
};

struct ObservedRun {
  bool interrupted = false;  ///< by a signal to spex-bench; the sample is then void
  Sample sample;             ///< without its index, seed and hashes
  std::vector<GpuObservation> gpus;
  /// The GPU setting that changed during the run, if one did.
  std::optional<std::string> settings_changed;
  /// What disturbed the run besides other processes: a changed clock or setting, heat, a stop.
  std::optional<std::string> disturbance;
  CpuHealth cpu_before, cpu_after;
};

/// Starts runs of entries, one at a time.
class Runner {
 public:
  Runner(const Nvml& nvml, const Machine& machine, Signals& signals);

  /// Runs the entry to its end. If the run log contradicts the observation, the sample has a
  /// warning and no stage times. Throws Error(internal) if the command cannot be started.
  [[nodiscard]] ObservedRun run(const RunRequest& request);

  /// NVML's indices of the entry's GPUs.
  [[nodiscard]] std::vector<int> nvml_indices(const Entry& entry) const;

 private:
  [[nodiscard]] std::optional<std::string> changed_setting(const Entry& entry) const;

  const Nvml& nvml_;
  const Machine& machine_;
  Signals& signals_;
  std::map<int, nlohmann::ordered_json> settings_;  // of the GPUs at the start, by NVML's index
};

}  // namespace spex::bench
