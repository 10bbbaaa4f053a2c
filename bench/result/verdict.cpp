#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "bench/result/derive.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

// Required coverage of an interval that decides; five samples have 93.75%.
constexpr double min_coverage = 0.9;

// Whether there are enough samples for an interval; adds a reason if not.
bool can_judge(const char* what, const Statistic& found, std::vector<std::string>& reasons) {
  if (found.low && found.high && found.coverage.value_or(0) >= min_coverage) return true;
  reasons.push_back(
      fmt::format("{} has too few samples for an interval of {:g}%", what, 100 * min_coverage));
  return false;
}

std::string interval_text(const char* what, const Statistic& found, const char* number_format) {
  const auto text = [&](double value) { return fmt::format(fmt::runtime(number_format), value); };
  return fmt::format("{} {} ({} to {}, {:.1f}%)", what, text(found.median), text(*found.low),
                     text(*found.high), 100 * *found.coverage);
}

// Compares FPNH with a reference. Slower is a failure. Faster is not, but is doubted above the
// threshold's margin_above.
std::string judge_fpnh(const char* what, const Statistic& fpnh, double reference,
                       const Threshold& threshold, std::vector<std::string>& reasons) {
  if (!can_judge(what, fpnh, reasons)) return "inconclusive";
  const double minimum = reference * (1 - threshold.margin);
  const std::string interval = interval_text(what, fpnh, "{:.0f}");
  if (threshold.margin_above && *fpnh.low > reference * (1 + *threshold.margin_above)) {
    reasons.push_back(
        fmt::format("{}, at most {:.0f} expected: the reference is another machine's, or something "
                    "is wrong",
                    interval, reference * (1 + *threshold.margin_above)));
    return "inconclusive";
  }
  if (*fpnh.low >= minimum) return "pass";
  reasons.push_back(fmt::format("{}, at least {:.0f} wanted", interval, minimum));
  return *fpnh.high < minimum ? "fail" : "inconclusive";
}

std::string judge_seconds(const char* what, const Statistic& seconds, double maximum,
                          std::vector<std::string>& reasons) {
  if (!can_judge(what, seconds, reasons)) return "inconclusive";
  if (*seconds.high <= maximum) return "pass";
  reasons.push_back(
      fmt::format("{}, at most {:.2f} wanted", interval_text(what, seconds, "{:.2f}"), maximum));
  return *seconds.low > maximum ? "fail" : "inconclusive";
}

// A required value that is unknown makes the verdict inconclusive.
std::string unknown(const char* what, std::vector<std::string>& reasons) {
  reasons.push_back(fmt::format("{} is not known", what));
  return "inconclusive";
}

// Seconds of an exposure, for which fewer frames may stand.
std::optional<Statistic> seconds_of_exposure(const Record& record,
                                             const std::optional<Figure>& figure) {
  if (!figure) return std::nullopt;
  Statistic seconds = figure->seconds;
  if (!record.work.scaled_to) return seconds;
  const double factor = static_cast<double>(*record.work.scaled_to) / record.work.frames;
  seconds.median *= factor;
  for (std::optional<double>* end : {&seconds.low, &seconds.high})
    if (*end) **end *= factor;
  return seconds;
}

std::string judge_performance(const Record& record, const Fom& fom,
                              std::vector<std::string>& reasons) {
  if (!record.threshold) return "not-judged";
  const Threshold& threshold = *record.threshold;
  std::vector<std::string> found;
  const auto at_least = [&](const char* what, const std::optional<Statistic>& fpnh,
                            const std::optional<double>& required) {
    if (required)
      found.push_back(fpnh ? judge_fpnh(what, *fpnh, *required, threshold, reasons)
                           : unknown(what, reasons));
  };
  const auto at_most = [&](const char* what, const std::optional<Figure>& figure,
                           const std::optional<double>& required) {
    const std::optional<Statistic> seconds = seconds_of_exposure(record, figure);
    if (required)
      found.push_back(seconds ? judge_seconds(what, *seconds, *required, reasons)
                              : unknown(what, reasons));
  };
  const auto fpnh_of = [](const std::optional<Figure>& figure) {
    return figure ? figure->fpnh : std::nullopt;
  };
  at_least("effective FPNH", fpnh_of(fom.effective), threshold.fpnh_effective);
  at_least("extraction FPNH", fpnh_of(fom.extraction), threshold.fpnh_extraction);
  at_most("effective seconds", fom.effective, threshold.seconds_effective);
  at_most("extraction seconds", fom.extraction, threshold.seconds_extraction);
  const auto& sustain = record.work.sustain;
  const bool too_short = sustain && sustain->seconds && soak_seconds(record) < *sustain->seconds;
  if (threshold.fpnh_sustained && too_short) {
    reasons.push_back(fmt::format(
        "sustained FPNH: the steady part lasted {:.2f} s, not the {:g} that were required "
        "for",
        soak_seconds(record), *sustain->seconds));
    found.emplace_back("inconclusive");
  } else {
    at_least("sustained FPNH", sustained_fpnh_to_judge(record), threshold.fpnh_sustained);
  }
  for (const char* worst : {"fail", "inconclusive", "pass"})
    if (std::find(found.begin(), found.end(), worst) != found.end()) return worst;
  return "not-judged";
}

