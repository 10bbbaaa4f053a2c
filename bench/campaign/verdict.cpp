#include "bench/campaign/verdict.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "bench/campaign/written_json.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Of an interval that something is judged by; that of five samples has 93.75%.
constexpr double least_coverage = 0.9;

// An interval that may be judged by, or the word for one that may not.
bool can_judge(const char* what, const Statistic& found, std::vector<std::string>& reasons) {
  if (found.low && found.high && found.coverage.value_or(0) >= least_coverage) return true;
  reasons.push_back(
      fmt::format("{} has too few samples for an interval of {:g}%", what, 100 * least_coverage));
  return false;
}

std::string interval_text(const char* what, const Statistic& found, const char* format_of_one) {
  const auto one = [&](double value) { return fmt::format(fmt::runtime(format_of_one), value); };
  return fmt::format("{} {} ({} to {}, {:.1f}%)", what, one(found.median), one(*found.low),
                     one(*found.high), 100 * *found.coverage);
}

// Slower than the reference is a failure, faster is not; much faster is doubted where the threshold
// says what that is.
std::string against(const char* what, const Statistic& fpnh, double reference,
                    const Threshold& threshold, std::vector<std::string>& reasons) {
  if (!can_judge(what, fpnh, reasons)) return "inconclusive";
  const double least = reference * (1 - threshold.margin);
  const std::string words = interval_text(what, fpnh, "{:.0f}");
  if (threshold.margin_above && *fpnh.low > reference * (1 + *threshold.margin_above)) {
    reasons.push_back(
        fmt::format("{}, at most {:.0f} expected: the reference is another machine's, or something "
                    "is wrong",
                    words, reference * (1 + *threshold.margin_above)));
    return "inconclusive";
  }
  if (*fpnh.low >= least) return "pass";
  reasons.push_back(fmt::format("{}, at least {:.0f} wanted", words, least));
  return *fpnh.high < least ? "fail" : "inconclusive";
}

std::string within(const char* what, const Statistic& seconds, double most,
                   std::vector<std::string>& reasons) {
  if (!can_judge(what, seconds, reasons)) return "inconclusive";
  if (*seconds.high <= most) return "pass";
  reasons.push_back(
      fmt::format("{}, at most {:.2f} wanted", interval_text(what, seconds, "{:.2f}"), most));
  return *seconds.low > most ? "fail" : "inconclusive";
}

// What is asked for and was not found is no pass.
std::string unknown(const char* what, std::vector<std::string>& reasons) {
  reasons.push_back(fmt::format("{} is not known", what));
  return "inconclusive";
}

std::string judge_performance(const Evidence& evidence, std::vector<std::string>& reasons) {
  if (!evidence.threshold) return "not-judged";
  const Threshold& threshold = *evidence.threshold;
  std::vector<std::string> found;
  const auto at_least = [&](const char* what, const std::optional<Statistic>& fpnh,
                            const std::optional<double>& asked) {
    if (asked)
      found.push_back(fpnh ? against(what, *fpnh, *asked, threshold, reasons)
                           : unknown(what, reasons));
  };
  const auto at_most = [&](const char* what, const std::optional<Statistic>& seconds,
                           const std::optional<double>& asked) {
    if (asked)
      found.push_back(seconds ? within(what, *seconds, *asked, reasons) : unknown(what, reasons));
  };
  at_least("effective FPNH", evidence.fpnh_effective, threshold.fpnh_effective);
  at_least("extraction FPNH", evidence.fpnh_extraction, threshold.fpnh_extraction);
  at_most("effective seconds", evidence.seconds_effective, threshold.seconds_effective);
  at_most("extraction seconds", evidence.seconds_extraction, threshold.seconds_extraction);
  if (threshold.fpnh_sustained && !evidence.not_sustained_because.empty()) {
    reasons.push_back("sustained FPNH: " + evidence.not_sustained_because);
    found.emplace_back("inconclusive");
  } else {
    at_least("sustained FPNH", evidence.fpnh_sustained, threshold.fpnh_sustained);
  }
  for (const char* worst : {"fail", "inconclusive", "pass"})
    if (std::find(found.begin(), found.end(), worst) != found.end()) return worst;
  return "not-judged";
}

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
  Threshold threshold;
  const std::map<std::string, std::optional<double>*> limits{
      {"fpnh_effective", &threshold.fpnh_effective},
      {"fpnh_extraction", &threshold.fpnh_extraction},
      {"fpnh_sustained", &threshold.fpnh_sustained},
      {"seconds_effective", &threshold.seconds_effective},
      {"seconds_extraction", &threshold.seconds_extraction}};
  bool asks = false;
  for (const auto& [key, value] : json.items()) {
    const std::string name = fmt::format("{}: '{}'", where, key);
    if (!limits.contains(key) && key != "margin" && key != "margin_above")
      throw usage_error(path, name + " is unknown", expected);
    if (!value.is_number()) throw usage_error(path, name + " is " + value.dump(), "a number");
    const auto number = value.get<double>();
    if (limits.contains(key)) {
      if (!(number > 0)) throw usage_error(path, name + " is " + value.dump(), "more than 0");
      *limits.at(key) = number;
      asks = true;
    } else if (key == "margin") {
      // Beyond it what is asked for asks for next to nothing.
      constexpr double most_margin = 0.5;
      if (!(number >= 0 && number <= most_margin))
        throw usage_error(path, name + " is " + value.dump(),
                          fmt::format("0 to {:g}", most_margin));
      threshold.margin = number;
    } else {
      if (!(number >= 0)) throw usage_error(path, name + " is " + value.dump(), "0 or more");
      threshold.margin_above = number;
    }
  }
  if (!asks) throw usage_error(path, where + " asks for nothing", expected);
  return threshold;
}

