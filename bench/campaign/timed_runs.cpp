#include "bench/campaign/timed_runs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
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
std::string wrong_output(const Exposure& exposure, const std::vector<std::string>& paths,
                         const std::string& folder) {
  for (std::size_t k = 0; k < paths.size(); ++k)
    if (const std::string wrong = why_no_output(paths[k], folder); !wrong.empty())
      return exposure.frames[k].camera + " " + wrong;
  return {};
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

Exposure TimedRuns::exposure_of(const EntryRun& run, int index) {
  const Case& one = *run.of;
  const int begun_before = run.dropped_of(index);
  if (one.seeds) return shared(one, (index + begun_before) % *one.seeds);
  return exposures_.make(one, one.seed + index + seeds_of_a_beginning * begun_before);
}

ObservedRun TimedRuns::observe(EntryRun& run, RunRequest request) {
  const int index = run.next_index();
  request.entry = run.entry;
  request.launch = &run.launch;
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

void TimedRuns::take(EntryRun& run, ObservedRun observed, PendingRun pending, std::int64_t seed,
                     const std::string& inputs_sha256, const std::string& failure) {
  Sample& sample = observed.sample;
  sample.index = run.next_index();
  sample.warmup = sample.index < run.record.timing.warmups;
  sample.seed = seed;
  sample.inputs_sha256 = inputs_sha256;
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
  if (has_frames) run.pending.push_back(std::move(pending));
}

bool TimedRuns::make_exposure_run(EntryRun& run) {
  const int index = run.next_index();
  const Exposure exposure = exposure_of(run, index);
  const std::string folder = folders_.new_outputs_of(run.entry->id, index);
  RunRequest request;
  request.outputs = folder;
  request.frames = run.record.work.frames;
  request.time_limit_s = time_limit_s_;
  std::vector<ListedFrame> listed;
  std::vector<std::string> outputs;
  for (int k = 0; k < request.frames; ++k) {
    const InputFrame& input = exposure.frames.at(k);
    outputs.push_back(fs::path(folder) / fmt::format("frame-{}.fits", input.camera));
    listed.push_back({&input, outputs.back()});
    request.inputs.insert(request.inputs.end(), {input.preproc, input.psf});
  }
  if (run.entry->alone)
    request.words = {"-i", request.inputs.at(0), "-p", request.inputs.at(1), "-o", outputs.at(0)};
  // As --exposure does.
  std::sort(listed.begin(), listed.end(), [](const ListedFrame& a, const ListedFrame& b) {
    return a.input->camera < b.input->camera;
  });
  write_frame_list(listed, folders_.list());
  ObservedRun observed = observe(run, request);
  if (observed.interrupted) return false;
  const std::string failure = wrong_output(exposure, outputs, folders_.outputs());
  PendingRun pending{0, {{exposure, outputs}}};
  const std::int64_t seed = exposure.seed;
  const std::string sha256 = exposure.sha256;
  take(run, std::move(observed), std::move(pending), seed, sha256, failure);
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
