#include "bench/machine/telemetry.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/plan/members.hpp"
#include "bench/result/utc.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Mean clock of the `count` fastest CPUs. Idle CPUs may be slow, which is irrelevant.
std::optional<double> cpu_mhz(int count) {
  std::ifstream in("/proc/cpuinfo");
  std::vector<double> all;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("cpu MHz"))
      all.push_back(std::strtod(line.c_str() + line.find(':') + 1, nullptr));
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end(), std::greater<>());
  all.resize(std::clamp<std::size_t>(count, 1, all.size()));
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

Json lists(std::initializer_list<const char*> names) {
  Json object = Json::object();
  for (const char* name : names) object[name] = Json::array();
  return object;
}

}  // namespace

Telemetry::Telemetry(const Nvml& nvml, std::vector<int> gpus, int threads,
                     std::chrono::milliseconds every, std::function<long()> frames_written)
    : nvml_(nvml),
      gpus_(std::move(gpus)),
      threads_(threads),
      frames_written_(std::move(frames_written)),
      cpu_(cpu_use()),
      start_(std::chrono::steady_clock::now()) {
  series_["start_unix"] = unix_now();
  series_["every_s"] = std::chrono::duration<double>(every).count();
  series_.update(lists({"seconds", "frames", "cpu_busy", "cpu_mhz"}));
  series_["node"] = {{"source", meter_.source().empty() ? Json() : Json(meter_.source())},
                     {"covers", meter_.covers()}};
  series_["node"].update(lists({"energy_j", "power_w"}));
  series_["gpus"] = Json::array();
  for (const int gpu : gpus_) {
    const GpuState state = nvml_.state(gpu);
    energy_before_.push_back(state.energy_j.value_or(0));
    series_["gpus"].push_back({{"uuid", state.uuid}});
    series_["gpus"].back().update(
        lists({"temperature_c", "clock_sm_mhz", "power_w", "energy_j", "busy"}));
  }
  static_cast<void>(meter_.read());
  sampler_.emplace(every, [this] { sample(); });
}

Json Telemetry::stop() {
  sampler_.reset();
  sample();
  return std::move(series_);
}

void Telemetry::sample() {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now() - start_;
  series_["seconds"].push_back(now.count());
  series_["frames"].push_back(frames_written_());
  const CpuUse cpu = cpu_use();
  const double passed = cpu.total_s - cpu_.total_s;
  // Rounding can make a full node exceed 1.
  series_["cpu_busy"].push_back(
      passed > 0 ? Json(std::min(1.0, (cpu.busy_s - cpu_.busy_s) / passed)) : Json());
  cpu_ = cpu;
  series_["cpu_mhz"].push_back(json_of(cpu_mhz(threads_)));
  const NodeReading node = meter_.read();
  series_["node"]["energy_j"].push_back(json_of(node.energy_j));
  series_["node"]["power_w"].push_back(json_of(node.power_w));
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const GpuState state = nvml_.state(gpus_[i]);
    Json& gpu = series_["gpus"][i];
    gpu["temperature_c"].push_back(json_of(state.temperature_c));
    gpu["clock_sm_mhz"].push_back(json_of(state.clock_sm_mhz));
    gpu["power_w"].push_back(json_of(state.power_w));
    gpu["energy_j"].push_back(state.energy_j ? Json(*state.energy_j - energy_before_[i]) : Json());
    gpu["busy"].push_back(json_of(state.busy));
  }
}

}  // namespace spex::bench
