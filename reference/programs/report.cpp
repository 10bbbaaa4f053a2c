#include "reference/programs/report.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "reference/programs/program.hpp"

namespace spex {

mpi::FrameJob prepare_job(const ExtractArguments& arguments, const std::string& program) {
  set_log_level(arguments.loglevel);
  mpi::FrameJob job = make_job(arguments);
  job.program = program;
  job.show_progress = spdlog::should_log(spdlog::level::info);
  return job;
}

void report(const mpi::FrameSummary& summary, const mpi::FrameJob& job) {
  std::string profile;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    profile +=
        fmt::format("{}{} {:.2f}", i == 0 ? "" : ", ", to_string(stage), summary.times.get(stage));
  }
  spdlog::info("seconds of all threads: {}", profile);
  const PatchCounts& counts = summary.counts;
  if (counts.fell_back > 0)
    spdlog::warn("{} of {} patches fell back to eigh", counts.fell_back, counts.patches);
  if (counts.failed > 0)
    spdlog::warn("{} of {} patches could not be solved and are flagged NODATA", counts.failed,
                 counts.patches);
  spdlog::info("wrote {}: {} patches by {}", job.output, counts.patches,
               to_string(job.options.method));
}

}  // namespace spex
