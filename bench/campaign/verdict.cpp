#include "bench/campaign/verdict.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Of an interval that something is judged by; that of five samples has 93.75%.
constexpr double least_coverage = 0.9;

// One-sided: slower than this is a failure, faster never is.
std::string against(const char* what, const Statistic& fpnh, double reference, double margin,
                    std::vector<std::string>& reasons) {
  const double least = reference * (1 - margin);
  if (!fpnh.low || !fpnh.high || fpnh.coverage.value_or(0) < least_coverage) {
    reasons.push_back(
        fmt::format("{} has too few samples for an interval of {:g}%", what, 100 * least_coverage));
    return "inconclusive";
  }
  const std::string words =
      fmt::format("{} {:.0f} ({:.0f} to {:.0f}, {:.1f}%), at least {:.0f} wanted", what,
                  fpnh.median, *fpnh.low, *fpnh.high, 100 * *fpnh.coverage, least);
  if (*fpnh.low >= least) return "pass";
  reasons.push_back(words);
  return *fpnh.high < least ? "fail" : "inconclusive";
}

std::string judge_performance(const Evidence& evidence, std::vector<std::string>& reasons) {
  if (!evidence.threshold) return "not-judged";
  const Threshold& threshold = *evidence.threshold;
  std::vector<std::string> found;
  if (threshold.fpnh_effective && evidence.fpnh_effective)
    found.push_back(against("effective FPNH", *evidence.fpnh_effective, *threshold.fpnh_effective,
                            threshold.margin, reasons));
  if (threshold.fpnh_extraction && evidence.fpnh_extraction)
    found.push_back(against("extraction FPNH", *evidence.fpnh_extraction,
                            *threshold.fpnh_extraction, threshold.margin, reasons));
  for (const char* worst : {"fail", "inconclusive", "pass"})
    if (std::find(found.begin(), found.end(), worst) != found.end()) return worst;
  return "not-judged";
}

}  // namespace

namespace {

// What one entry must reach; `where` names it.
Threshold read_threshold(const std::string& path, const std::string& where, const Json& json) {
  const std::string expected = "fpnh_effective, fpnh_extraction, or both, and perhaps margin";
  if (!json.is_object()) throw usage_error(path, where + " is no object", expected);
  Threshold threshold;
  for (const auto& [key, value] : json.items()) {
    const std::string name = fmt::format("{}: '{}'", where, key);
    if (key != "fpnh_effective" && key != "fpnh_extraction" && key != "margin")
      throw usage_error(path, name + " is unknown", expected);
    if (!value.is_number()) throw usage_error(path, name + " is " + value.dump(), "a number");
    const auto number = value.get<double>();
    if (key == "margin") {
      if (!(number >= 0 && number < 1))
        throw usage_error(path, name + " is " + value.dump(), "0 or more, and less than 1");
      threshold.margin = number;
    } else {
      if (!(number > 0)) throw usage_error(path, name + " is " + value.dump(), "more than 0");
      (key == "fpnh_effective" ? threshold.fpnh_effective : threshold.fpnh_extraction) = number;
    }
  }
  if (!threshold.fpnh_effective && !threshold.fpnh_extraction)
    throw usage_error(path, where + " asks for nothing", expected);
  return threshold;
}

}  // namespace

Thresholds read_thresholds(const std::string& path, const std::vector<std::string>& entries) {
  const std::string expected = "a thresholds file (docs/benchmark.md)";
  std::ifstream in(path);
  if (!in) throw usage_error(path, "cannot be read", expected);
  Thresholds thresholds;
  thresholds.path = path;
  const Json json = Json::parse(in, nullptr, false, true);
  if (!json.is_object()) throw usage_error(path, "is no JSON object", expected);
  for (const auto& [key, value] : json.items())
    if (key != "entries") throw usage_error(path, "'" + key + "' is unknown", "entries");
  if (!json.contains("entries") || !json.at("entries").is_object() || json.at("entries").empty())
    throw usage_error(path, "has no entries", expected);
  for (const auto& [entry, value] : json.at("entries").items()) {
    if (std::find(entries.begin(), entries.end(), entry) == entries.end())
      throw usage_error(path, entry + " is no entry of the plan",
                        fmt::format("{}", fmt::join(entries, ", ")));
    thresholds.entries[entry] = read_threshold(path, entry, value);
  }
  return thresholds;
}

Json Verdict::to_json() const {
  return {{"correctness", correctness}, {"performance", performance}, {"health", health},
          {"overall", overall},         {"exit_status", exit_status}, {"reasons", reasons}};
}

Verdict judge(const Evidence& evidence) {
  Verdict verdict;
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
    verdict.reasons.emplace_back("there is no GPU for it");
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
