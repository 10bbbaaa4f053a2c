#include "bench/campaign/timed_runs.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bench/campaign/long_run.hpp"
#include "bench/check/output_collector.hpp"
#include "bench/check/outputs.hpp"
#include "bench/machine/memory.hpp"
#include "bench/machine/telemetry.hpp"
#include "bench/plan/members.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/file_hash.hpp"
#include "bench/result/utc.hpp"
#include "reference/core/error.hpp"
#include "reference/core/progress.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_run_log_bytes = 20'000'000;
// Difference of the plan's seeds between restarts of a run.
constexpr int restart_seed_step = 100;
// A long run is stopped after this multiple of its requested duration.
constexpr double time_limit_factor = 3;

// First fault of the outputs, or "". Frames after the first `inputs` have repeated inputs: they
// must have the same bytes as the first frame of their input, and are removed.
std::string inspect_outputs(const std::vector<ListedFrame>& frames, std::size_t inputs,
                            const std::string& folder) {
  std::vector<std::string> paths;
  for (const ListedFrame& frame : frames) {
    paths.push_back(frame.output);
    if (const std::string wrong = output_fault(frame.output, folder); !wrong.empty())
      return frame.input->camera + " " + wrong;
  }
  if (frames.size() <= inputs) return {};
  const std::vector<std::optional<std::string>> hashes = hash_files(paths);
  for (std::size_t k = inputs; k < frames.size(); ++k) {
    if (!hashes[k] || hashes[k] != hashes[k % inputs])
      return fmt::format("frame {} of the run ({}) has other bytes than the first of its input",
                         k + 1, frames[k].input->camera);
    fs::remove(paths[k]);
  }
  return {};
}

// Records the first reason of a failed run; `why` may be "".
void fail(Sample& sample, const std::string& why) {
  if (!sample.failure && !why.empty()) sample.failure = why;
}

std::string inputs_digest(const std::vector<ExposureOutputs>& outputs) {
  if (outputs.size() == 1) return outputs.front().exposure.sha256;
  std::string all;
  for (const ExposureOutputs& frames : outputs) all += frames.exposure.sha256;
  return hash_text(all);
}

// Threads that should be busy on a node: all CPUs for GPU programs, which choose by themselves.
int threads_of_node(const LaunchRecord& launch, const Machine& machine) {
  const int ranks = launch.ranks / launch.nodes;
  return launch.threads_per_rank ? std::min(machine.cpus, ranks * *launch.threads_per_rank)
                                 : machine.cpus;
}

// Interval for about 1,000 samples; at least a second if the run takes minutes.
std::chrono::milliseconds sampling_interval(double seconds) {
  const double ms = std::max(seconds < 30 ? 200.0 : 1000.0, seconds);
  return std::chrono::milliseconds(static_cast<long>(ms));
}

// Writes the telemetry of a long run next to its result.
void write_series(EntryRun& run, const Json& series, const std::string& path) {
  Json json{{"schema", {{"name", "spexbench-series"}, {"major", 1}, {"minor", 0}}},
            {"run_id", run.record.run_id},
            {"entry", run.entry->id},
            {"run", run.next_index()}};
  json.update(series);
  const std::string text = json.dump() + "\n";
  atomic_write(path, text);
  run.record.timing.series_sha256 = hash_text(text);
}

// Adds the state of the GPUs during a run.
void add_health(const std::vector<GpuObservation>& watched, HealthRecord& health) {
  if (watched.empty()) return;
  const bool first = !health.before;
  health.reason.reset();
  health.after.emplace();
  if (first) {
    health.before.emplace();
    health.during.emplace();
  }
  for (std::size_t i = 0; i < watched.size(); ++i) {
    health.after->push_back(watched[i].after);
    if (first) health.before->push_back(watched[i].before);
    if (first) health.during->emplace_back();
    add_extremes(watched[i].extremes, health.during->at(i));
  }
}

void add_health(const ObservedRun& observed, HealthRecord& health) {
  add_health(observed.gpus, health);
  if (!health.cpu) health.cpu = {observed.cpu_before, {}};
  health.cpu->after = observed.cpu_after;
}

// What disturbed a run; nothing if it counts.
std::optional<std::string> disturbance_of(const ObservedRun& observed, const Quiet& quiet,
                                          int cpus) {
  const Sample& sample = observed.sample;
  const double all = cpus * sample.effective_s;
  if (sample.other_cpu_s && all > 0 && *sample.other_cpu_s > quiet.other_cpus * all)
    return fmt::format("other processes took {:.0f}% of the CPU time (at most {:g}%)",
                       100 * *sample.other_cpu_s / all, 100 * quiet.other_cpus);
  return observed.disturbance;
}

