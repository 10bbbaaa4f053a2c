// Long runs: exposures one after another without a pause, as in a night (docs/benchmark.md). Their
// frames are looked at and removed while they go on.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "bench/campaign/timed_runs.hpp"
#include "bench/check/output_collector.hpp"
#include "bench/machine/telemetry.hpp"
#include "bench/result/file_hash.hpp"
#include "reference/fits/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Beyond what is asked of a long run, as a part of it, before it is ended.
constexpr double time_limit_factor = 3;
constexpr double longer = 1.1;  // than asked for: the rate of the warm-up is not that of the run
constexpr double calibration_s = 20, calibration_part = 0.2;
// A warm-up whose frames were all written at once is no faster than this beside its whole time.
constexpr double most_gain_of_warmup = 1.25;

int whole_exposures(double frames, int per_exposure) {
  return per_exposure * static_cast<int>(std::ceil(frames / per_exposure));
}

// Frames a second that the next run is expected to have.
double rate_to_expect(const Sample& last) {
  const double seconds = last.extraction_s.value_or(last.effective_s);
  const int frames = last.sustained->frames;
  const double whole = frames / seconds;
  if (!last.sustained->soak) return whole;
  return std::min(last.sustained->soak->rate(), most_gain_of_warmup * whole);
}

// The first warm-up is of an exposure; a second one, where a time is asked for, is as long as the
// rate needs to be known, and the run so long as is asked for by that rate.
int frames_of_next(const EntryRun& run) {
  const auto exposure = static_cast<int>(run.of->cameras.size());
  const auto& samples = run.record.timing.samples;
  const Sustain& asked = *run.record.work.sustain;
  const bool warmup = run.next_index() < run.record.timing.warmups;
  if (samples.empty()) return warmup || !asked.frames ? exposure : *asked.frames;
  if (asked.frames) return warmup ? exposure : *asked.frames;
  const int before = std::min(run.next_index(), run.record.timing.warmups) - 1;
  const double rate = rate_to_expect(samples.at(std::max(0, before)));
  // Where each rank has frames of its own, they are written in waves of as many as ranks.
  const int waves = 4 * run.record.launch.ranks;
  if (warmup)
    return whole_exposures(
        std::max<double>(waves, rate * std::min(calibration_s, calibration_part * *asked.seconds)),
        exposure);
  const double least = std::max(run.of->exposures_in_turn() * exposure, waves);
  return whole_exposures(std::max(least, longer * rate * *asked.seconds + 2 * most_of_edge),
                         exposure);
}

// That are to work at a time; of GPUs' programs, which choose by themselves, all CPUs.
int threads_of_node(const LaunchRecord& launch, const Machine& machine) {
  const int ranks = launch.ranks / launch.nodes;
  return launch.threads_per_rank ? std::min(machine.cpus, ranks * *launch.threads_per_rank)
                                 : machine.cpus;
}

// Some 1,000 looks, a second apart or more in a run of minutes.
std::chrono::milliseconds look_every(double seconds) {
  const double ms = std::max(seconds < 30 ? 200.0 : 1000.0, seconds);
  return std::chrono::milliseconds(static_cast<long>(ms));
}

// How the machine was over a long run, beside its result.
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

LongRun long_run_of(const CollectedFrames& collected, int inputs) {
  LongRun found{static_cast<int>(collected.written.size()), inputs, {}, {}, collected.most_waiting};
  const auto distinct = std::min<std::ptrdiff_t>(inputs, std::ssize(collected.written));
  found.distinct = steady_part({collected.written.begin(), collected.written.begin() + distinct});
  found.soak = steady_part(collected.written);
  return found;
}

}  // namespace

bool TimedRuns::make_long_run(EntryRun& run) {
  const Case& one = *run.of;
  const int index = run.next_index();
  const bool warmup = index < run.record.timing.warmups;
  const int frames = frames_of_next(run);
  std::vector<Exposure> exposures;
  // A warm-up has an exposure that is not among those of the run.
  if (warmup)
    exposures.push_back(shared(one, one.exposures_in_turn()));
  else
    for (int k = 0; k < one.exposures_in_turn(); ++k) exposures.push_back(shared(one, k));
  const std::vector<ExposureFrame> inputs =
      frames_of(exposures, static_cast<int>(one.cameras.size()));
  const std::string folder = folders_.new_outputs_of(run.entry->id, index);
  const std::string kept = folder + "-kept";
  fs::remove_all(kept);
  fs::create_directories(kept);

  RunRequest request;
  request.outputs = folder;
  request.frames = frames;
  const double asked_s = run.record.work.sustain->seconds.value_or(0);
  request.time_limit_s = time_limit_s_ + time_limit_factor * asked_s;
  std::vector<ListedFrame> listed;
  std::vector<AwaitedFrame> awaited;
  for (int place = 0; place < frames; ++place) {
    const int k = place % static_cast<int>(inputs.size());
    const InputFrame& input = exposures[inputs[k].exposure].frames[inputs[k].frame];
    const std::string path =
        fs::path(folder) / fmt::format("frame-{:06}{}", place, run.entry->suffix());
    listed.push_back({&input, path});
    awaited.push_back({path, k});
    if (place == k) request.inputs.insert(request.inputs.end(), {input.preproc, input.psf});
  }
  write_frame_list(listed, folders_.list());
  OutputCollector collector(awaited, kept, std::max(1, machine_.cpus / 4));
  Telemetry telemetry(nvml_, runner_.nvml_indices(*run.entry),
                      threads_of_node(run.record.launch, machine_), look_every(asked_s),
                      [&] { return collector.seen(); });
  ObservedRun observed = observe(run, request);
  const Json series = telemetry.stop();
  const CollectedFrames collected = collector.finish();
  if (observed.interrupted) return false;

  observed.sample.sustained = long_run_of(collected, static_cast<int>(inputs.size()));
  PendingRun pending;
  for (const Exposure& exposure : exposures)
    pending.outputs.push_back({exposure, std::vector<std::string>(exposure.frames.size())});
  for (const auto& [input, frame] : collected.kept)
    pending.outputs[inputs[input].exposure].second[inputs[input].frame] = frame.path;
  std::string failure = collected.failure;
  if (failure.empty() && !warmup && !observed.sample.sustained->distinct)
    failure = "too few frames of distinct inputs to have a steady part";
  if (!warmup) {
    run.record.work.frames = frames;
    run.record.work.bundles = frames * run.entry->bundles.value_or(one.bundles());
    write_series(run, series, folders_.series(run.entry->id));
  }
  take(run, std::move(observed), std::move(pending), failure);
  return true;
}

}  // namespace spex::bench
