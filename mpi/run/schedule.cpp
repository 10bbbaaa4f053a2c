#include "mpi/run/schedule.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reference/core/progress.hpp"
#include "reference/extract/extract_inputs.hpp"
#include "reference/fits/write/gzip.hpp"

namespace spex::mpi {
namespace {

// The state of a failed frame's output file.
OutputState left_at(const std::string& output) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(output, ignored) ? OutputState::earlier
                                                           : OutputState::none;
}

// The common bundle of all patches; -1 if there are several bundles or no patches.
int only_bundle(const std::vector<Patch>& patches) {
  if (patches.empty() || patches.front().bundle != patches.back().bundle) return -1;
  return patches.front().bundle;
}

}  // namespace

std::optional<Failure> read_step(const Run& run, int frame, int threads, FrameInputs& inputs,
                                 StageTimes& times) {
  const PhaseScope phase(run, frame, Phase::read);
  return attempt([&] {
    run.before(Phase::read, frame);
    FrameJob job = run.job.frame_job(frame);
    job.settings.read_threads = threads;
    inputs = read_frame_inputs(job, times);
  });
}

SpectraOf whole_frame(const FrameSettings& settings, const std::string& output) {
  if (settings.full_precision) return SpectraOf::frame;
  const bool packed = output.ends_with(".gz") && settings.compress_level == fastest_gzip_level;
  return packed ? SpectraOf::packed_frame : SpectraOf::written_frame;
}

std::optional<Failure> extract_step(const Run& run, int frame, const PatchExtractor& extract,
                                    const Share& share, Extracted& extracted, StageTimes& times) {
  const std::vector<Patch>& patches = share.patches;
  const PhaseScope phase(run, frame, Phase::extract, only_bundle(patches));
  return attempt([&] {
    run.before(Phase::extract, frame);
    // A run of one frame shows progress in patches; a run of many frames in frames (outcomes.cpp).
    const bool shown =
        run.world.is_root() && run.job.settings.show_progress && run.job.frames.size() == 1;
    const std::string unit = run.world.size() == 1
                                 ? "patches"
                                 : fmt::format("patches of rank 0 of {}", run.world.size());
    Progress progress(run.job.files(frame).output, unit, static_cast<long>(patches.size()), shown);
    ExtractInputs view = share.inputs.view(run.job.settings.options);
    view.wanted = share.wanted;
    extracted = extract(view, patches, times, [&](long count) {
      progress.advance(count);
      run.watchdog.advance();
    });
  });
}

FrameOutcome write_step(const Run& run, ReadyFrame ready, int threads, StageTimes& times) {
  FrameOutcome outcome;
  outcome.frame = ready.frame;
  outcome.failure = std::move(ready.failure);
  FrameJob job = run.job.frame_job(ready.frame);
  job.settings.write_threads = threads;
  if (!outcome.failure) {
    const PhaseScope phase(run, ready.frame, Phase::write);
    outcome.failure = attempt([&] {
      run.before(Phase::write, ready.frame);
      const StageTimer stage(times, Stage::write);
      const FrameOptions& options = job.settings.options;
      Extracted& extracted = ready.extracted;
      const Frame whole = frame_of(ready.inputs, options, extracted);
      outcome.counts = write_frame_outputs(job, ready.inputs, whole, extracted.patches,
                                           extracted.resolution ? &*extracted.resolution : nullptr);
    });
  }
  outcome.output = outcome.failure ? left_at(job.files.output) : OutputState::written;
  return outcome;
}

}  // namespace spex::mpi
