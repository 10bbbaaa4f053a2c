#include "bench/campaign/verdict.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int passed = 0, failed = 1, incorrect = 3, slow = 4, unhealthy = 5, inconclusive = 6,
              skipped = 77;

// One-sided: slower than this is a failure, faster never is.
std::string against(const char* what, const Statistic& fpnh, double reference, double margin,
                    std::vector<std::string>& reasons) {
  const double least = reference * (1 - margin);
  if (!fpnh.low || !fpnh.high) {
    reasons.push_back(fmt::format("{} has too few samples for an interval", what));
    return "inconclusive";
  }
  const std::string words = fmt::format("{} {:.0f} ({:.0f} to {:.0f}), at least {:.0f} wanted",
                                        what, fpnh.median, *fpnh.low, *fpnh.high, least);
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

Thresholds read_thresholds(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw usage_error(path, "cannot be read", "a thresholds file (docs/benchmark.md)");
  Thresholds thresholds;
  thresholds.path = path;
  try {
    const Json json = Json::parse(in, nullptr, true, true);
    for (const auto& [entry, value] : json.at("entries").items()) {
      Threshold& threshold = thresholds.entries[entry];
      for (const auto& [key, number] : value.items()) {
        if (key == "fpnh_effective")
          threshold.fpnh_effective = number.get<double>();
        else if (key == "fpnh_extraction")
          threshold.fpnh_extraction = number.get<double>();
        else if (key == "margin")
          threshold.margin = number.get<double>();
        else
          throw usage_error(path, fmt::format("{}: '{}' is unknown", entry, key),
                            "fpnh_effective, fpnh_extraction, margin");
      }
    }
  } catch (const nlohmann::json::exception& error) {
    throw usage_error(path, error.what(), "a thresholds file (docs/benchmark.md)");
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
    return end("skipped", skipped);
  }
  if (!evidence.error.empty()) {
    verdict.reasons.push_back(evidence.error);
    return end("error", failed);
  }
  verdict.reasons = evidence.unhealthy;
  verdict.reasons.insert(verdict.reasons.end(), evidence.wrong.begin(), evidence.wrong.end());
  if (!evidence.wrong.empty())
    verdict.correctness = "fail";
  else if (evidence.complete)
    verdict.correctness = "pass";
  if (!evidence.unhealthy.empty()) return end("unhealthy", unhealthy);
  if (!evidence.wrong.empty()) return end("incorrect", incorrect);
  if (!evidence.complete) {
    verdict.reasons.emplace_back("not all of its runs were made");
    return end("error", failed);
  }
  verdict.performance = judge_performance(evidence, verdict.reasons);
  if (verdict.performance == "fail") return end("slow", slow);
  if (verdict.performance == "inconclusive") return end("inconclusive", inconclusive);
  return end("pass", passed);
}

int combined_status(const std::vector<int>& statuses) {
  for (const int status : {failed, unhealthy, incorrect, slow, inconclusive, skipped})
    if (std::find(statuses.begin(), statuses.end(), status) != statuses.end()) return status;
  return passed;
}

}  // namespace spex::bench
