#include "bench/correctness/run_claims.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spex::bench {
namespace {

std::string wrong_clock(const RunLog& log, const SeenOf& seen) {
  const double origin = log.origin_unix;
  const double end = origin + log.end_s;
  if (origin < seen.start - seen.slack || end > seen.end + seen.slack)
    return fmt::format("the run log's clock goes from {:.2f} to {:.2f} s of a run of {:.2f} s",
                       origin - seen.start, end - seen.start, seen.end - seen.start);
  if (seen.first_read && *seen.first_read < origin - seen.slack)
    return fmt::format("an input was opened {:.2f} s before the run log's clock began",
                       origin - *seen.first_read);
  if (seen.first_gpu_use && *seen.first_gpu_use < origin - seen.slack)
    return fmt::format("memory of a GPU was in use {:.2f} s before the run log's clock began",
                       origin - *seen.first_gpu_use);
  if (seen.last_write && *seen.last_write > end + seen.slack)
    return fmt::format("the last output was there {:.2f} s after the run log's clock ended",
                       *seen.last_write - end);
  return {};
}

std::string too_many(const char* what, long count, long patches) {
  const auto limit = bad_patches_limit * static_cast<double>(patches);
  if (static_cast<double>(count) <= limit) return {};
  return fmt::format("{} of {} patches {} (at most {:g}%)", count, patches, what,
                     100 * bad_patches_limit);
}

}  // namespace

std::string answer_touched(const std::string& opened, const std::string& moved) {
  if (!opened.empty()) return opened + " was opened meanwhile" + no_business;
  if (!moved.empty()) return moved + " was moved or replaced meanwhile" + no_business;
  return {};
}

std::string contradiction(const RunLog& log, const AskedOf& asked, const SeenOf& seen) {
  if (log.program != asked.program)
    return fmt::format("the run log is of {} (expected {})", log.program, asked.program);
  if (log.milestone != asked.milestone)
    return fmt::format("the run log is of the milestone {} (expected {})", log.milestone,
                       asked.milestone);
  std::vector<std::string> logged, wanted = asked.cameras;
  long patches = 0, failed = 0, fell_back = 0;
  for (const RunLog::Frame& frame : log.frames) {
    logged.push_back(frame.camera);
    patches += frame.patches;
    failed += frame.failed;
    fell_back += frame.fell_back;
  }
  std::sort(logged.begin(), logged.end());
  std::sort(wanted.begin(), wanted.end());
  if (logged != wanted)
    return fmt::format("the run log has the frames {} (expected {})", fmt::join(logged, ","),
                       fmt::join(wanted, ","));
  if (log.ranks != asked.ranks)
    return fmt::format("the run log is of {} ranks (expected {})", log.ranks, asked.ranks);
  if (log.hosts.size() > static_cast<std::size_t>(asked.nodes))
    return fmt::format("the run log's ranks are on {} (expected {} node(s))",
                       fmt::join(log.hosts, ", "), asked.nodes);
  if (patches != asked.patches)
    return fmt::format("the run log has {} patches (expected {})", patches, asked.patches);
  if (!seen.answer.empty()) return seen.answer;
  if (!seen.gpu_not_given.empty())
    return fmt::format("memory of {} was in use, which the run was not given", seen.gpu_not_given);
  if (std::abs(seen.clock_was_set) > seen.slack + clock_drift * (seen.end - seen.start))
    return fmt::format("this machine's clock was set by {:.2f} s meanwhile", seen.clock_was_set);
  for (const std::string& wrong : {wrong_clock(log, seen), too_many("failed", failed, patches),
                                   too_many("fell back to eigh", fell_back, patches)})
    if (!wrong.empty()) return wrong;
  if (!seen.unopened.empty()) return seen.unopened + " was not opened";
  return {};
}

}  // namespace spex::bench
