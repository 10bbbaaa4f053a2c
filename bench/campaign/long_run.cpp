#include "bench/campaign/long_run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/campaign/sustained.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/output_collector.hpp"
#include "bench/measure/run_observer.hpp"
#include "bench/measure/telemetry.hpp"
#include "reference/fits/atomic_write.hpp"

namespace spex::bench {
namespace {

// Beyond what is asked of a long run, as a part of it, before it is ended.
constexpr double time_limit_factor = 3;

// The first warm-up is of an exposure; a second one, where a time is asked for, is as long as the
// rate needs to be known, and the run so long as is asked for by that rate.
int frames_of_next(const EntryRun& run, const Case& one) {
  const auto exposure = static_cast<int>(one.camera_list().size());
  const Sustain& asked = *run.entry.sustain;
  if (run.samples.empty()) return exposure;
  const bool warmup = run.next_index() < run.warmups;
  if (asked.frames) return warmup ? exposure : *asked.frames;
  const Sample& last = run.samples.at(std::min(run.next_index(), run.warmups) - 1);
  const double rate =
      last.sustained.is_null()
          ? exposure / last.effective_s
          : rate_to_expect(last.sustained.at("fpnh").get<double>() * run.launch.nodes / 3600,
                           last.sustained.at("gain"));
  // Where each rank has frames of its own, they are written in waves of as many as ranks.
  const int waves = 4 * run.launch.ranks;
  if (warmup) return frames_to_calibrate(*asked.seconds, rate, exposure, waves);
  return frames_to_last(*asked.seconds, rate, exposure,
                        std::max(one.exposures_in_turn() * exposure, waves));
}

// The exposures of a run in turn; of a warm-up, one that is not among them.
LongRun list_of(const EntryRun& run, const Case& one, bool warmup, int frames,
                const std::string& folder, CampaignInputs& inputs) {
  const auto exposure = [&](int k) { return &inputs.exposure(run.entry.case_name, one.seed + k); };
  const int in_turn = one.exposures_in_turn();
  if (warmup) return make_long_run({exposure(in_turn)}, frames, folder);
  std::vector<const Dataset*> exposures;
  for (int k = 0; k < in_turn; ++k) exposures.push_back(exposure(k));
  return make_long_run(exposures, frames, folder);
}

// Each once, in the order of work.
std::vector<const Dataset*> exposures_of(const LongRun& list) {
  std::vector<const Dataset*> all;
  for (const LongRun::Input& input : list.inputs)
    if (std::find(all.begin(), all.end(), input.exposure) == all.end())
      all.push_back(input.exposure);
  return all;
}

// The first frame of each input, against its reference and the truth, exposure by exposure. Why
// one is not what the later ones were held to.
std::optional<std::string> validate_kept(EntryRun& run, const LongRun& list,
                                         const CollectedFrames& collected, const RunWindow& window,
                                         const std::vector<RunLog::Frame>& logged,
                                         const CampaignInputs& inputs) {
  std::map<const Dataset*, std::vector<OutputFrame>> by_exposure;
  std::map<std::pair<std::int64_t, std::string>, std::string> hashes;  // by seed and camera
  for (const auto& [input, kept] : collected.kept) {
    const auto& [exposure, k] = list.inputs.at(input);
    const InputFrame& frame = exposure->frames.at(k);
    by_exposure[exposure].resize(exposure->frames.size());
    by_exposure[exposure].at(k) = inputs.output_of(run.entry, frame, kept.path);
    hashes[{exposure->seed, frame.camera}] = kept.sha256;
  }
  const int index = run.next_index();
  for (const auto& [exposure, frames] : by_exposure)
    run.validation.look(index, exposure->seed, frames, window, run.entry.tolerance, logged);
  for (const FrameValidation& frame : run.validation.frames())
    for (const FrameValidation::Output& output : frame.outputs)
      if (output.run == index && output.sha256 != hashes.at({output.seed, frame.camera}))
        return fmt::format("{} of seed {} was changed after it was looked at", frame.camera,
                           output.seed);
  return std::nullopt;
}

// What the steady part shows; why the run does not count, if it does not.
std::optional<std::string> take_steady_part(const nlohmann::ordered_json& sustained, bool warmup,
                                            Sample& sample) {
  sample.sustained = sustained;
  if (warmup) return std::nullopt;
  if (sustained.is_null()) return "too few frames to have a steady part";
  std::string wrong = why_not_sustained(sustained);
  if (wrong.empty()) return std::nullopt;
  return wrong;
}

// That are to work at a time; of GPUs' programs, which choose by themselves, all CPUs.
int threads_of_node(const EntryRun& run, const Machine& machine) {
  const int ranks = run.launch.ranks / run.launch.nodes;
  return run.launch.threads ? std::min(machine.cpus, ranks * *run.launch.threads) : machine.cpus;
}

// Some 1,000 looks, a second apart or more in a run of minutes.
std::chrono::milliseconds look_every(double seconds) {
  const double ms = std::max(seconds < 30 ? 200.0 : 1000.0, seconds);
  return std::chrono::milliseconds(static_cast<long>(ms));
}

// How the machine was over a long run, beside its result.
void write_series(EntryRun& run, const std::string& run_id, const nlohmann::ordered_json& series,
                  const std::string& path) {
  nlohmann::ordered_json json{
      {"schema", {{"name", "spexbench-series"}, {"major", 1}, {"minor", 0}}},
      {"run_id", run_id},
      {"entry", run.entry.id},
      {"run", run.next_index()}};
  json.update(series);
  const std::string text = json.dump() + "\n";
  atomic_write(path, text);
  run.series_sha256 = hash_text(text);
}

}  // namespace

std::optional<Sample> measure_long_run(EntryRun& run, const Plan& plan, const std::string& run_id,
                                       const Machine& machine, const Nvml& nvml,
                                       const CampaignFolders& folders, CampaignInputs& inputs,
                                       RunWatcher& watcher) {
  const Case& one = plan.cases.at(run.entry.case_name);
  const bool warmup = run.next_index() < run.warmups;
  const int frames = frames_of_next(run, one);
  folders.remove_outputs();
  const std::string folder = folders.new_output_folder("run");
  const std::string kept = folders.new_output_folder("kept");
  const LongRun list = list_of(run, one, warmup, frames, folder, inputs);
  const std::vector<const Dataset*> exposures = exposures_of(list);
  inputs.use(run, exposures);
  write_frame_list(list.listed, folders.list());
  std::vector<std::string> read, cameras;
  for (const LongRun::Input& input : list.inputs) {
    const InputFrame& frame = input.exposure->frames.at(input.frame);
    read.push_back(frame.preproc);
    read.push_back(frame.psf);
  }
  long patches = 0;
  for (const ListedFrame& frame : list.listed) {
    cameras.push_back(frame.input->camera);
    patches += inputs.patches_of(run.entry, *frame.input);
  }

  const double clock = file_clock_offset(folders.outputs());
  const RunWindow window = folders.window_from_now(clock);
  const double asked_s = run.entry.sustain->seconds.value_or(0);
  OutputCollector collector(list.awaited, kept, window, std::max(1, machine.cpus / 4));
  const int threads = threads_of_node(run, machine);
  Telemetry telemetry(nvml, watcher.nvml_indices(run.entry), threads, look_every(asked_s),
                      [&] { return collector.seen(); });
  const WatchedRun watched =
      watcher.run(run, {}, read, inputs.not_for({exposures.begin(), exposures.end()}), "",
                  plan.time_limit_s + time_limit_factor * asked_s);
  const nlohmann::ordered_json series = telemetry.stop();
  const CollectedFrames collected = collector.finish();
  if (watched.result.interrupted) return std::nullopt;

  std::optional<double> last_write;
  if (collected.failure.empty())
    last_write = *std::max_element(collected.written.begin(), collected.written.end()) - clock;
  Sample sample = watcher.sample_of(run, watched, last_write, cameras, patches);
  sample.seed = list.inputs.front().exposure->seed;
  const std::vector<RunLog::Frame> logged = std::exchange(sample.logged, {});
  if (!sample.failure && !collected.failure.empty()) sample.failure = collected.failure;
  if (!sample.failure) {
    const double began_to_read =
        clock + (watched.first_read ? watched.first_read->unix_s : watched.result.start_unix);
    nlohmann::ordered_json sustained =
        sustained_json(list, collected, began_to_read, run.launch.nodes);
    if (!sustained.is_null())
      sustained["machine_speed"] =
          machine_speed_json(list, collected, began_to_read, clock, MachineSpeed(series, threads));
    sample.failure = take_steady_part(sustained, warmup, sample);
  }
  if (!sample.failure) sample.failure = validate_kept(run, list, collected, window, logged, inputs);
  if (!warmup) {
    run.frames = frames;
    write_series(run, run_id, series, folders.series(run.entry.id));
  }
  std::filesystem::remove_all(kept);
  return sample;
}

}  // namespace spex::bench
