// A run, timed and observed from outside, from before its launcher starts until its last process
// has ended.
#pragma once

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
  std::vector<std::string> words;   ///< more words of the command line: the files of a frame alone
  std::vector<std::string> inputs;  ///< files that it reads
  std::string outputs;              ///< folder that it writes its frames to
  std::string events;               ///< run log that it writes
  std::string log;                  ///< takes what it prints
  int frames = 0;                   ///< that it extracts
  double time_limit_s = 0;
};

struct ObservedRun {
  bool interrupted = false;  ///< by a signal to spex-bench; then the sample says nothing
  Sample sample;             ///< without its index, seed and hashes
  std::vector<GpuObservation> gpus;
  /// Which setting of a GPU changed during the run; nothing where none did.
  std::optional<std::string> settings_changed;
};

/// Starts runs of entries, one at a time.
class Runner {
 public:
  Runner(const Nvml& nvml, const Machine& machine, Signals& signals);

  /// Runs to the end. A run log that contradicts what was observed is a warning of the sample, and
  /// gives no stages. Throws Error(internal) where the command cannot be started.
  [[nodiscard]] ObservedRun run(const RunRequest& request);

  /// NVML's numbers of the GPUs of an entry.
  [[nodiscard]] std::vector<int> nvml_indices(const Entry& entry) const;

 private:
  [[nodiscard]] std::optional<std::string> changed_setting(const Entry& entry) const;

  const Nvml& nvml_;
  const Machine& machine_;
  Signals& signals_;
  std::map<int, nlohmann::ordered_json>
      settings_;  // of the GPUs at the beginning, by NVML's number
};

}  // namespace spex::bench
