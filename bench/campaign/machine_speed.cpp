#include "bench/campaign/machine_speed.hpp"

#include <algorithm>
#include <cstddef>

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

double number_or(const Json& json, double otherwise) {
  return json.is_number() ? json.get<double>() : otherwise;
}

}  // namespace

MachineSpeed::MachineSpeed(const Json& series, int threads) {
  const double start = series.at("start_unix");
  const std::size_t looks = series.at("seconds").size();
  double cpu_s = 0, work = 0;
  for (std::size_t i = 0; i < looks; ++i) {
    unix_s_.push_back(start + series.at("seconds").at(i).get<double>());
    const double now = series.at("run_cpu_s").at(i);
    const double passed = i == 0 ? 0 : unix_s_[i] - unix_s_[i - 1];
    const double taken = std::clamp(now - cpu_s, 0.0, threads * passed);
    work += taken * number_or(series.at("cpu_mhz").at(i), 1);
    cpu_s = now;
    work_.push_back(work);
  }
  on_gpus_ = !series.at("gpus").empty();
  clock_.assign(looks, 0);
  weight_.assign(looks, 0);
  for (const Json& gpu : series.at("gpus"))
    for (std::size_t i = 0; i < looks; ++i) {
      const Json& clock = gpu.at("clock_sm_mhz").at(i);
      if (!clock.is_number()) continue;
      const double busy = number_or(gpu.at("busy").at(i), 1);
      clock_[i] += busy * clock.get<double>();
      weight_[i] += busy;
    }
}

double MachineSpeed::work_until(double unix_s) const {
  const auto after = std::upper_bound(unix_s_.begin(), unix_s_.end(), unix_s);
  if (after == unix_s_.begin()) return 0;
  const std::size_t i = after - unix_s_.begin();
  if (i == unix_s_.size()) return work_.back();
  const double part = (unix_s - unix_s_[i - 1]) / (unix_s_[i] - unix_s_[i - 1]);
  return work_[i - 1] + part * (work_[i] - work_[i - 1]);
}

std::optional<double> MachineSpeed::of_cpus(const TimeSpan& span) const {
  const double seconds = span.end - span.begin;
  const double work = work_until(span.end) - work_until(span.begin);
  if (!(seconds > 0) || !(work > 0)) return std::nullopt;
  return work / seconds;
}

std::optional<double> MachineSpeed::of_gpus(const TimeSpan& span) const {
  double clock = 0, weight = 0;
  for (std::size_t i = 0; i < unix_s_.size(); ++i) {
    if (unix_s_[i] < span.begin || unix_s_[i] > span.end) continue;
    clock += clock_[i];
    weight += weight_[i];
  }
  if (!(weight > 0) || !(clock > 0)) return std::nullopt;
  return clock / weight;
}

std::optional<double> MachineSpeed::ratio(const TimeSpan& later, const TimeSpan& earlier) const {
  const std::optional<double> a = on_gpus_ ? of_gpus(later) : of_cpus(later);
  const std::optional<double> b = on_gpus_ ? of_gpus(earlier) : of_cpus(earlier);
  if (!a || !b) return std::nullopt;
  return *a / *b;
}

}  // namespace spex::bench
