#include "bench/run/run_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/plan/read_json.hpp"
#include "reference/core/error.hpp"
#include "reference/core/median.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* run_log = "a run log";

// A list with at least one member.
const Json& list_at(const std::string& path, const Json& log, const char* key) {
  const Json& list = log.at(key);
  if (!list.is_array() || list.empty())
    throw data_error(path, fmt::format("has no {}", key), run_log);
  return list;
}

// A number of seconds, or a count.
double number_at(const std::string& path, const Json& json, const char* key) {
  const double number = json.at(key).get<double>();
  if (!(number >= 0))
    throw data_error(path, fmt::format("'{}' is {}", key, json.at(key).dump()), "a number from 0");
  return number;
}

// When a rank's start begins and ends.
struct Span {
  double begin = std::numeric_limits<double>::infinity();
  double end = 0;
};

StageSeconds over_ranks(const std::vector<double>& seconds) {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return {*least, median(seconds), *most, std::accumulate(seconds.begin(), seconds.end(), 0.0)};
}

std::map<std::string, StageSeconds> stages_of(const std::string& path, const Json& log) {
  std::map<std::string, std::vector<double>> by_stage;
  const Json& ranks = list_at(path, log, "ranks");
  for (const Json& rank : ranks)
    for (const auto& [stage, seconds] : rank.at("seconds").items())
      by_stage[stage].push_back(number_at(path, rank.at("seconds"), stage.c_str()));
  // A rank starts the driver, and then makes its extractors in parallel.
  std::vector<Span> starts(ranks.size());
  for (const Json& event : log.at("events"))
    if (event.at("stage") == "start") {
      const auto rank = event.at("rank").get<std::size_t>();
      if (rank >= ranks.size()) throw data_error(path, "has an event of no rank", run_log);
      starts[rank].begin = std::min(starts[rank].begin, event.at("start").get<double>());
      starts[rank].end = std::max(starts[rank].end, event.at("end").get<double>());
    }
  for (const Span& span : starts) by_stage["start"].push_back(std::max(0.0, span.end - span.begin));
  std::map<std::string, StageSeconds> stages;
  for (const auto& [stage, seconds] : by_stage) stages[stage] = over_ranks(seconds);
  return stages;
}

}  // namespace

RunLog read_run_log(const std::string& path) {
  const std::optional<Json> found = read_json_file(path);
  if (!found) throw data_error(path, "is not a JSON file", run_log);
  const Json& json = *found;
  try {
    RunLog log;
    log.program = json.at("program");
    log.milestone = json.at("milestone");
    for (const Json& event : list_at(path, json, "events")) {
      const double start = number_at(path, event, "start");
      const double end = number_at(path, event, "end");
      if (end < start)
        throw data_error(path, fmt::format("an event ends at {} s, begun at {} s", end, start),
                         run_log);
      log.end_s = std::max(log.end_s, end);
    }
    log.stages = stages_of(path, json);
    log.ranks = static_cast<int>(json.at("ranks").size());
    for (const Json& rank : json.at("ranks"))
      log.max_rss_bytes = std::max(log.max_rss_bytes, number_at(path, rank, "max_rss_bytes"));
    for (const Json& frame : list_at(path, json, "frames")) {
      ++log.frames;
      log.patches += std::llround(number_at(path, frame, "patches"));
      log.fell_back += std::llround(number_at(path, frame, "fell_back"));
      log.failed += std::llround(number_at(path, frame, "failed"));
    }
    return log;
  } catch (const nlohmann::json::exception& error) {
    throw data_error(path, error.what(), run_log);
  }
}

}  // namespace spex::bench