// Drops a long run that was too short, once: it measured the rate of its repetition.
bool drop_if_too_short(EntryRun& run, const Sample& sample) {
  if (run.next_is_warmup() || run.steady_rate) return false;
  const std::string shortfall = shortfall_of(run.entry->sustain, sample);
  if (shortfall.empty() || !sample.sustained->soak) return false;
  spdlog::warn("{}: {}; the run is repeated with more frames", run.entry->id, shortfall);
  run.record.timing.dropped.push_back(
      {run.next_index(), sample.start_utc, sample.effective_s, shortfall});
  run.steady_rate = sample.sustained->soak->rate();
  return true;
}

}  // namespace

TimedRuns::TimedRuns(const CampaignFolders& folders, Exposures& exposures, Runner& runner,
                     const Machine& machine, const Nvml& nvml, double time_limit_s)
    : folders_(folders),
      exposures_(exposures),
      runner_(runner),
      machine_(machine),
      nvml_(nvml),
      time_limit_s_(time_limit_s) {}

const Exposure& TimedRuns::shared_exposure(const Case& plan_case, int number) {
  const auto found = shared_.find({plan_case.name, number});
  if (found != shared_.end()) return found->second;
  return shared_
      .emplace(std::pair{plan_case.name, number},
               exposures_.make(plan_case, plan_case.seed + number))
      .first->second;
}

std::vector<Exposure> TimedRuns::exposures_of(const EntryRun& run) {
  const Case& plan_case = *run.plan_case;
  const int index = run.next_index(), distinct = plan_case.distinct_exposures();
  const auto& dropped = run.record.timing.dropped;
  const auto restarts = static_cast<int>(
      std::count_if(dropped.begin(), dropped.end(),
                    [&](const DroppedRun& earlier) { return earlier.index == index; }));
  if (!run.has_shared_inputs())
    return {exposures_.make(plan_case, plan_case.seed + index + restart_seed_step * restarts)};
  // The warm-up of a long run has its own exposure, which the run does not use.
  if (run.is_long() && run.next_is_warmup()) return {shared_exposure(plan_case, distinct)};
  const int exposures_per_run = run.record.work.frames / static_cast<int>(plan_case.cameras.size());
  if (!run.is_long() && exposures_per_run <= 1)
    return {shared_exposure(plan_case, (index + restarts) % distinct)};
  std::vector<Exposure> exposures;
  for (int k = 0; k < (run.is_long() ? distinct : std::min(exposures_per_run, distinct)); ++k)
    exposures.push_back(shared_exposure(plan_case, k));
  return exposures;
}

bool TimedRuns::run_next(EntryRun& run) {
  const int index = run.next_index();
  const std::vector<Exposure> exposures = exposures_of(run);
  RunRequest request;
  request.entry = run.entry;
  request.launch = &run.record.launch;
  request.frames = run.is_long() ? next_frame_count(run) : run.record.work.frames;
  request.outputs = folders_.new_outputs_of(run.entry->id, index);
  request.events = folders_.events();
  request.log = folders_.log_of_run(run.entry->id, index);
  request.time_limit_s =
      time_limit_s_ +
      time_limit_factor * run.entry->sustain.value_or(Sustain{}).seconds.value_or(0);
  const int frames_per_exposure =
      std::min(request.frames, static_cast<int>(run.plan_case->cameras.size()));
  const std::vector<ExposureFrame> inputs = frames_of(exposures, frames_per_exposure);
  std::vector<ListedFrame> listed;
  std::vector<std::string> outputs;
  for (std::size_t place = 0; place < std::size_t(request.frames); ++place) {
    const auto& [exposure, frame] = inputs[place % inputs.size()];
    const InputFrame& input = exposures[exposure].frames[frame];
    const std::string number =
        request.frames > frames_per_exposure ? fmt::format("{:06}-", place) : "";
    const std::string name = "frame-" + number + input.camera + run.entry->suffix();
    outputs.push_back(fs::path(request.outputs) / name);
    listed.push_back({&input, outputs.back()});
    if (place < inputs.size())
      request.inputs.insert(request.inputs.end(), {input.preproc, input.psf});
  }
  if (run.entry->alone)
    request.arguments = {"-i", request.inputs.at(0), "-p", request.inputs.at(1),
                         "-o", outputs.front()};
  write_frame_list(listed, folders_.list());

  std::vector<std::string> first_outputs(outputs.begin(),
                                         outputs.begin() + std::min(outputs.size(), inputs.size()));
  ObservedRun observed = run.is_long() ? observe_long_run(run, request, outputs, first_outputs)
                                       : observe(run, request);
  if (observed.interrupted) return false;
  if (drop_if_too_short(run, observed.sample)) return run_next(run);
  if (!run.is_long() && !observed.sample.failure)
    fail(observed.sample, inspect_outputs(listed, inputs.size(), folders_.outputs()));
  PendingRun pending;
  for (const Exposure& exposure : exposures)
    pending.outputs.push_back({exposure, std::vector<std::string>(frames_per_exposure)});
  for (std::size_t k = 0; k < first_outputs.size(); ++k)
    pending.outputs[inputs[k].exposure].frames[inputs[k].frame] = first_outputs[k];
  add_sample(run, std::move(observed), std::move(pending));
  return true;
}

