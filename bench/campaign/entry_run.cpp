#include "bench/campaign/entry_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "bench/campaign/figures.hpp"
#include "bench/measure/optional_json.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

Json snapshot_json(const GpuState& state) {
  return {{"uuid", state.uuid},
          {"throttle_reasons", state.throttle_reasons},
          {"ecc_corrected", value_or_null(state.ecc_corrected)},
          {"ecc_uncorrected", value_or_null(state.ecc_uncorrected)},
          {"temperature_c", value_or_null(state.temperature_c)},
          {"clock_sm_mhz", value_or_null(state.clock_sm_mhz)},
          {"clock_memory_mhz", value_or_null(state.clock_memory_mhz)},
          {"power_w", value_or_null(state.power_w)},
          {"memory_used_bytes", value_or_null(state.memory_used_bytes)}};
}

// A full disk, no more files that may be open, or an MPS that does not start (mps-wrapper's words),
// say nothing of what the program computes.
bool is_of_the_system(const std::string& failure) {
  const auto says = [&](const char* words) { return failure.find(words) != std::string::npos; };
  return says(std::strerror(ENOSPC)) || says(std::strerror(EMFILE)) ||
         says("mps-wrapper: nvidia-cuda-mps-control") || says("mps-wrapper: MPS did not answer");
}

Json larger(const Json& kept, const std::optional<double>& value) {
  if (!value) return kept;
  return kept.is_null() ? *value : std::max(kept.get<double>(), *value);
}

}  // namespace

bool EntryRun::failed() const {
  if (!error.empty()) return true;
  for (const Sample& sample : samples)
    if (sample.failure) return true;
  for (const Json& one : golden)
    if (!one.at("pass").get<bool>()) return true;
  return !validation.frames().empty() && !validation.pass();
}

namespace {

int throttled_of(const std::vector<Sample>& samples) {
  return static_cast<int>(std::count_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return sample.throttled && !sample.warmup;
  }));
}

}  // namespace

bool EntryRun::done() const {
  if (skipped || failed()) return true;
  if (next_index() < warmups + repeats) return false;
  if (throttled_of(samples) >= repeats) return true;
  const auto count = static_cast<int>(timed().size());
  if (count < repeats) return false;
  return !until || count >= until->most || narrow_enough(*this);
}

int EntryRun::runs_left() const {
  if (done()) return 0;
  return std::max(1, warmups + repeats + throttled_of(samples) - next_index());
}

int EntryRun::next_index() const {
  return static_cast<int>(samples.size());
}

std::vector<int> EntryRun::seeds_of_run(const Case& one, int index) const {
  std::vector<int> seeds{seed_of_run(one, entry, index, 0)};
  for (const DroppedRun& begun : dropped)
    if (begun.index == index)
      seeds.push_back(seed_of_run(one, entry, index, static_cast<int>(seeds.size())));
  return seeds;
}

std::vector<const Sample*> EntryRun::timed() const {
  std::vector<const Sample*> found;
  for (const Sample& sample : samples)
    if (!sample.warmup && !sample.failure && !sample.throttled) found.push_back(&sample);
  return found;
}

void EntryRun::add_health(const std::vector<GpuObservation>& watched) {
  if (watched.empty()) return;
  const bool first = health_before.is_null();
  if (first) health_before = Json::array();
  health_after = Json::array();
  health_during.resize(watched.size());
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const GpuObservation& gpu = watched[i];
    if (first) health_before.push_back(snapshot_json(gpu.before));
    health_after.push_back(snapshot_json(gpu.after));
    Json& during = health_during[i];
    if (during.is_null())
      during = {{"uuid", gpu.before.uuid},
                {"throttle_reasons", Json::array()},
                {"temperature_max_c", nullptr},
                {"clock_sm_max_mhz", nullptr},
                {"power_max_w", nullptr}};
    std::set<std::string> reasons = during.at("throttle_reasons");
    reasons.insert(gpu.throttle_reasons.begin(), gpu.throttle_reasons.end());
    during["throttle_reasons"] = reasons;
    during["temperature_max_c"] = larger(during["temperature_max_c"], gpu.temperature_max_c);
    during["clock_sm_max_mhz"] = larger(during["clock_sm_max_mhz"], gpu.clock_sm_max_mhz);
    during["power_max_w"] = larger(during["power_max_w"], gpu.power_max_w);
  }
}

Evidence EntryRun::evidence(const RunFacts& facts) const {
  Evidence evidence;
  evidence.skipped = skipped;
  evidence.skipped_because = skipped_because;
  evidence.complete = done();
  evidence.error = error;
  for (const Sample& sample : samples) {
    if (!sample.failure) continue;
    const std::string reason = fmt::format("run {}: {}", sample.index, *sample.failure);
    if (is_of_the_system(reason) && evidence.error.empty())
      evidence.error = reason;
    else
      evidence.wrong.push_back(reason);
  }
  for (const Json& one : golden)
    if (!one.at("pass").get<bool>())
      evidence.wrong.push_back("golden case " + one.at("name").get<std::string>() + ": " +
                               one.at("failure").get<std::string>());
  if (!validation.frames().empty() && !validation.pass())
    evidence.wrong.push_back(validation.failure());
  evidence.throttled = static_cast<int>(std::count_if(
      samples.begin(), samples.end(), [](const Sample& sample) { return sample.throttled; }));
  evidence.health_known = !health_before.is_null();
  for (std::size_t i = 0; i < health_during.size(); ++i) {
    const std::string gpu = health_during[i].at("uuid");
    for (const Json& reason : health_during[i].at("throttle_reasons"))
      if (is_unhealthy(reason.get<std::string>()))
        evidence.unhealthy.push_back(gpu + ": " + reason.get<std::string>());
    const Json errors = health_after.at(i).at("ecc_uncorrected");
    if (!errors.is_null() && errors.get<double>() > 0)
      evidence.unhealthy.push_back(
          fmt::format("{}: {:.0f} uncorrected memory errors", gpu, errors.get<double>()));
  }
  // An exposure's, for which fewer frames may stand.
  const double exposures = entry.scale_to ? static_cast<double>(*entry.scale_to) / frames : 1;
  if (const auto figure = figure_of(*this, ClockKind::effective)) {
    evidence.fpnh_effective = figure->fpnh;
    evidence.seconds_effective = scaled(figure->seconds, exposures);
  }
  if (const auto figure = figure_of(*this, ClockKind::extraction)) {
    evidence.fpnh_extraction = figure->fpnh;
    evidence.seconds_extraction = scaled(figure->seconds, exposures);
  }
  evidence.fpnh_sustained = sustained_fpnh_to_judge(*this);
  if (entry.sustain && entry.sustain->seconds && sustained_s(*this) < *entry.sustain->seconds)
    evidence.not_sustained_because =
        fmt::format("the steady part lasted {:.2f} s, not the {:g} that were asked for",
                    sustained_s(*this), *entry.sustain->seconds);
  if (facts.thresholds)
    if (const auto found = facts.thresholds->entries.find(entry.id);
        found != facts.thresholds->entries.end())
      evidence.threshold = found->second;
  return evidence;
}

}  // namespace spex::bench
