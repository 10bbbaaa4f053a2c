#include "bench/run/observed_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/inotify.h>

#include "bench/machine/cpu_health.hpp"
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

// The MPS server releases the contexts of all GPUs after mps-wrapper has ended.
constexpr double mps_grace_s = 15;
// Tolerated difference of run log and observation (network file systems, GPU sampling): seconds,
// and a fraction of the run.
constexpr double tolerance_s = 0.3, tolerance_fraction = 0.02;

// The daemon and the server of MPS, which are in one folder.
std::vector<std::string> programs_of_mps() {
  std::error_code error;
  const fs::path control = fs::canonical(program_on_path("nvidia-cuda-mps-control"), error);
  if (error) return {};
  return {control, control.parent_path() / "nvidia-cuda-mps-server"};
}

Command command_of(const RunRequest& request) {
  Command command;
  command.argv = request.launch->argv;
  command.argv.insert(command.argv.end(), request.arguments.begin(), request.arguments.end());
  command.environment = request.launch->environment;
  command.log = request.log;
  command.time_limit_s = request.time_limit_s;
  command.meanwhile = request.meanwhile;
  if (request.entry->mps) {
    command.grace_s = mps_grace_s;
    command.helpers = programs_of_mps();
  }
  return command;
}

// The extraction clock includes the creation of CUDA contexts. With MPS it does not: the server
// creates its context as soon as a process asks for the GPUs.
std::optional<double> first_use_of(const Entry& entry, const std::vector<GpuObservation>& gpus) {
  std::optional<double> first;
  if (entry.mps) return first;
  for (const GpuObservation& gpu : gpus)
    if (gpu.first_use_unix)
      first = std::min(first.value_or(*gpu.first_use_unix), *gpu.first_use_unix);
  return first;
}

void record_gpu_use(const std::vector<GpuObservation>& gpus, Sample& sample) {
  std::vector<double> joules, busy, before;
  for (const GpuObservation& gpu : gpus) {
    if (gpu.before.energy_j && gpu.after.energy_j)
      joules.push_back(*gpu.after.energy_j - *gpu.before.energy_j);
    if (gpu.busy_samples > 0) busy.push_back(gpu.busy_sum / gpu.busy_samples);
    if (gpu.before.busy) before.push_back(*gpu.before.busy);
    if (gpu.memory_bytes)
      sample.device_memory_bytes =
          std::max(sample.device_memory_bytes.value_or(0), *gpu.memory_bytes);
    for (const std::string& reason : gpu.extremes.throttle_reasons)
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

// How the run log contradicts the request or the observation; "" if it does not.
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
  if (observed_s &&
      std::abs(log.end_s - *observed_s) > tolerance_s + tolerance_fraction * *observed_s)
    return fmt::format("says {:.2f} s of extraction, and {:.2f} s were observed", log.end_s,
                       *observed_s);
  return {};
}

// The run log is only diagnostic: without a consistent one, no stage times are recorded.
void record_run_log(const RunRequest& request, Sample& sample) {
  try {
    const RunLog log = read_run_log(request.events);
    sample.logged_s = log.end_s;
    if (const std::string wrong = contradiction(log, request, sample.extraction_s); !wrong.empty())
      throw data_error("the run log", wrong, "what was requested and observed");
    sample.phases = log.stages;
    sample.max_rss_bytes = log.max_rss_bytes;
    sample.patches = log.patches;
    sample.fell_back = log.fell_back;
    sample.failed_patches = log.failed;
  } catch (const Error& error) {
    sample.warnings.push_back(printable(error.what()) + "; its stage times are omitted");
  }
}

}  // namespace

Runner::Runner(const Nvml& nvml, const Machine& machine, Signals& signals)
    : nvml_(nvml), machine_(machine), signals_(signals) {
  for (const mpi::VisibleGpu& gpu : machine_.visible)
    settings_[gpu.index] = json_of(nvml_.describe(gpu.index));
}

ObservedRun Runner::run(const RunRequest& request) {
  const Command command = command_of(request);
  FileWatch opening(request.inputs, IN_OPEN | IN_ONESHOT);
  FileWatch writing({request.outputs}, IN_CLOSE_WRITE | IN_MOVED_TO);
  GpuMonitor monitor(nvml_, nvml_indices(*request.entry));
  NodeMeter meter;
  ObservedRun observed;
  observed.cpu_before = read_cpu_health();
  const std::optional<double> joules_before = meter.read().energy_j;
  const CpuUseSince use;
  const std::optional<double> job_before = job_cpu_s();
  const CommandResult result = run_command(command, signals_);
  const double own_cpu_s = use.own_s(), others_cpu_s = use.others_s();
  const std::optional<double> job_after = job_cpu_s();
  const std::optional<double> joules_after = meter.read().energy_j;
  observed.cpu_after = read_cpu_health();
  observed.interrupted = result.interrupted;
  observed.gpus = monitor.stop();
  observed.settings_changed = changed_setting(*request.entry);

  Sample& sample = observed.sample;
  sample.start_utc = utc_text(result.start_unix);
  sample.exit_status = result.status;
  sample.effective_s = result.seconds;
  sample.failure = failure_of(result, request.log);
  // srun's tasks are children of Slurm's daemon, so the job's control group counts them. It counts
  // spex-bench too. Work of spex-bench, such as hashing the frames of a long run, is neither the
  // run's nor that of other processes. Processes of other nodes are not visible here.
  if (request.launch->nodes == 1) {
    if (request.launch->launcher != "srun")
      sample.cpu_s = result.cpu_s;
    else if (job_before && job_after && machine_.nodes_allocated == 1)
      sample.cpu_s = std::max(0.0, *job_after - *job_before - own_cpu_s);
    if (sample.cpu_s) sample.other_cpu_s = std::max(0.0, others_cpu_s - *sample.cpu_s);
  }
  if (joules_before && joules_after) sample.node_joules = *joules_after - *joules_before;
  const std::optional<double> first = opening.stop().first, last = writing.stop().last;
  if (request.launch->nodes > 1) {
    // No node sees the files of all nodes.
  } else if (result.was_stopped) {
    sample.warnings.emplace_back("spex-bench was stopped during the run: no extraction clock");
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
    sample.warnings.emplace_back(
        "the opening of inputs or the closing of outputs was not observed");
  }
  const bool clock_was_set = std::abs(result.clock_step_s) > 0.05 + 1e-3 * result.seconds;
  if (clock_was_set)
    sample.warnings.push_back(fmt::format("this machine's clock was set by {:.2f} s during the run",
                                          result.clock_step_s));
  if (result.was_stopped)
    observed.disturbance = "spex-bench was stopped";
  else if (clock_was_set)
    observed.disturbance = "this machine's clock was set";
  else if (observed.settings_changed)
    observed.disturbance = *observed.settings_changed;
  if (observed.cpu_after.throttled.value_or(0) > observed.cpu_before.throttled.value_or(0))
    sample.throttled = true;
  record_gpu_use(observed.gpus, sample);
  record_run_log(request, sample);
  return observed;
}

std::vector<int> Runner::nvml_indices(const Entry& entry) const {
  std::vector<int> indices;
  for (const mpi::VisibleGpu& gpu : gpus_of(entry, machine_)) indices.push_back(gpu.index);
  return indices;
}

// A GPU setting, such as the power limit, that differs from the one in the result.
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