// Whether a failure is the system's, not the program's: a full disk, too many open files, or an MPS
// that does not start (messages of mps-wrapper).
bool is_system_failure(const std::string& failure) {
  const auto says = [&](const char* message) { return failure.find(message) != std::string::npos; };
  return says(std::strerror(ENOSPC)) || says(std::strerror(EMFILE)) ||
         says("mps-wrapper: nvidia-cuda-mps-control") || says("mps-wrapper: MPS did not answer");
}

std::vector<std::string> unhealthy_of(const HealthRecord& health) {
  std::vector<std::string> found;
  if (health.during)
    for (const GpuExtremes& gpu : *health.during)
      for (const std::string& reason : gpu.throttle_reasons)
        if (is_unhealthy(reason)) found.push_back(gpu.uuid + ": " + reason);
  if (health.after)
    for (const GpuState& gpu : *health.after)
      if (const double errors = gpu.ecc_uncorrected.value_or(0); errors > 0)
        found.push_back(fmt::format("{}: {:.0f} uncorrected memory errors", gpu.uuid, errors));
  return found;
}

}  // namespace

bool is_unhealthy(const std::string& throttle_reason) {
  return throttle_reason == "hw-slowdown" || throttle_reason == "hw-thermal-slowdown" ||
         throttle_reason == "sw-thermal-slowdown" || throttle_reason == "hw-power-brake";
}

Verdict judge(const Record& record, const Fom& fom) {
  const std::vector<std::string> unhealthy = unhealthy_of(record.health);
  const auto& samples = record.timing.samples;
  Verdict verdict;
  verdict.correctness = verdict.performance = "not-judged";
  verdict.health = !record.health.before ? "unknown" : unhealthy.empty() ? "pass" : "fail";
  const auto end = [&](const char* overall, int status) {
    verdict.overall = overall;
    verdict.exit_status = status;
    return verdict;
  };
  if (record.skipped) {
    verdict.reasons.push_back(*record.skipped);
    return end("skipped", status::skipped);
  }
  std::vector<std::string> wrong = faults_of(record);
  std::optional<std::string> error = record.error;
  if (const auto found = std::find_if(wrong.begin(), wrong.end(), is_system_failure);
      !error && found != wrong.end())
    error = *found;
  if (error) {
    verdict.reasons.push_back(*error);
    return end("error", status::failed);
  }
  verdict.reasons = unhealthy;
  const auto throttled = std::count_if(samples.begin(), samples.end(),
                                       [](const Sample& sample) { return sample.throttled; });
  if (throttled > 0)
    verdict.reasons.push_back(fmt::format("{} run(s) were throttled and do not count", throttled));
  const bool complete = is_complete(record);
  verdict.reasons.insert(verdict.reasons.end(), wrong.begin(), wrong.end());
  if (!wrong.empty())
    verdict.correctness = "fail";
  else if (complete)
    verdict.correctness = "pass";
  if (!unhealthy.empty()) return end("unhealthy", status::unhealthy);
  if (!wrong.empty()) return end("incorrect", status::incorrect);
  if (!complete) {
    verdict.reasons.emplace_back("not all of its runs were made and compared");
    return end("error", status::failed);
  }
  verdict.performance = judge_performance(record, fom, verdict.reasons);
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
