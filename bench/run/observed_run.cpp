#include "bench/run/observed_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/inotify.h>

#include "bench/machine/node_meter.hpp"
#include "bench/machine/process_tree.hpp"
#include "bench/machine/program_files.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/utc.hpp"
#include "bench/run/command.hpp"
#include "bench/run/file_watch.hpp"
#include "bench/run/run_log.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// The server of MPS gives back the contexts of all GPUs after mps-wrapper has ended.
constexpr double end_of_mps_s = 15;
// By which a run log and the observation may differ: network file systems, and looks at GPUs.
constexpr double log_slack_s = 0.3, log_slack_part = 0.02;

// Its daemon and its server, which lie beside each other.
std::vector<std::string> programs_of_mps() {
  std::error_code error;
  const fs::path control = fs::canonical(program_on_path("nvidia-cuda-mps-control"), error);
  if (error) return {};
  return {control, control.parent_path() / "nvidia-cuda-mps-server"};
}

Command command_of(const RunRequest& request) {
  Command command;
  command.argv = request.launch->argv;
  command.argv.insert(command.argv.end(), request.words.begin(), request.words.end());
  command.environment = request.launch->environment;
  command.log = request.log;
  command.time_limit_s = request.time_limit_s;
  if (request.entry->mps) {
    command.straggling_s = end_of_mps_s;
    command.helpers = programs_of_mps();
  }
  return command;
}

// A context is made within the extraction clock. The server of MPS makes its own when the first
// process asks which GPUs there are.
std::optional<double> first_use_of(const Entry& entry, const std::vector<GpuObservation>& gpus) {
  std::optional<double> first;
  if (entry.mps) return first;
  for (const GpuObservation& gpu : gpus)
    if (gpu.first_use_unix)
      first = std::min(first.value_or(*gpu.first_use_unix), *gpu.first_use_unix);
  return first;
}

void take_gpu_use(const std::vector<GpuObservation>& gpus, Sample& sample) {
  std::vector<double> joules, busy, before;
  for (const GpuObservation& gpu : gpus) {
    if (gpu.before.energy_j && gpu.after.energy_j)
      joules.push_back(*gpu.after.energy_j - *gpu.before.energy_j);
    if (gpu.busy_samples > 0) busy.push_back(gpu.busy_sum / gpu.busy_samples);
    if (gpu.before.busy) before.push_back(*gpu.before.busy);
    if (gpu.memory_bytes)
      sample.device_memory_bytes =
          std::max(sample.device_memory_bytes.value_or(0), *gpu.memory_bytes);
    for (const std::string& reason : gpu.most.throttle_reasons)
      sample.throttled = sample.throttled || is_unhealthy(reason);
  }
  const auto of_all = [&](const std::vector<double>& values) {
    return !values.empty() && values.size() == gpus.size() ? std::optional(values) : std::nullopt;
  };
  sample.joules = of_all(joules);
  sample.gpu_busy = of_all(busy);
  sample.gpu_busy_before = of_all(before);
  if (sample.device_memory_bytes && *sample.device_memory_bytes <= 0)
    sample.warnings.emplace_back("no memory of a GPU was used while it ran");
}

std::optional<std::string> failure_of(const CommandResult& result, const std::string& log) {
  if (result.timed_out) return fmt::format("ended after {:.0f} s, its time limit", result.seconds);
  if (result.status != 0) return end_of(result, log);
  if (result.left_behind > 0) return fmt::format("left {} process(es) behind", result.left_behind);
  return std::nullopt;
}

// What a run log says that was not asked for, or not observed; "" where it agrees.
std::string contradiction(const RunLog& log, const RunRequest& request,
                          const std::optional<double>& observed_s) {
  const Entry& entry = *request.entry;
  if (log.program != entry.program())
    return fmt::format("is of {} (expected {})", log.program, entry.program());
  if (log.milestone != to_string(entry.milestone))
    return fmt::format("is of the milestone {} (expected {})", log.milestone,
                       to_string(entry.milestone));
  if (log.frames != request.frames)
    return fmt::format("has {} frames (expected {})", log.frames, request.frames);
  if (log.ranks != request.launch->ranks)
    return fmt::format("is of {} ranks (expected {})", log.ranks, request.launch->ranks);
  if (observed_s && std::abs(log.end_s - *observed_s) > log_slack_s + log_slack_part * *observed_s)
    return fmt::format("says {:.2f} s of extraction, and {:.2f} s were observed", log.end_s,
                       *observed_s);
  return {};
}