ObservedRun TimedRuns::observe(EntryRun& run, const RunRequest& request) {
  fs::remove(request.events);
  auto& dropped = run.record.timing.dropped;
  dropped.push_back({run.next_index(), utc_text(unix_now()), {}, "was begun, and did not end"});
  write_result(folders_, run);
  // A program that is killed can say no reason.
  const double kills = out_of_memory_kills();
  ObservedRun observed = runner_.run(request);
  if (observed.sample.failure && out_of_memory_kills() > kills)
    *observed.sample.failure +=
        fmt::format(": {} (the kernel killed a process)", std::strerror(ENOMEM));
  if (observed.interrupted) {
    dropped.back().seconds = observed.sample.effective_s;
    dropped.back().reason = "was interrupted";
  } else {
    dropped.pop_back();
  }
  return observed;
}

// `kept` receives the path of the first frame of each input, or "".
ObservedRun TimedRuns::observe_long_run(EntryRun& run, RunRequest request,
                                        const std::vector<std::string>& outputs,
                                        std::vector<std::string>& kept) {
  const std::string folder = request.outputs + "-kept";
  fs::remove_all(folder);
  fs::create_directories(folder);
  OutputCollector collector(outputs, kept.size(), folder, std::max(1, machine_.cpus / 4));
  Telemetry telemetry(
      nvml_, runner_.nvml_indices(*run.entry), threads_of_node(run.record.launch, machine_),
      sampling_interval(run.entry->sustain->seconds.value_or(0)), [&] { return collector.seen(); });
  Progress progress(run.entry->id, "frames", request.frames,
                    spdlog::should_log(spdlog::level::info));
  request.meanwhile = [&, shown = 0L]() mutable {
    const long seen = collector.seen();
    progress.advance(seen - shown);
    shown = seen;
  };
  ObservedRun observed = observe(run, request);
  const Json series = telemetry.stop();
  CollectedFrames collected = collector.finish();
  const std::string written =
      fmt::format("; {} of {} frames were written", collector.seen(), request.frames);
  if (observed.interrupted) {
    run.record.timing.dropped.back().reason += written;
    return observed;
  }
  if (observed.sample.failure) *observed.sample.failure += written;
  observed.sample.sustained = long_run_of(collected, static_cast<int>(kept.size()));
  kept = std::move(collected.kept);
  fail(observed.sample, collected.failure);
  if (run.next_is_warmup()) return observed;
  if (!observed.sample.sustained->distinct)
    fail(observed.sample, "too few frames of distinct inputs to have a steady part");
  run.record.work.frames = request.frames;
  run.record.work.bundles = request.frames * run.entry->bundles.value_or(run.plan_case->bundles());
  write_series(run, series, folders_.series(run.entry->id));
  return observed;
}

void TimedRuns::add_sample(EntryRun& run, ObservedRun observed, PendingRun pending) {
  Sample& sample = observed.sample;
  sample.index = run.next_index();
  sample.warmup = run.next_is_warmup();
  sample.seed = pending.outputs.front().exposure.seed;
  sample.inputs_sha256 = inputs_digest(pending.outputs);
  const std::vector<std::string> paths = pending.paths();
  // Hash the frames at once, so that later changes are detected.
  if (!sample.failure) sample.outputs_sha256 = hash_of_files(paths);
  // On a full disk, the program's own message may be lost.
  if (sample.failure && folders_.is_full())
    *sample.failure += std::string(": ") + std::strerror(ENOSPC);
  if (sample.failure) sample.failure = printable(*sample.failure);
  keep_run_log(run);
  add_health(observed, run.record.health);
  if (const auto& quiet = run.record.timing.quiet)
    sample.disturbed = disturbance_of(observed, *quiet, machine_.cpus);
  if (observed.settings_changed && !run.record.health.settings_changed)
    run.record.health.settings_changed =
        fmt::format("{} after run {}", *observed.settings_changed, sample.index);
  pending.sample = run.record.timing.samples.size();
  const bool has_frames = !sample.failure;
  run.record.timing.samples.push_back(std::move(sample));
  // Frames with the same bytes are neither kept nor compared again.
  if (is_repeat(run.record.timing.samples, pending.sample)) {
    for (const std::string& path : paths) fs::remove(path);
    pending.outputs.clear();
  }
  if (has_frames) run.pending.push_back(std::move(pending));
}

// Keeps the run log unless it is large: that of a night has hundreds of thousands of events.
void TimedRuns::keep_run_log(EntryRun& run) const {
  const std::string written = folders_.events(), kept = folders_.run_log(run.entry->id);
  fs::remove(kept);
  run.record.timing.run_log_sha256.reset();
  std::error_code error;
  const auto bytes = fs::is_regular_file(written) ? fs::file_size(written, error) : 0;
  if (error || bytes == 0 || bytes > max_run_log_bytes) return;
  fs::copy_file(written, kept);
  run.record.timing.run_log_sha256 = hash_file(kept);
}

}  // namespace spex::bench
