#include "bench/campaign/timed_runs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "bench/campaign/gpu_health.hpp"
#include "bench/check/outputs.hpp"
#include "bench/result/file_hash.hpp"
#include "bench/result/utc.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_run_log_bytes = 20'000'000;
// By which the plan's seeds of a run that is begun again differ from those of others.
constexpr int seeds_of_a_beginning = 100;

// Why an output is none, with its camera; "" where all are.
std::string wrong_output(const std::vector<ListedFrame>& frames, const std::string& folder) {
  for (const ListedFrame& frame : frames)
    if (const std::string wrong = why_no_output(frame.output, folder); !wrong.empty())
      return frame.input->camera + " " + wrong;
  return {};
}

// Removes the frames of inputs that came again: those after the first `inputs`, which repeat. Why
// one of them is wrong; "" where all have the bytes of the first of their input.
std::string remove_repeats(const std::vector<ListedFrame>& frames, std::size_t inputs) {
  if (frames.size() <= inputs) return {};
  std::vector<std::string> paths;
  for (const ListedFrame& frame : frames) paths.push_back(frame.output);
  const std::vector<std::optional<std::string>> hashes = hash_files(paths);
  for (std::size_t k = inputs; k < frames.size(); ++k) {
    if (!hashes[k] || hashes[k] != hashes[k % inputs])
      return fmt::format("frame {} of the run ({}) has other bytes than the first of its input",
                         k + 1, frames[k].input->camera);
    fs::remove(paths[k]);
  }
  return {};
}

std::string digest_of(const std::vector<std::pair<Exposure, std::vector<std::string>>>& outputs) {
  if (outputs.size() == 1) return outputs.front().first.sha256;
  std::string all;
  for (const auto& [exposure, paths] : outputs) all += exposure.sha256;
  return hash_text(all);
}

}  // namespace

TimedRuns::TimedRuns(const CampaignFolders& folders, Exposures& exposures, Runner& runner,
                     const Machine& machine, const Nvml& nvml, double time_limit_s,
                     std::function<void(EntryRun&)> write)
    : folders_(folders),
      exposures_(exposures),
      runner_(runner),
      machine_(machine),
      nvml_(nvml),
      time_limit_s_(time_limit_s),
      write_(std::move(write)) {}

bool TimedRuns::make(EntryRun& run) {
  return run.entry->sustain ? make_long_run(run) : make_exposure_run(run);
}

const Exposure& TimedRuns::shared(const Case& one, int number) {
  const auto found = shared_.find({one.name, number});
  if (found != shared_.end()) return found->second;
  return shared_.emplace(std::pair{one.name, number}, exposures_.make(one, one.seed + number))
      .first->second;
}

void TimedRuns::remove_shared() {
  for (const auto& [key, exposure] : shared_) exposures_.remove(exposure);
  shared_.clear();
}

std::vector<Exposure> TimedRuns::exposures_of(const EntryRun& run, int index) {
  const Case& one = *run.of;
  const int begun_before = run.dropped_of(index);
  if (!one.seeds)
    return {exposures_.make(one, one.seed + index + seeds_of_a_beginning * begun_before)};
  const int asked = run.record.work.frames / static_cast<int>(one.cameras.size());
  if (asked <= 1) return {shared(one, (index + begun_before) % *one.seeds)};
  std::vector<Exposure> exposures;
  for (int k = 0; k < std::min(asked, *one.seeds); ++k) exposures.push_back(shared(one, k));
  return exposures;
}

ObservedRun TimedRuns::observe(EntryRun& run, RunRequest request) {
  const int index = run.next_index();
  request.entry = run.entry;
  request.launch = &run.record.launch;
  request.events = folders_.events();
  request.log = folders_.log_of_run(run.entry->id, index);
  fs::remove(request.events);
  auto& dropped = run.record.timing.dropped;
  dropped.push_back({index, utc_text(unix_now()), {}, "was begun, and did not end"});
  write_(run);
  ObservedRun observed = runner_.run(request);
  if (observed.interrupted) {
    dropped.back().seconds = observed.sample.effective_s;
    dropped.back().reason = "was interrupted";
  } else {
    dropped.pop_back();
  }
  return observed;
}