// The run log is diagnosis: where it is missing or contradicts, there are no stages.
void take_run_log(const RunRequest& request, Sample& sample) {
  try {
    const RunLog log = read_run_log(request.events);
    sample.logged_s = log.end_s;
    if (const std::string wrong = contradiction(log, request, sample.extraction_s); !wrong.empty())
      throw data_error("the run log", wrong, "what was asked for and observed");
    sample.phases = log.phases;
    sample.max_rss_bytes = log.max_rss_bytes;
    sample.patches = log.patches;
    sample.fell_back = log.fell_back;
    sample.failed_patches = log.failed;
  } catch (const Error& error) {
    sample.warnings.push_back(printable(error.what()) + "; its stages are left out");
  }
}

}  // namespace

Runner::Runner(const Nvml& nvml, const Machine& machine, Signals& signals)
    : nvml_(nvml), machine_(machine), signals_(signals) {
  for (const VisibleGpu& gpu : machine_.gpus)
    settings_[gpu.nvml_index] = json_of(nvml_.describe(gpu.nvml_index));
}

ObservedRun Runner::run(const RunRequest& request) {
  const Command command = command_of(request);
  FileWatch opening(request.inputs, IN_OPEN | IN_ONESHOT);
  FileWatch writing({request.outputs}, IN_CLOSE_WRITE | IN_MOVED_TO);
  GpuMonitor monitor(nvml_, nvml_indices(*request.entry));
  NodeMeter meter;
  const std::optional<double> joules_before = meter.read().energy_j;
  const double cpu_before = node_cpu().busy_s;
  const CommandResult result = run_command(command, signals_);
  const double cpu = node_cpu().busy_s - cpu_before;
  const std::optional<double> joules_after = meter.read().energy_j;
  ObservedRun observed;
  observed.interrupted = result.interrupted;
  observed.gpus = monitor.stop();
  observed.settings_changed = changed_setting(*request.entry);

  Sample& sample = observed.sample;
  sample.start_utc = utc_text(result.start_unix);
  sample.exit_status = result.status;
  sample.effective_s = result.seconds;
  sample.failure = failure_of(result, request.log);
  // srun's ranks are children of Slurm's daemon, and other nodes' are not seen from here.
  if (request.launch->launcher != "srun" && request.launch->nodes == 1) {
    sample.cpu_s = result.cpu_s;
    sample.other_cpu_s = std::max(0.0, cpu - result.cpu_s);
  }
  if (joules_before && joules_after) sample.node_joules = *joules_after - *joules_before;
  const std::optional<double> first = opening.stop().first, last = writing.stop().last;
  if (request.launch->nodes > 1) {
    // No node sees the files of all.
  } else if (result.was_stopped) {
    sample.warnings.emplace_back("spex-bench was stopped meanwhile: no extraction clock");
  } else if (!opening.sees_all() || !writing.sees_all()) {
    sample.warnings.emplace_back(
        "files cannot be watched (expected room for more in /proc/sys/user/max_inotify_instances "
        "and max_inotify_watches)");
  } else if (first && last) {
    const double begin =
        std::min(*first, first_use_of(*request.entry, observed.gpus).value_or(*first));
    sample.extraction_s = *last - begin;
    sample.launch_s = std::max(0.0, begin - result.start_unix);
  } else if (!sample.failure) {
    sample.warnings.emplace_back("no input was seen opened, or no output closed");
  }
  if (std::abs(result.clock_was_set_s) > 0.05 + 1e-3 * result.seconds)
    sample.warnings.push_back(
        fmt::format("this machine's clock was set by {:.2f} s meanwhile", result.clock_was_set_s));
  take_gpu_use(observed.gpus, sample);
  take_run_log(request, sample);
  return observed;
}

std::vector<int> Runner::nvml_indices(const Entry& entry) const {
  std::vector<int> indices;
  for (const VisibleGpu& gpu : gpus_of(entry, machine_)) indices.push_back(gpu.nvml_index);
  return indices;
}

// A power limit, a mode or a clock that is no longer what the result says.
std::optional<std::string> Runner::changed_setting(const Entry& entry) const {
  for (const int index : nvml_indices(entry)) {
    const nlohmann::ordered_json now = json_of(nvml_.describe(index));
    for (const auto& [name, before] : settings_.at(index).items())
      if (now.at(name) != before)
        return fmt::format("{} of {} was {}, and is {}", name, now.at("uuid").get<std::string>(),
                           before.dump(), now.at(name).dump());
  }
  return std::nullopt;
}

}  // namespace spex::bench
