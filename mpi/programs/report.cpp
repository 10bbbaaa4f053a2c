#include "mpi/programs/report.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "mpi/run/exposure_job.hpp"
#include "reference/cli/program.hpp"
#include "reference/frame/frame_warnings.hpp"

namespace spex {
namespace {

void report_times(const StageTimes& times) {
  std::string profile;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    profile += fmt::format("{}{} {:.3f}", i == 0 ? "" : ", ", to_string(stage), times.get(stage));
  }
  spdlog::info("seconds of all threads: {}", profile);
}

void report_patches(const std::string& output, const PatchCounts& counts) {
  const std::string frame = output.empty() ? "" : output + ": ";
  if (counts.guarded > 0)
    spdlog::info("{}{} of {} patches are ill-conditioned and were solved as a whole", frame,
                 counts.guarded, counts.patches);
  if (counts.direct > 0)
    spdlog::info("{}the flux of {} of {} patches was solved directly instead of iteratively", frame,
                 counts.direct, counts.patches);
  for (const std::string& line : warnings_of(counts)) spdlog::warn("{}{}", frame, line);
}

}  // namespace

FrameJob prepare_job(const ExtractArguments& arguments, const std::string& program) {
  set_log_level(arguments.production.verbose ? "debug" : arguments.loglevel);
  FrameJob job = make_job(arguments);
  job.settings.program = program;
  job.settings.show_progress = spdlog::should_log(spdlog::level::info);
  return job;
}

void report(const mpi::ExposureSummary& summary, const FrameJob& job) {
  report_times(summary.times);
  const PatchCounts& counts = summary.outcomes.front().counts;
  report_patches("", counts);
  spdlog::info("wrote {}: {} patches by {}", job.files.output, counts.patches,
               to_string(job.settings.options.method));
}

void report(const mpi::ExposureSummary& summary, const mpi::ExposureJob& job) {
  int missing = 0;
  for (const mpi::SkippedFrame& skipped : job.skipped) {
    missing += skipped.missing ? 1 : 0;
    if (skipped.missing)
      spdlog::warn("skipped {}: {} is missing", skipped.files.camera, skipped.path);
    else
      spdlog::info("skipped {}: {} exists", skipped.files.camera, skipped.path);
  }
  if (!job.skipped.empty())
    spdlog::log(missing > 0 ? spdlog::level::warn : spdlog::level::info,
                "skipped {} frame(s): {} exist, {} lack inputs", job.skipped.size(),
                job.skipped.size() - static_cast<std::size_t>(missing), missing);
  if (job.frames.empty()) return;
  report_times(summary.times);
  long patches = 0;
  int earlier = 0;
  for (const mpi::FrameOutcome& outcome : summary.outcomes) {
    report_patches(job.files(outcome.frame).output, outcome.counts);
    patches += outcome.counts.patches;
    earlier += outcome.output == mpi::OutputState::earlier ? 1 : 0;
  }
  const std::size_t frames = job.frames.size();
  spdlog::info("wrote {} of {} frame(s): {} patches by {}, {}",
               frames - static_cast<std::size_t>(summary.failed), frames, patches,
               to_string(job.settings.options.method), to_string(job.schedule));
  if (summary.failed > 0)
    spdlog::error(
        "{} of {} frame(s) failed{}", summary.failed, frames,
        earlier > 0 ? fmt::format("; {} file(s) of an earlier run are unchanged", earlier) : "");
}

}  // namespace spex
