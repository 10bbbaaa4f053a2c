#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "bench/result/derive.hpp"
#include "bench/result/judged_speed.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

// Whether a failure is the system's, not the program's: a full disk, too little memory, too many
// open files, or an MPS that does not start (messages of mps-wrapper).
bool is_system_failure(const std::string& failure) {
  const auto says = [&](const char* message) { return failure.find(message) != std::string::npos; };
  return says(std::strerror(ENOSPC)) || says(std::strerror(ENOMEM)) ||
         says(std::strerror(EMFILE)) || says("mps-wrapper: nvidia-cuda-mps-control") ||
         says("mps-wrapper: MPS did not answer");
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
  if (!health.cpu) return found;
  const CpuHealth &before = health.cpu->before, &after = health.cpu->after;
  if (const double errors = after.memory_uncorrected.value_or(0); errors > 0)
    found.push_back(
        fmt::format("{:.0f} uncorrected errors of the node's memory since it was started", errors));
  if (const double more = after.throttled.value_or(0) - before.throttled.value_or(0); more > 0)
    found.push_back(fmt::format("CPU cores were too hot {:.0f} times during the runs", more));
  return found;
}

// Whether the node has any counter of its CPUs' health.
bool knows(const std::optional<CpuHealthRecord>& cpu) {
  return cpu && (cpu->after.memory_uncorrected || cpu->after.throttled);
}

// How many timed runs do not count: "1 run(s) were disturbed and do not count; run 2: other
// processes took 51% of the CPU time". Warm-ups never count.
std::vector<std::string> uncounted_runs(const std::vector<Sample>& samples) {
  std::vector<std::string> lines;
  int throttled = 0, disturbed = 0;
  std::string first;
  for (const Sample& sample : samples) {
    if (sample.warmup) continue;
    if (sample.throttled) ++throttled;
    if (sample.disturbed && ++disturbed == 1)
      first = fmt::format("run {}: {}", sample.index, *sample.disturbed);
  }
  if (throttled > 0)
    lines.push_back(fmt::format("{} run(s) were throttled and do not count", throttled));
  if (disturbed > 0)
    lines.push_back(fmt::format("{} run(s) were disturbed and do not count; {}", disturbed, first));
  return lines;
}

}  // namespace

bool is_unhealthy(const std::string& throttle_reason) {
  return throttle_reason == "hw-slowdown" || throttle_reason == "hw-thermal-slowdown" ||
         throttle_reason == "sw-thermal-slowdown" || throttle_reason == "hw-power-brake";
}

Verdict judge(const Record& record, const Fom& fom) {
  const std::vector<std::string> unhealthy = unhealthy_of(record.health);
  Verdict verdict;
  verdict.correctness = verdict.performance = "not-judged";
  const bool is_known = record.health.before || knows(record.health.cpu);
  verdict.health = !is_known ? "unknown" : unhealthy.empty() ? "pass" : "fail";
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
  const std::vector<std::string> uncounted = uncounted_runs(record.timing.samples);
  verdict.reasons.insert(verdict.reasons.end(), uncounted.begin(), uncounted.end());
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
  const std::vector<JudgedSpeed> speeds = judge_speeds(record, fom);
  for (const JudgedSpeed& speed : speeds)
    verdict.reasons.insert(verdict.reasons.end(), speed.reasons.begin(), speed.reasons.end());
  verdict.performance = worst_of(speeds);
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
