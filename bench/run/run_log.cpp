#include "bench/run/run_log.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/plan/optional_json.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/statistics.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* run_log = "a run log";
constexpr std::uintmax_t most_bytes = 1000000000;
constexpr long most_counted = 1000000000;

// The members of a list that must have some.
const Json& list_at(const std::string& path, const Json& log, const char* key) {
  const Json& list = log.at(key);
  if (!list.is_array() || list.empty())
    throw data_error(path, fmt::format("has no {}", key), run_log);
  return list;
}

double seconds_at(const std::string& path, const Json& json, const char* key) {
  const double seconds = json.at(key).get<double>();
  if (!std::isfinite(seconds) || seconds < 0)
    throw data_error(path, fmt::format("'{}' is {}", key, json.at(key).dump()), "seconds from 0");
  return seconds;
}

long count_at(const std::string& path, const Json& json, const char* key) {
  const Json& count = json.at(key);
  if (!count.is_number_integer() || count < 0 || count > most_counted)
    throw data_error(path, fmt::format("'{}' is {}", key, count.dump()), "a number from 0");
  return count.get<long>();
}

PhaseSeconds over_ranks(const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return {*least, median_of(seconds), *most, std::accumulate(seconds.begin(), seconds.end(), 0.0)};
}

std::map<std::string, PhaseSeconds> phases_of(const std::string& path, const Json& log) {
  std::map<std::string, std::vector<double>> by_phase;
  const Json& ranks = list_at(path, log, "ranks");
  by_phase["start"].assign(ranks.size(), 0);
  for (const Json& rank : ranks)
    for (const auto& [stage, seconds] : rank.at("seconds").items())
      by_phase[stage].push_back(seconds_at(path, rank.at("seconds"), stage.c_str()));
  // Extractors of a rank are made at the same time.
  for (const Json& event : log.at("events"))
    if (event.at("stage") == "start") {
      const auto rank = event.at("rank").get<std::size_t>();
      if (rank >= ranks.size()) throw data_error(path, "has an event of no rank", run_log);
      double& seconds = by_phase["start"][rank];
      seconds = std::max(seconds, event.at("end").get<double>() - event.at("start").get<double>());
    }
  std::map<std::string, PhaseSeconds> phases;
  for (const auto& [phase, seconds] : by_phase) phases[phase] = over_ranks(seconds);
  return phases;
}

RunLog::Frame frame_of(const std::string& path, const Json& json) {
  return {json.at("camera"),
          json.at("input"),
          json.at("output"),
          count_at(path, json, "patches"),
          count_at(path, json, "fell_back"),
          count_at(path, json, "failed"),
          optional_at<std::string>(json, "error")};
}

}  // namespace

RunLog read_run_log(const std::string& path) {
  // A pipe would be waited for, and a device has no end.
  std::error_code none;
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
    throw data_error(path, "is no file", run_log);
  std::ifstream in(path);
  if (!in) throw data_error(path, "there is no run log", "one, by --events");
  if (std::filesystem::file_size(path, none) > most_bytes)
    throw data_error(path, "is too long", "at most a gigabyte");
  return parse_run_log({std::istreambuf_iterator<char>(in), {}}, path);
}

RunLog parse_run_log(const std::string& text, const std::string& path) {
  const std::optional<Json> found = read_json(text);
  if (!found) throw data_error(path, "is no JSON", run_log);
  const Json& json = *found;
  try {
    RunLog log;
    log.program = json.at("program");
    log.milestone = json.at("milestone");
    log.origin_unix = seconds_at(path, json, "origin_unix");
    for (const Json& event : list_at(path, json, "events")) {
      const double start = seconds_at(path, event, "start");
      const double end = seconds_at(path, event, "end");
      if (end < start)
        throw data_error(path, fmt::format("an event ends at {} s, begun at {} s", end, start),
                         run_log);
      log.end_s = std::max(log.end_s, end);
    }
    log.phases = phases_of(path, json);
    log.ranks = static_cast<int>(json.at("ranks").size());
    for (const Json& rank : json.at("ranks")) log.hosts.insert(rank.at("host"));
    for (const Json& rank : json.at("ranks"))
      log.max_rss_bytes = std::max(log.max_rss_bytes, rank.at("max_rss_bytes").get<double>());
    for (const Json& frame : list_at(path, json, "frames"))
      log.frames.push_back(frame_of(path, frame));
    return log;
  } catch (const nlohmann::json::exception& error) {
    throw data_error(path, error.what(), run_log);
  }
}

}  // namespace spex::bench
