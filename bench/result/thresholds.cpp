#include "bench/result/thresholds.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "bench/plan/read_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Refuses JSON that is no object, or one without members.
void require_members(const std::string& path, const std::string& where, const Json& json) {
  if (!json.is_object() || json.empty())
    throw usage_error(path, where + " has nothing", "a thresholds file (docs/benchmark.md)");
}

void take_entries(const std::string& path, const Json& entries, const Asked& asked,
                  Thresholds& thresholds) {
  for (const auto& [entry, value] : entries.items()) {
    if (std::find(asked.entries.begin(), asked.entries.end(), entry) == asked.entries.end())
      throw usage_error(path, entry + " is no entry of the plan",
                        fmt::format("{}", fmt::join(asked.entries, ", ")));
    const Threshold threshold = read_threshold(path, entry, value);
    const auto is_one_of = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), entry) != names.end();
    };
    if ((threshold.fpnh_effective || threshold.fpnh_extraction) && is_one_of(asked.parts))
      throw usage_error(path, entry + ": FPNH is asked of parts of frames, or of a frame alone",
                        "seconds_effective or seconds_extraction");
    if (threshold.fpnh_sustained && !is_one_of(asked.long_runs))
      throw usage_error(path, entry + ": 'fpnh_sustained' is asked of what is no long run",
                        "an entry with 'sustain'");
    thresholds.entries[entry] = threshold;
  }
}

// Where only other systems have numbers of the plan, the name may be a slip: what is asked of any
// system must at least be asked of each entry that those have numbers of.
void check_system_is_judged(const Thresholds& thresholds, const Asked& asked,
                            const std::map<std::string, std::set<std::string>>& of_systems) {
  if (of_systems.empty() || of_systems.contains(asked.system)) return;
  std::vector<std::string> systems;
  for (const auto& [system, entries] : of_systems) systems.push_back(system);
  const std::string known = fmt::format("{}", fmt::join(systems, ", "));
  for (const auto& [system, entries] : of_systems)
    for (const std::string& entry : asked.entries)
      if (entries.contains(entry) && !thresholds.entries.contains(entry))
        throw usage_error(thresholds.path,
                          fmt::format("has nothing for the plan {} on '{}' (--system) of {}",
                                      asked.plan, asked.system, entry),
                          fmt::format("one of {}; or what any system must reach", known));
  spdlog::warn(
      "{}: has nothing of the system '{}' (--system) for the plan {}, but of {}; what any must "
      "reach holds",
      thresholds.path, asked.system, asked.plan, known);
}

}  // namespace

Threshold read_threshold(const std::string& path, const std::string& where, const Json& json) {
  const std::string expected =
      "fpnh_effective, fpnh_extraction, fpnh_sustained, seconds_effective or seconds_extraction, "
      "and perhaps margin and margin_above";
  if (!json.is_object()) throw usage_error(path, where + " is no object", expected);
  // Beyond this margin a threshold asks for next to nothing.
  constexpr double most_margin = 0.5;
  Threshold threshold;
  bool asks = false;
  for (const auto& [key, value] : json.items()) {
    const std::string name = fmt::format("{}: '{}'", where, key);
    const auto need = [&, &text = value](bool holds, const std::string& what) {
      if (!holds) throw usage_error(path, name + " is " + text.dump(), what);
    };
    bool known = false;
    Threshold::members(threshold, [&, &key = key, &value = value](const char* member, auto& to) {
      if (key != member) return;
      known = true;
      need(value.is_number(), "a number");
      to = value.template get<double>();
    });
    if (!known) throw usage_error(path, name + " is unknown", expected);
    const auto number = value.get<double>();
    if (key == "margin") {
      need(number >= 0 && number <= most_margin, fmt::format("0 to {:g}", most_margin));
    } else if (key == "margin_above") {
      need(number >= 0, "0 or more");
    } else {
      need(number > 0, "more than 0");
      asks = true;
    }
  }
  if (!asks) throw usage_error(path, where + " asks for nothing", expected);
  return threshold;
}

Thresholds read_thresholds(const std::string& path, const Asked& asked) {
  const std::string expected = "a thresholds file (docs/benchmark.md)";
  const Json json = parse_written(read_written(path, expected), path);
  Thresholds thresholds;
  thresholds.path = path;
  if (!json.is_object()) throw usage_error(path, "is no JSON object", expected);
  for (const auto& [key, value] : json.items())
    if (key != "entries" && key != "systems")
      throw usage_error(path, "'" + key + "' is unknown", "entries, systems");
  if (json.contains("entries")) {
    require_members(path, "entries", json.at("entries"));
    take_entries(path, json.at("entries"), asked, thresholds);
  }
  std::map<std::string, std::set<std::string>> of_systems;  // entries of the plan with numbers
  if (json.contains("systems")) {
    require_members(path, "systems", json.at("systems"));
    for (const auto& [system, plans] : json.at("systems").items()) {
      require_members(path, system, plans);
      for (const auto& [plan, entries] : plans.items()) {
        require_members(path, fmt::format("{}, {}", system, plan), entries);
        if (plan == asked.plan)
          for (const auto& [entry, value] : entries.items()) of_systems[system].insert(entry);
        if (system == asked.system && plan == asked.plan)
          take_entries(path, entries, asked, thresholds);
        else  // another's mistakes are mistakes too
          for (const auto& [entry, value] : entries.items())
            static_cast<void>(
                read_threshold(path, fmt::format("{}, {}, {}", system, plan, entry), value));
      }
    }
  }
  check_system_is_judged(thresholds, asked, of_systems);
  if (thresholds.entries.empty())
    throw usage_error(path,
                      fmt::format("has nothing for the plan {} on '{}'", asked.plan, asked.system),
                      "entries, or that system (--system) and plan");
  return thresholds;
}

}  // namespace spex::bench
