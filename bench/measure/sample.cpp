#include "bench/measure/sample.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/measure/statistics.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
  if (json.at(key).is_null()) return std::nullopt;
  return json.at(key).get<T>();
}

PhaseSeconds over_ranks(const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return {*least, median_of(seconds), *most, std::accumulate(seconds.begin(), seconds.end(), 0.0)};
}

std::map<std::string, PhaseSeconds> phases_of(const Json& log) {
  std::map<std::string, std::vector<double>> by_phase;
  const std::size_t ranks = log.at("ranks").size();
  by_phase["start"].assign(ranks, 0);
  for (const Json& rank : log.at("ranks"))
    for (const auto& [stage, seconds] : rank.at("seconds").items())
      by_phase[stage].push_back(seconds.get<double>());
  // Extractors of a rank are made at the same time.
  for (const Json& event : log.at("events"))
    if (event.at("stage") == "start") {
      double& seconds = by_phase["start"].at(event.at("rank").get<std::size_t>());
      seconds = std::max(seconds, event.at("end").get<double>() - event.at("start").get<double>());
    }
  std::map<std::string, PhaseSeconds> phases;
  for (const auto& [phase, seconds] : by_phase) phases[phase] = over_ranks(seconds);
  return phases;
}

void read_run_log(const std::string& path, double start_unix, Sample& sample) {
  std::ifstream in(path);
  const Json log = Json::parse(in, nullptr, false);
  if (log.is_discarded()) {
    if (!sample.failure) sample.failure = "there is no run log";
    return;
  }
  double end = 0;
  for (const Json& event : log.at("events")) end = std::max(end, event.at("end").get<double>());
  sample.extraction_s = end;
  sample.launch_s = log.at("origin_unix").get<double>() - start_unix;
  sample.phases = phases_of(log);
  double rss = 0;
  for (const Json& rank : log.at("ranks"))
    rss = std::max(rss, rank.at("max_rss_bytes").get<double>());
  sample.max_rss_bytes = rss;
  for (const Json& frame : log.at("frames")) {
    sample.patches += frame.at("patches").get<long>();
    sample.fell_back += frame.at("fell_back").get<long>();
    sample.failed_patches += frame.at("failed").get<long>();
    if (!frame.at("error").is_null() && !sample.failure)
      sample.failure =
          frame.at("camera").get<std::string>() + ": " + frame.at("error").get<std::string>();
  }
}

}  // namespace

Json Sample::to_json() const {
  Json json;
  json["index"] = index;
  json["warmup"] = warmup;
  json["start_utc"] = start_utc;
  json["exit_status"] = exit_status;
  json["failure"] = or_null(failure);
  json["effective_s"] = effective_s;
  json["extraction_s"] = or_null(extraction_s);
  json["launch_s"] = or_null(launch_s);
  json["phases"] = Json::object();
  for (const auto& [phase, seconds] : phases)
    json["phases"][phase] = {{"min", seconds.min},
                             {"median", seconds.median},
                             {"max", seconds.max},
                             {"sum", seconds.sum}};
  json["joules"] = or_null(joules);
  json["max_rss_bytes"] = or_null(max_rss_bytes);
  json["device_memory_bytes"] = or_null(device_memory_bytes);
  json["patches"] = patches;
  json["fell_back"] = fell_back;
  json["failed_patches"] = failed_patches;
  return json;
}

Sample Sample::from_json(const Json& json) {
  Sample sample;
  sample.index = json.at("index");
  sample.warmup = json.at("warmup");
  sample.start_utc = json.at("start_utc");
  sample.exit_status = json.at("exit_status");
  sample.failure = optional_at<std::string>(json, "failure");
  sample.effective_s = json.at("effective_s");
  sample.extraction_s = optional_at<double>(json, "extraction_s");
  sample.launch_s = optional_at<double>(json, "launch_s");
  for (const auto& [phase, seconds] : json.at("phases").items())
    sample.phases[phase] = {seconds.at("min"), seconds.at("median"), seconds.at("max"),
                            seconds.at("sum")};
  sample.joules = optional_at<std::vector<double>>(json, "joules");
  sample.max_rss_bytes = optional_at<double>(json, "max_rss_bytes");
  sample.device_memory_bytes = optional_at<double>(json, "device_memory_bytes");
  sample.patches = json.at("patches");
  sample.fell_back = json.at("fell_back");
  sample.failed_patches = json.at("failed_patches");
  return sample;
}

Sample make_sample(const Ended& ended, const std::string& run_log, const std::string& program_log) {
  Sample sample;
  sample.start_utc = utc_text(ended.start_unix);
  sample.exit_status = ended.status;
  sample.effective_s = ended.seconds;
  if (ended.timed_out)
    sample.failure = fmt::format("ended after {:.0f} s, its time limit", ended.seconds);
  else if (ended.status != 0)
    sample.failure = fmt::format("exit status {}: {}", ended.status, last_words(program_log));
  read_run_log(run_log, ended.start_unix, sample);
  return sample;
}

std::string utc_text(double unix_seconds) {
  const std::chrono::system_clock::time_point time{
      std::chrono::seconds(static_cast<long long>(unix_seconds))};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace spex::bench
