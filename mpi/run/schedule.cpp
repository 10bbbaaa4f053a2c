#include "mpi/run/schedule.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace spex::mpi {
namespace {

const std::string& camera_of(const Run& run, int frame) {
  return run.job.frames.at(static_cast<std::size_t>(frame)).camera;
}

// The bundle of all patches, or -1 where there are several or none.
int only_bundle(const std::vector<Patch>& patches) {
  if (patches.empty() || patches.front().bundle != patches.back().bundle) return -1;
  return patches.front().bundle;
}

}  // namespace

std::optional<Failure> read_step(const Run& run, int frame, FrameInputs& inputs,
                                 StageTimes& times) {
  const EventTimer timer(run.events, frame, Phase::read);
  return attempt([&] {
    run.hooks.at("read", camera_of(run, frame));
    inputs = read_frame_inputs(run.job.frame_job(frame), times);
  });
}

std::optional<Failure> extract_step(const Run& run, int frame, const PatchExtractor& extract,
                                    const FrameInputs& inputs, const std::vector<Patch>& patches,
                                    std::vector<PatchResult>& results, StageTimes& times) {
  const EventTimer timer(run.events, frame, Phase::extract, only_bundle(patches));
  return attempt([&] {
    run.hooks.at("extract", camera_of(run, frame));
    results = extract(inputs.view(run.job.settings.options), patches, times, [](long) {});
  });
}

FrameOutcome write_step(const Run& run, int frame, std::optional<Failure> failure,
                        const FrameInputs& inputs, const std::vector<PatchResult>& results,
                        StageTimes& times) {
  FrameOutcome outcome{frame, {}, std::move(failure)};
  const FrameJob job = run.job.frame_job(frame);
  if (!outcome.failure) {
    const EventTimer timer(run.events, frame, Phase::write);
    outcome.failure = attempt([&] {
      run.hooks.at("write", camera_of(run, frame));
      outcome.counts = write_frame_outputs(job, inputs, patches_of(job, inputs), results, times);
    });
  }
  if (outcome.failure) {  // what an earlier run left must not pass for this one's
    std::error_code ignored;
    if (std::filesystem::is_regular_file(job.output, ignored))
      std::filesystem::remove(job.output, ignored);
  }
  return outcome;
}

}  // namespace spex::mpi