Json Threshold::to_json() const {
  Json json;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) json[key] = *value;
  };
  add("fpnh_effective", fpnh_effective);
  add("fpnh_extraction", fpnh_extraction);
  add("fpnh_sustained", fpnh_sustained);
  add("seconds_effective", seconds_effective);
  add("seconds_extraction", seconds_extraction);
  add("margin", margin);
  add("margin_above", margin_above);
  return json;
}

Thresholds read_thresholds(const std::string& path, const Asked& asked) {
  const std::string expected = "a thresholds file (docs/benchmark.md)";
  const std::string text = read_written(path, expected);
  Thresholds thresholds;
  thresholds.path = path;
  Json json;
  try {
    json = parse_written(text, path);
  } catch (const nlohmann::json::exception&) {
    json = nullptr;
  }
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

Json Verdict::to_json() const {
  return {{"correctness", correctness},
          {"performance", performance},
          {"health", health},
          {"overall", overall},
          {"exit_status", exit_status},
          {"reasons", reasons},
          {"threshold", threshold ? threshold->to_json() : Json()}};
}

Verdict judge(const Evidence& evidence) {
  Verdict verdict;
  verdict.threshold = evidence.threshold;
  verdict.correctness = verdict.performance = "not-judged";
  verdict.health = !evidence.health_known       ? "unknown"
                   : evidence.unhealthy.empty() ? "pass"
                                                : "fail";
  const auto end = [&](const char* overall, int status) {
    verdict.overall = overall;
    verdict.exit_status = status;
    return verdict;
  };
  if (evidence.skipped) {
    verdict.reasons.push_back(evidence.skipped_because);
    return end("skipped", status::skipped);
  }
  if (!evidence.error.empty()) {
    verdict.reasons.push_back(evidence.error);
    return end("error", status::failed);
  }
  verdict.reasons = evidence.unhealthy;
  if (evidence.throttled > 0)
    verdict.reasons.push_back(
        fmt::format("{} run(s) were throttled and do not count", evidence.throttled));
  verdict.reasons.insert(verdict.reasons.end(), evidence.wrong.begin(), evidence.wrong.end());
  if (!evidence.wrong.empty())
    verdict.correctness = "fail";
  else if (evidence.complete)
    verdict.correctness = "pass";
  if (!evidence.unhealthy.empty()) return end("unhealthy", status::unhealthy);
  if (!evidence.wrong.empty()) return end("incorrect", status::incorrect);
  if (!evidence.complete) {
    verdict.reasons.emplace_back("not all of its runs were made");
    return end("error", status::failed);
  }
  verdict.performance = judge_performance(evidence, verdict.reasons);
  if (verdict.performance == "fail") return end("slow", status::slow);
  if (verdict.performance == "inconclusive") return end("inconclusive", status::inconclusive);
  return end("pass", status::done);
}

int combined_status(const std::vector<int>& statuses) {
  for (const int first : {status::failed, status::unhealthy, status::incorrect, status::slow,
                          status::inconclusive, status::skipped})
    if (std::find(statuses.begin(), statuses.end(), first) != statuses.end()) return first;
  return status::done;
}

}  // namespace spex::bench