void TimedRuns::take(EntryRun& run, ObservedRun observed, PendingRun pending,
                     const std::string& failure) {
  Sample& sample = observed.sample;
  sample.index = run.next_index();
  sample.warmup = sample.index < run.record.timing.warmups;
  sample.seed = pending.outputs.front().first.seed;
  sample.inputs_sha256 = digest_of(pending.outputs);
  if (!sample.failure && !failure.empty()) sample.failure = failure;
  std::vector<std::string> paths;
  for (const auto& [exposure, outputs] : pending.outputs)
    for (const std::string& path : outputs)
      if (!path.empty()) paths.push_back(path);
  // At once: what is changed later shows.
  if (!sample.failure) sample.outputs_sha256 = hash_of_files(paths);
  // The program's own words may have had no room either.
  if (sample.failure && folders_.is_full())
    *sample.failure += std::string(": ") + std::strerror(ENOSPC);
  if (sample.failure) sample.failure = printable(*sample.failure);
  keep_run_log(run);
  add_health(observed.gpus, run.record.health);
  if (observed.settings_changed && !run.record.health.settings_changed)
    run.record.health.settings_changed =
        fmt::format("{} after run {}", *observed.settings_changed, sample.index);
  pending.sample = run.record.timing.samples.size();
  const bool has_frames = !sample.failure;
  run.record.timing.samples.push_back(std::move(sample));
  // The same bytes need be neither kept nor compared again.
  if (is_repeat(run.record.timing.samples, pending.sample)) {
    for (const std::string& path : paths) fs::remove(path);
    pending.outputs.clear();
  }
  if (has_frames) run.pending.push_back(std::move(pending));
}

bool TimedRuns::make_exposure_run(EntryRun& run) {
  const int index = run.next_index();
  const std::vector<Exposure> exposures = exposures_of(run, index);
  const std::string folder = folders_.new_outputs_of(run.entry->id, index);
  RunRequest request;
  request.outputs = folder;
  request.frames = run.record.work.frames;
  request.time_limit_s = time_limit_s_;
  const int of_exposure = std::min(request.frames, static_cast<int>(run.of->cameras.size()));
  const std::vector<ExposureFrame> inputs = frames_of(exposures, of_exposure);
  PendingRun pending;
  for (const Exposure& exposure : exposures)
    pending.outputs.push_back({exposure, std::vector<std::string>(of_exposure)});
  std::vector<ListedFrame> listed;
  for (std::size_t place = 0; place < std::size_t(request.frames); ++place) {
    const auto& [exposure, frame] = inputs[place % inputs.size()];
    const InputFrame& input = exposures[exposure].frames[frame];
    const std::string number = request.frames > of_exposure ? fmt::format("{:04}-", place) : "";
    const std::string name = "frame-" + number + input.camera + run.entry->suffix();
    listed.push_back({&input, fs::path(folder) / name});
    if (place >= inputs.size()) continue;
    pending.outputs[exposure].second[frame] = listed.back().output;
    request.inputs.insert(request.inputs.end(), {input.preproc, input.psf});
  }
  if (run.entry->alone)
    request.words = {"-i", request.inputs.at(0), "-p", request.inputs.at(1),
                     "-o", listed.front().output};
  write_frame_list(listed, folders_.list());
  ObservedRun observed = observe(run, request);
  if (observed.interrupted) return false;
  std::string failure = wrong_output(listed, folders_.outputs());
  if (failure.empty() && !observed.sample.failure) failure = remove_repeats(listed, inputs.size());
  take(run, std::move(observed), std::move(pending), failure);
  return true;
}

// A run log of a night has hundreds of thousands of events, and is not kept.
void TimedRuns::keep_run_log(EntryRun& run) const {
  const std::string written = folders_.events(), kept = folders_.run_log(run.entry->id);
  fs::remove(kept);
  run.record.timing.run_log_sha256.reset();
  std::error_code error;
  const auto bytes = fs::is_regular_file(written) ? fs::file_size(written, error) : 0;
  if (error || bytes == 0 || bytes > most_run_log_bytes) return;
  fs::copy_file(written, kept);
  run.record.timing.run_log_sha256 = hash_file(kept);
}

}  // namespace spex::bench
