#include "bench/result/thresholds.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "bench/plan/plan.hpp"
#include "bench/plan/read_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Rejects JSON that is not an object, and an empty object.
void require_members(const std::string& path, const std::string& where, const Json& json) {
  if (!json.is_object() || json.empty())
    throw usage_error(path, where + " has nothing", "a thresholds file (docs/benchmark.md)");
}

Threshold read_threshold_of(const std::string& path, const Plan& plan, const std::string& id,
                            const Json& json) {
  const auto entry = std::find_if(plan.entries.begin(), plan.entries.end(),
                                  [&](const Entry& candidate) { return candidate.id == id; });
  if (entry == plan.entries.end()) {
    std::vector<std::string> ids;
    for (const Entry& known : plan.entries) ids.push_back(known.id);
    throw usage_error(path, id + " is not an entry of the plan",
                      fmt::format("{}", fmt::join(ids, ", ")));
  }
  const Threshold threshold = read_threshold(path, id, json);
  if ((threshold.fpnh_effective || threshold.fpnh_extraction) &&
      !has_fpnh(*entry, plan.cases.at(entry->case_name)))
    throw usage_error(path, id + ": FPNH is required of parts of frames, or of a frame alone",
                      "seconds_effective or seconds_extraction");
  for (const auto& [name, required] :
       {std::pair{"fpnh_sustained", threshold.fpnh_sustained}, {"fpnh_soak", threshold.fpnh_soak}})
    if (required && !entry->sustain)
      throw usage_error(
          path, fmt::format("{}: '{}' is required of an entry that is not a long run", id, name),
          "an entry with 'sustain'");
  return threshold;
}

// If only other systems have thresholds for the plan, the name of the system may be misspelled.
// Entries with thresholds for those systems then need thresholds for any system.
void check_system_is_judged(const std::string& path, const Plan& plan, const std::string& system,
                            const Thresholds& thresholds,
                            const std::map<std::string, std::set<std::string>>& by_system) {
  if (by_system.empty() || by_system.contains(system)) return;
  std::vector<std::string> names;
  for (const auto& [name, entries] : by_system) names.push_back(name);
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  for (const auto& [name, entries] : by_system)
    for (const Entry& entry : plan.entries)
      if (entries.contains(entry.id) && !thresholds.contains(entry.id))
        throw usage_error(path,
                          fmt::format("has nothing for the plan {} on '{}' (--system) of {}",
                                      plan.name, system, entry.id),
                          fmt::format("one of {}; or what any system must reach", known));
  spdlog::warn(
      "{}: has no thresholds for system '{}' (--system) and plan {}, only for {}; those for any "
      "system "
      "apply",
      path, system, plan.name, known);
}

}  // namespace

Threshold read_threshold(const std::string& path, const std::string& where, const Json& json) {
  const std::string expected =
      "fpnh_effective, fpnh_extraction, fpnh_sustained, fpnh_soak, seconds_effective or "
      "seconds_extraction, and perhaps margin and margin_above";
  if (!json.is_object()) throw usage_error(path, where + " is not an object", expected);
  // A larger margin would make a threshold meaningless.
  constexpr double max_margin = 0.5;
  Threshold threshold;
  bool asks = false;
  for (const auto& [key, value] : json.items()) {
    const std::string name = fmt::format("{}: '{}'", where, key);
    const auto need = [&, &text = value](bool holds, const std::string& what) {
      if (!holds) throw usage_error(path, name + " is " + text.dump(), what);
    };
    bool known = false;
    Threshold::members(
        threshold, [&, &key = key, &value = value](const char* member, auto& to, const auto&...) {
          if (key != member) return;
          known = true;
          need(value.is_number(), "a number");
          to = value.template get<double>();
        });
    if (!known) throw usage_error(path, name + " is unknown", expected);
    const auto number = value.get<double>();
    if (key == "margin") {
      need(number >= 0 && number <= max_margin, fmt::format("0 to {:g}", max_margin));
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

Thresholds read_thresholds(const std::string& path, const Plan& plan, const std::string& system) {
  const std::string expected = "a thresholds file (docs/benchmark.md)";
  const Json json = parse_written(read_written(path, expected), path);
  if (!json.is_object()) throw usage_error(path, "is not a JSON object", expected);
  for (const auto& [key, value] : json.items()) {
    if (key != "entries" && key != "systems")
      throw usage_error(path, "'" + key + "' is unknown", "entries, systems");
    require_members(path, key, value);
  }
  Thresholds thresholds;
  const Json any_system = json.value("entries", Json::object());
  const Json systems = json.value("systems", Json::object());
  for (const auto& [entry, value] : any_system.items())
    thresholds[entry] = read_threshold_of(path, plan, entry, value);
  std::map<std::string, std::set<std::string>> by_system;  // entries of the plan with numbers
  for (const auto& [name, plans] : systems.items()) {
    require_members(path, name, plans);
    for (const auto& [plan_name, entries] : plans.items()) {
      require_members(path, fmt::format("{}, {}", name, plan_name), entries);
      for (const auto& [entry, value] : entries.items()) {
        if (plan_name == plan.name) by_system[name].insert(entry);
        if (plan_name == plan.name && name == system)
          thresholds[entry] = read_threshold_of(path, plan, entry, value);
        else  // check those of other systems too
          static_cast<void>(
              read_threshold(path, fmt::format("{}, {}, {}", name, plan_name, entry), value));
      }
    }
  }
  check_system_is_judged(path, plan, system, thresholds, by_system);
  if (thresholds.empty())
    throw usage_error(path, fmt::format("has nothing for the plan {} on '{}'", plan.name, system),
                      "entries, or that system (--system) and plan");
  return thresholds;
}

}  // namespace spex::bench
