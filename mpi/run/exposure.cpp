#include "mpi/run/exposure.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "mpi/comm/broadcast.hpp"
#include "mpi/comm/collective.hpp"
#include "mpi/comm/gather.hpp"
#include "mpi/run/exposure_job.hpp"
#include "mpi/run/run_log.hpp"
#include "mpi/run/schedule.hpp"
#include "mpi/run/watchdog.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::mpi {
namespace {

void check_job(const ExposureJob& job) {
  const auto positive = [](const char* option, std::optional<int> value) {
    if (value && *value < 1) throw usage_error(option, std::to_string(*value), "1 or more");
  };
  positive("--readers", job.readers);
  positive("--extractors", job.extractors);
  positive("--writers", job.writers);
  positive("--frames-in-flight", job.frames_in_flight);
  if (job.frames.empty() && job.skipped.empty())
    throw usage_error("", "there is no frame to extract", "one or more");
  if (job.schedule != Schedule::pipeline) return;
  if (job.groups)
    throw usage_error("--groups", "is not supported by the schedule pipeline", "no --groups");
  if (job.settings.ranks_per_bundle.value_or(1) != 1)
    throw usage_error("--ranks-per-bundle", "is not supported by the schedule pipeline",
                      "no --ranks-per-bundle");
}

// Removes temporary files that killed runs left next to this run's files.
void clean_up_after_earlier_runs(const ExposureJob& job) {
  std::vector<std::string> outputs;
  const auto add = [&](const FrameFiles& files) {
    outputs.push_back(files.output);
    if (files.model) outputs.push_back(*files.model);
    if (files.rejected) outputs.push_back(*files.rejected);
  };
  for (const FrameFiles& files : job.frames) add(files);
  for (const SkippedFrame& skipped : job.skipped) add(skipped.files);
  if (job.events) outputs.push_back(*job.events);
  for (const std::string& name : remove_abandoned(outputs))
    spdlog::info("removed {}, left by a killed run", name);
}

std::string name_of(const FrameFiles& files) {
  return files.camera.empty() ? files.output : files.camera;
}

// Aborts all ranks: a stopped rank, or a rank blocked by a file system, cannot exit otherwise.
[[noreturn]] void end_all(const Communicator& world, const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
  if (world.size() > 1) {
    constexpr unsigned max_seconds = 20;
    std::signal(SIGALRM, SIG_DFL);
    alarm(max_seconds);  // in case MPI_Abort itself hangs
    MPI_Abort(world.get(), exit_status(ErrorKind::internal));
  }
  _exit(exit_status(ErrorKind::internal));
}

}  // namespace

const char* to_string(OutputState state) {
  switch (state) {
    case OutputState::none:
      return "none";
    case OutputState::earlier:
      return "earlier";
    case OutputState::written:
      return "written";
  }
  return "?";
}

ExposureSummary run_exposure(const Communicator& world, const ExposureJob& job,
                             const ExtractorFactory& make) {
  collective(world, [&] {
    check_job(job);
    if (!world.is_root()) return;
    if (job.events) check_writable(*job.events);
    clean_up_after_earlier_runs(job);
  });
  EventLog events(world);
  Watchdog watchdog(
      world, std::chrono::duration<double>(job.settings.stall_limit),
      [&](int frame) { return name_of(job.files(frame)); },
      [&](const std::string& what) {
        end_all(world,
                fmt::format("{}: {}: ending the run (--stall-limit); complete frames are kept",
                            job.settings.program, what));
      });
  Outcomes outcomes(world, job);
  ExposureSummary summary;
  StageTimes times;
  const Run run{world, job, make, events, watchdog, outcomes, times};
  if (!job.frames.empty()) {
    if (job.schedule == Schedule::pipeline)
      run_pipeline(run);
    else
      run_groups(run);
  }

  summary.outcomes = outcomes.finish();
  summary.times = gather_times(world, times);
  for (const FrameOutcome& outcome : summary.outcomes) summary.failed += outcome.failure ? 1 : 0;
  broadcast(world, summary.failed);
  const std::vector<Event> all = events.gather(world);
  const std::vector<RankReport> ranks = gather_reports(world, describe_rank(times));
  on_root(world, [&] {
    if (!job.events) return;
    write_run_log(*job.events, job, events.origin_unix(), summary.outcomes, ranks, all);
  });
  return summary;
}

ExposureSummary run_one_frame(const Communicator& world, const FrameJob& job,
                              const ExtractorFactory& make, const PhaseHook& hook,
                              const std::optional<std::string>& events) {
  ExposureJob exposure;
  exposure.settings = job.settings;
  exposure.frames = {job.files};
  exposure.groups = 1;
  exposure.reports_failures = false;
  exposure.hook = hook;
  exposure.events = events;
  ExposureSummary summary = run_exposure(world, exposure, make);
  on_root(world, [&] {
    if (const std::optional<Failure>& failure = summary.outcomes.front().failure)
      throw Error(failure->kind, "", failure->text);
  });
  return summary;
}

}  // namespace spex::mpi
