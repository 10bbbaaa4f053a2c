#include "bench/machine/gpu_monitor.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>

#include "bench/result/utc.hpp"

namespace spex::bench {
namespace {

constexpr std::chrono::milliseconds sample_interval{200};
// Less than a CUDA context with its kernels takes, and more than the driver takes by itself.
constexpr double context_bytes = 2.5e8;

}  // namespace

void add_extremes(const GpuExtremes& more, GpuExtremes& kept) {
  kept.uuid = more.uuid;
  std::set<std::string> reasons(kept.throttle_reasons.begin(), kept.throttle_reasons.end());
  reasons.insert(more.throttle_reasons.begin(), more.throttle_reasons.end());
  kept.throttle_reasons.assign(reasons.begin(), reasons.end());
  kept.temperature_max_c = std::max(kept.temperature_max_c, more.temperature_max_c);
  kept.clock_sm_max_mhz = std::max(kept.clock_sm_max_mhz, more.clock_sm_max_mhz);
  kept.power_max_w = std::max(kept.power_max_w, more.power_max_w);
}

GpuMonitor::GpuMonitor(const Nvml& nvml, std::vector<int> indices)
    : nvml_(nvml), indices_(std::move(indices)), observed_(indices_.size()) {
  for (std::size_t i = 0; i < indices_.size(); ++i) observed_[i].before = nvml_.state(indices_[i]);
  sample();
  if (!indices_.empty()) sampler_.emplace(sample_interval, [this] { sample(); });
}

std::vector<GpuObservation> GpuMonitor::stop() {
  sampler_.reset();
  for (std::size_t i = 0; i < indices_.size(); ++i) observed_[i].after = nvml_.state(indices_[i]);
  return std::move(observed_);
}

void GpuMonitor::sample() {
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const GpuState state = nvml_.state(indices_[i]);
    GpuObservation& gpu = observed_[i];
    add_extremes({state.uuid, state.throttle_reasons, state.temperature_c, state.clock_sm_mhz,
                  state.power_w},
                 gpu.extremes);
    if (const auto used = state.memory_used_bytes) {
      gpu.min_memory_bytes = std::min(gpu.min_memory_bytes.value_or(*used), *used);
      gpu.memory_bytes = std::max(gpu.memory_bytes.value_or(0), *used - *gpu.min_memory_bytes);
    }
    // Time after the NVML call: it blocks while the driver creates a context.
    if (!gpu.first_use_unix && gpu.memory_bytes.value_or(0) >= context_bytes)
      gpu.first_use_unix = unix_now();
    if (state.busy) {
      gpu.busy_sum += *state.busy;
      ++gpu.busy_samples;
    }
  }
}

}  // namespace spex::bench
