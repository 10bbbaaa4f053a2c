#include "bench/machine/gpu_monitor.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>

#include "bench/result/utc.hpp"

namespace spex::bench {
namespace {

constexpr std::chrono::milliseconds look_every{200};
// Less than a CUDA context with its kernels takes, and more than what the driver takes by itself.
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
    : nvml_(nvml), indices_(std::move(indices)), seen_(indices_.size()) {
  for (std::size_t i = 0; i < indices_.size(); ++i) seen_[i].before = nvml_.state(indices_[i]);
  look();
  if (!indices_.empty()) looks_.emplace(look_every, [this] { look(); });
}

std::vector<GpuObservation> GpuMonitor::stop() {
  looks_.reset();
  for (std::size_t i = 0; i < indices_.size(); ++i) seen_[i].after = nvml_.state(indices_[i]);
  return std::move(seen_);
}

void GpuMonitor::look() {
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    const GpuState state = nvml_.state(indices_[i]);
    GpuObservation& seen = seen_[i];
    add_extremes({state.uuid, state.throttle_reasons, state.temperature_c, state.clock_sm_mhz,
                  state.power_w},
                 seen.most);
    if (const auto used = state.memory_used_bytes) {
      seen.memory_least_bytes = std::min(seen.memory_least_bytes.value_or(*used), *used);
      seen.memory_bytes = std::max(seen.memory_bytes.value_or(0), *used - *seen.memory_least_bytes);
    }
    // By the time after the look, which waits for the driver while that makes a context.
    if (!seen.first_use_unix && seen.memory_bytes.value_or(0) >= context_bytes)
      seen.first_use_unix = unix_now();
    if (state.busy) {
      seen.busy_sum += *state.busy;
      ++seen.busy_samples;
    }
  }
}

}  // namespace spex::bench
