// How the machine was over the time of a long run: temperatures, clocks, power, use.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/machine/node_meter.hpp"
#include "bench/machine/nvml.hpp"
#include "bench/machine/process_tree.hpp"
#include "bench/machine/repeated.hpp"

namespace spex::bench {

/// Looks at this node and its GPUs `gpus` at regular times from its construction to `stop`.
class Telemetry {
 public:
  /// `threads` are as many as are to work at a time on this node. `frames_written` says how many
  /// frames there are by now; it is called on another thread.
  Telemetry(const Nvml& nvml, std::vector<int> gpus, int threads, std::chrono::milliseconds every,
            std::function<long()> frames_written);

  /// Ends the looking. `start_unix`, `every_s`, and as lists with a member for each look: `seconds`
  /// since the start, `frames` written, `cpu_busy` (part of all CPUs' time since the look before),
  /// `cpu_mhz` (mean of as many of the fastest CPUs as there are threads); `node` with `source`,
  /// `covers`, `energy_j` since the start, `power_w`; `gpus`, of each `uuid`, `temperature_c`,
  /// `clock_sm_mhz`, `power_w`, `energy_j` since the start, `busy`. A value that is not known is
  /// null.
  [[nodiscard]] nlohmann::ordered_json stop();

 private:
  void look();

  const Nvml& nvml_;
  std::vector<int> gpus_;
  int threads_;
  std::function<long()> frames_written_;
  NodeMeter meter_;
  NodeCpu cpu_;
  std::chrono::steady_clock::time_point start_;
  nlohmann::ordered_json series_;
  std::vector<double> energy_before_;  // of each GPU
  std::optional<Repeated> looks_;
};

}  // namespace spex::bench
