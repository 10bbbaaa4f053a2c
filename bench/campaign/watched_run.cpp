#include "bench/campaign/watched_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/program_files.hpp"
#include "bench/correctness/run_claims.hpp"
#include "bench/measure/node_meter.hpp"
#include "bench/measure/sample.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// The server of MPS gives back the contexts of all GPUs after mps-wrapper has ended.
constexpr double end_of_mps_s = 15;
constexpr std::uintmax_t most_run_log_bytes = 20'000'000;

void take_gpu_use(const std::vector<GpuObservation>& watched, Sample& sample) {
  std::vector<double> joules, busy;
  for (const GpuObservation& gpu : watched) {
    if (const auto used = gpu.joules()) joules.push_back(*used);
    if (const auto part = gpu.busy()) busy.push_back(*part);
    if (gpu.memory_bytes)
      sample.device_memory_bytes =
          std::max(sample.device_memory_bytes.value_or(0), *gpu.memory_bytes);
    for (const std::string& reason : gpu.throttle_reasons)
      sample.throttled = sample.throttled || is_unhealthy(reason);
  }
  if (!joules.empty() && joules.size() == watched.size()) sample.joules = joules;
  if (!busy.empty() && busy.size() == watched.size()) sample.gpu_busy = busy;
  if (sample.device_memory_bytes && *sample.device_memory_bytes <= 0 && !sample.failure)
    sample.failure = "no memory of a GPU was used while it ran";
}

// Its daemon and its server, which lie beside each other.
std::vector<std::string> programs_of_mps() {
  std::error_code error;
  const fs::path control = fs::canonical(program_on_path("nvidia-cuda-mps-control"), error);
  if (error) return {};
  return {control, control.parent_path() / "nvidia-cuda-mps-server"};
}

// Who holds up this process, so that it sees an opening late, gains nothing.
double at_the_earliest(const Opening& opening) {
  constexpr double held_up_s = 0.25;
  const bool late = opening.unix_s - opening.not_before_unix > held_up_s;
  return late ? opening.not_before_unix : opening.unix_s;
}

// A context is made within the extraction clock. The server of MPS makes its own when the first
// process asks which GPUs there are.
std::optional<double> first_use_of(const Entry& entry, const std::vector<GpuObservation>& watched) {
  std::optional<double> first;
  if (entry.mps) return first;
  for (const GpuObservation& gpu : watched)
    if (gpu.first_use_unix)
      first = std::min(first.value_or(*gpu.first_use_unix), *gpu.first_use_unix);
  return first;
}

// What a run opens and when it has written is what its clock and its frames are believed by.
void require_sight(bool sees) {
  if (!sees)
    throw Error(ErrorKind::internal, "inotify", "the files of a run cannot be watched",
                blind_expected);
}

}  // namespace

RunWatcher::RunWatcher(const Nvml& nvml, const Machine& machine, const CampaignFolders& folders,
                       Signals& signals, std::function<void(const EntryRun&)> write)
    : nvml_(nvml),
      machine_(machine),
      folders_(folders),
      signals_(signals),
      write_(std::move(write)) {
  for (const VisibleGpu& gpu : machine_.gpus)
    settings_[gpu.nvml_index] = gpu_json(nvml_.describe(gpu.nvml_index));
}

WatchedRun RunWatcher::run(EntryRun& run, const std::vector<std::string>& frame,
                           const std::vector<std::string>& inputs, const ClosedFiles& closed,
                           const std::string& outputs, double time_limit_s) {
  Command command;
  command.argv = run.launch.argv;
  command.environment = run.launch.environment;
  command.log = folders_.log_of_run(run.entry.id, run.next_index());
  command.time_limit_s = time_limit_s;
  command.argv.insert(command.argv.end(), frame.begin(), frame.end());
  if (run.entry.mps) {
    command.straggling_s = end_of_mps_s;
    command.helpers = programs_of_mps();
  }
  OpeningWatch opening(inputs);
  // What is not in its place cannot be watched.
  if (const std::string path = closed.moved(); !path.empty())
    throw data_error(path, "was moved or replaced between two runs", "inputs that stay in place");
  OpeningWatch answers(closed.paths);
  std::optional<WritingWatch> writing;
  if (!outputs.empty()) writing.emplace(outputs);
  const auto saw_all = [&] {
    return opening.watches() && answers.watches() && (!writing || writing->watches());
  };
  require_sight(saw_all());
  run.dropped.push_back({run.next_index(), utc_text(unix_now()), {}, "was begun, and did not end"});
  write_(run);
  GpuMonitor monitor(nvml_, nvml_indices(run.entry));
  GpuMonitor others(nvml_, gpus_not_given(run));
  NodeMeter meter;
  const std::optional<double> before = meter.read().energy_j;
  WatchedRun watched;
  watched.result = run_command(command, signals_);
  const std::optional<double> after = meter.read().energy_j;
  if (before && after) watched.node_joules = *after - *before;
  watched.gpus = monitor.stop();
  look_at_settings(run);
  for (const GpuObservation& gpu : others.stop())
    if (gpu.first_use_unix) watched.gpu_not_given = gpu.before.uuid;
  watched.first_read = opening.stop();
  if (writing) watched.last_close = writing->stop();
  // What another node opens is not seen.
  if (run.launch.nodes == 1) watched.unopened = opening.unopened();
  const std::optional<Opening> opened = answers.stop();
  watched.answer = answer_touched(opened ? opened->path : "", closed.moved());
  // Events are lost where there is no room for them: the run is as good as not seen.
  require_sight(saw_all());
  if (watched.result.interrupted) {
    run.dropped.back().seconds = watched.result.seconds;
    run.dropped.back().reason = interrupted_run;
  } else {
    run.dropped.pop_back();
  }
  return watched;
}

