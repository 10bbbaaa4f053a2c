// Time series of the machine during a long run: temperatures, clocks, power, use.
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

/// Samples this node and its GPUs `gpus` from construction to `stop`.
class Telemetry {
 public:
  /// `threads` is the number of threads that should be busy on this node. `frames_written` returns
  /// the number of frames written so far; it is called in another thread.
  Telemetry(const Nvml& nvml, std::vector<int> gpus, int threads, std::chrono::milliseconds every,
            std::function<long()> frames_written);

  /// Ends sampling. Returns `start_unix`, `every_s`, and lists with a value per sample: `seconds`
  /// since the start, `frames` written, `cpu_busy` (fraction of all CPUs' time since the last
  /// sample), `cpu_mhz` (mean of the `threads` fastest CPUs). `node` has `source`, `covers`,
  /// `energy_j` since the start, `power_w`. `gpus` has for each GPU `uuid`, `temperature_c`,
  /// `clock_sm_mhz`, `power_w`, `energy_j` since the start, `busy`. Unknown values are null.
  [[nodiscard]] nlohmann::ordered_json stop();

 private:
  void sample();

  const Nvml& nvml_;
  std::vector<int> gpus_;
  int threads_;
  std::function<long()> frames_written_;
  NodeMeter meter_;
  CpuUse cpu_;
  std::chrono::steady_clock::time_point start_;
  nlohmann::ordered_json series_;
  std::vector<double> energy_before_;  // by GPU
  std::optional<Repeated> sampler_;
};

}  // namespace spex::bench