Sample RunWatcher::sample_of(EntryRun& run, const WatchedRun& watched,
                             std::optional<double> last_write,
                             const std::vector<std::string>& cameras, long patches) const {
  const CommandResult& result = watched.result;
  // Where this process was held up, what it saw late is nobody's contradiction; but it counts.
  std::optional<double> first_read, written = last_write;
  if (watched.first_read) first_read = watched.first_read->unix_s;
  if (written && watched.last_close)
    written = std::max(*written, watched.last_close->not_before_unix);
  const SeenOf seen{result.start_unix,
                    result.start_unix + result.seconds,
                    first_read,
                    written,
                    folders_.clock_slack(),
                    watched.answer,
                    watched.unopened,
                    result.clock_was_set_s,
                    first_use_of(run.entry, watched.gpus),
                    watched.gpu_not_given};
  const AskedOf asked{
      run.entry.program(), to_string(run.entry.milestone), cameras, run.launch.ranks, patches,
      run.launch.nodes};
  Sample sample =
      make_sample(result, folders_.events(), folders_.log_of_run(run.entry.id, run.next_index()),
                  [&](const RunLog& of_run) { return contradiction(of_run, asked, seen); });
  // However it ended: what it has seen helps later runs.
  if (!watched.answer.empty()) sample.failure = watched.answer;
  // The program's own words may have had no room either.
  if (sample.failure && folders_.is_full())
    *sample.failure += std::string(": ") + std::strerror(ENOSPC);
  sample.index = run.next_index();
  sample.warmup = sample.index < run.warmups;
  if (watched.first_read && last_write) {
    const double last = watched.last_close ? watched.last_close->unix_s : *last_write;
    sample.observed_s = std::max(*last_write, last) - at_the_earliest(*watched.first_read);
  }
  // Within its slack a log may say less than was seen; it gains nothing by it.
  if (sample.extraction_s && sample.observed_s)
    sample.extraction_s = std::max(*sample.extraction_s, *sample.observed_s);
  // srun's ranks are children of Slurm's daemon, and other nodes' are not seen from here.
  if (run.launch.launcher != "srun" && run.launch.nodes == 1) sample.cpu_s = result.cpu_s;
  sample.node_joules = watched.node_joules;
  keep_run_log(run);
  take_gpu_use(watched.gpus, sample);
  run.add_health(watched.gpus);
  return sample;
}

std::vector<int> RunWatcher::nvml_indices(const Entry& entry) const {
  std::vector<int> indices;
  for (const VisibleGpu& gpu : gpus_of(entry, machine_)) indices.push_back(gpu.nvml_index);
  return indices;
}

// Of those that could be given. Slurm chooses which it gives, and other nodes' are not seen from
// here. Instances of one GPU are not told apart.
std::vector<int> RunWatcher::gpus_not_given(const EntryRun& run) const {
  if (run.launch.launcher == "srun" || run.launch.nodes > 1) return {};
  std::set<int> others;
  for (const VisibleGpu& gpu : machine_.gpus) others.insert(gpu.nvml_index);
  for (const int given : nvml_indices(run.entry)) others.erase(given);
  return {others.begin(), others.end()};
}

// A power limit, a mode or a clock that is another during the runs than what the result says.
void RunWatcher::look_at_settings(EntryRun& run) const {
  for (const int index : nvml_indices(run.entry)) {
    if (run.settings_changed) return;
    const nlohmann::ordered_json now = gpu_json(nvml_.describe(index));
    for (const auto& [name, before] : settings_.at(index).items())
      if (now.at(name) != before && !run.settings_changed)
        run.settings_changed = fmt::format("{} of {} was {}, and {} after run {}", name,
                                           now.at("uuid").get<std::string>(), before.dump(),
                                           now.at(name).dump(), run.next_index());
  }
}

// An old log must not stand in for one that was not written. That of a night has hundreds of
// thousands of events, and is not kept.
void RunWatcher::keep_run_log(EntryRun& run) const {
  const std::string written = folders_.events(), kept = folders_.run_log(run.entry.id);
  fs::remove(kept);
  run.run_log_sha256.reset();
  std::error_code error;
  const auto bytes = fs::is_regular_file(written) ? fs::file_size(written, error) : 0;
  if (error || bytes == 0 || bytes > most_run_log_bytes) return;
  fs::copy_file(written, kept);
  run.run_log_sha256 = hash_file(kept);
}

}  // namespace spex::bench
