#include "bench/campaign/campaign.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include "bench/campaign/entry_run.hpp"
#include "bench/campaign/exposure_run.hpp"
#include "bench/campaign/folders.hpp"
#include "bench/campaign/inputs.hpp"
#include "bench/campaign/long_run.hpp"
#include "bench/campaign/result_file.hpp"
#include "bench/campaign/table.hpp"
#include "bench/campaign/watched_run.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/program_files.hpp"
#include "bench/correctness/repository_goldens.hpp"
#include "bench/correctness/run_claims.hpp"
#include "bench/measure/machine.hpp"
#include "bench/roofline/frame_costs.hpp"
#include "golden/golden_cases.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/fits/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// What mps-wrapper starts.
constexpr const char* mps_control = "nvidia-cuda-mps-control";

void check_goldens(const Plan& plan, const std::string& golden_cases) {
  if (plan.goldens.empty()) return;
  const std::vector<std::string> names = golden::golden_case_names(golden_cases);
  for (const std::string& name : plan.goldens)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw usage_error(plan.path,
                        fmt::format("'goldens' has {}, which is not in {}", name, golden_cases),
                        fmt::format("{}", fmt::join(names, ", ")));
}

// Launchers have several files open for each rank. With too few they end with words of any kind, or
// not at all.
void check_open_files() {
  constexpr rlim_t least = 256;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < least)
    throw data_error("ulimit -n", fmt::format("allows {} open files", limit.rlim_cur),
                     fmt::format("{} or more, for the launcher", least));
}

void check_launcher(const Plan& plan, const LaunchSettings& settings, const Machine& machine,
                    const Programs& programs) {
  for (const Entry& entry : plan.entries) {
    const Launch launch = make_launch(entry, machine, settings, programs, {});
    if (launch.launcher == "none") continue;
    // A shell finds the launcher without it, which then finds nothing.
    if (std::getenv("PATH") == nullptr)
      throw usage_error("PATH", "is not set", "where the launcher and what it starts are");
    check_open_files();
    if (settings.launcher.program.empty())
      throw usage_error("--launcher", settings.launcher.missing,
                        "the launcher of the MPI that the programs are linked with, or srun in a "
                        "job, for " +
                            entry.id);
  }
}

// This machine. What cannot be run on it is said before anything is made.
Machine machine_for(const Plan& plan, const CampaignSettings& settings, const Programs& programs,
                    const Nvml& nvml) {
  Machine machine = describe_machine(nvml, settings.system);
  if (settings.launch.nodes > machine.nodes_allocated)
    throw usage_error("--nodes", std::to_string(settings.launch.nodes),
                      fmt::format("at most the {} allocated", machine.nodes_allocated));
  std::vector<Entry> can_run = plan.entries;
  std::erase_if(can_run, [&](const Entry& entry) {
    return entry.gpus > static_cast<int>(machine.gpus.size());
  });
  programs.require_for(can_run);
  check_goldens(plan, settings.golden_cases);
  check_launcher(plan, settings.launch, machine, programs);
  return machine;
}

// Those that are measured and those that measure; NVML tells of GPUs what the verdict believes.
std::vector<std::string> paths_of_programs(const Programs& programs, const Launcher& launcher,
                                           const Nvml& nvml) {
  std::vector<std::string> paths = programs.present();
  paths.push_back(fs::read_symlink("/proc/self/exe").string());
  if (const std::string found = program_on_path(launcher.program); !found.empty())
    paths.push_back(found);
  if (const std::string library = nvml.library_file(); !library.empty()) paths.push_back(library);
  return paths;
}

class Campaign {
 public:
  Campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals)
      : plan_(plan),
        settings_(settings),
        programs_(Programs::beside_this_one()),
        machine_(machine_for(plan, settings, programs_, nvml_)),
        folders_(settings, plan),
        program_files_(paths_of_programs(programs_, settings.launch.launcher, nvml_)),
        inputs_(plan, settings, programs_, program_files_.sha256().at("spex-cpu"), folders_.data(),
                signals),
        watcher_(nvml_, machine_, folders_, signals, [this](const EntryRun& run) { write(run); }) {
    begin();
    make_runs();
  }

  int run() {
    for (EntryRun& run : runs_) prepare(run);
    began_ = unix_now();
    // Round after round, so that what changes in the machine meanwhile meets all entries.
    for (bool more = true; more && !Signals::interrupted();) {
      more = false;
      for (EntryRun& run : runs_) {
        if (run.done()) continue;
        if (Signals::interrupted()) break;
        run_once(run);
        more = true;
      }
    }
    if (!Signals::interrupted()) check_files();
    for (const EntryRun& run : runs_) write(run);
    print_table(runs_, facts_);
    std::vector<int> statuses;
    for (const EntryRun& run : runs_) {
      const int status = judge(run.evidence(facts_)).exit_status;
      const bool refused = status == status::skipped && settings_.require_gpu;
      statuses.push_back(refused ? status::failed : status);
    }
    if (Signals::interrupted())
      spdlog::error("interrupted; the same command with --resume goes on from here");
    return combined_status(statuses);
  }

 private:
  void begin() {
    facts_.plan = &plan_;
    facts_.plan_sha256 = hash_text(plan_.text);
    std::string now = utc_text(unix_now());
    std::erase_if(now, [](char c) { return c == '-' || c == ':'; });
    facts_.run_id = fmt::format("{}-{}-{}", now, plan_.name, machine_.name);
    facts_.build = build_json();
    facts_.system = system_json(machine_, nvml_);
    facts_.programs = program_files_.sha256();
    facts_.environment = relevant_environment();
    facts_.slurm = slurm_environment();
    facts_.seal_key = folders_.seal_key();
    atomic_write(kept_plan_path(settings_.out), plan_.text);
    atomic_write(kept_key_path(settings_.out), facts_.seal_key + "\n");
    facts_.goldens_are_ours = are_repository_goldens(settings_.golden_cases);
    facts_.gpu_reason = nvml_.reason();
    facts_.thresholds = settings_.thresholds;
  }

  void make_runs() {
    for (const Entry& entry : plan_.entries) {
      EntryRun run;
      run.entry = entry;
      run.start_utc = utc_text(unix_now());
      run.warmups = entry.warmups.value_or(plan_.warmups);
      run.repeats = entry.repeats.value_or(plan_.repeats);
      run.until = entry.until;
      const Case& one = plan_.cases.at(entry.case_name);
      run.frames = entry.frames.value_or(static_cast<int>(one.camera_list().size()));
      run.bundles = run.frames * entry.bundles.value_or(one.bundles());
      run.has_fpnh = has_fpnh(entry, one);
      const int nodes = entry.nodes.value_or(settings_.launch.nodes);
      if (nodes > machine_.nodes_allocated)
        run.skipped_because =
            fmt::format("it needs {} nodes, of {} allocated", nodes, machine_.nodes_allocated);
      else if (entry.gpus > static_cast<int>(machine_.gpus.size()))
        run.skipped_because = "there is no GPU for it";
      run.skipped = !run.skipped_because.empty();
      run.inputs = inputs_.json(run);
      runs_.push_back(std::move(run));
    }
  }

  // Everything before the first run of an entry. What fails here fails the entry alone.
  void prepare(EntryRun& run) {
    if (Signals::interrupted() || !run.error.empty()) return;
    try {
      std::vector<std::string> options{"--events", folders_.events(), "--loglevel", "warn"};
      if (!run.entry.alone) options.insert(options.begin(), {"--list", folders_.list()});
      run.launch = make_launch(run.entry, machine_, settings_.launch, programs_, options);
      if (run.skipped) return write(run);
      const std::string result = folders_.result(run.entry.id);
      const bool resumes = settings_.resume && fs::exists(result);
      if (!resumes && run.entry.mps && program_on_path(mps_control).empty()) {
        run.error = fmt::format("{} is not on PATH (expected the driver's MPS)", mps_control);
        return write(run);
      }
      if (resumes) {
        resume_from(result, facts_, run);
        inputs_.check_resumed(run, result);
      }
      if (run.done()) return;
      const std::vector<const Dataset*> exposures =
          inputs_.exposures_of(run, run.next_index(), run.next_index() + run.runs_left());
      if (!run.entry.sustain)
        run.stage_costs = frame_costs(run.entry, *exposures.front(), run.frames);
      if (run.golden.empty()) run.golden = inputs_.golden_gate(run.entry);
      spoil_others(run);
      if (run.failed()) return;
      for (const Dataset* exposure : exposures) inputs_.make_references(run, *exposure);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage || settings_.resume) throw;
      run.error = error.what();
    } catch (const std::exception& error) {
      run.error = words_of(error);
    }
    write(run);
  }

  // Whether the inputs are still those that were made, and the programs those that were there. Runs
  // on or of others have failed.
  void check_files() {
    if (done_ == 0) return;
    if (const std::string program = program_files_.changed(); !program.empty())
      for (EntryRun& run : runs_)
        for (Sample& sample : run.samples)
          if (!sample.failure) sample.failure = program + " was changed while it was measured";
    inputs_.fail_changed(runs_);
  }

  // One run of an entry. What goes wrong with the harness or the system is no fault of the frames,
  // and ends this entry alone.
  void run_once(EntryRun& run) {
    try {
      std::optional<Sample> sample = measure(run);
      if (!sample) return;  // interrupted
      report(run, *sample);
      run.samples.push_back(std::move(*sample));
      write(run);
      spoil_others(run);
    } catch (const std::exception& error) {
      run.error = words_of(error);
      spdlog::error("{}: {}", run.entry.id, run.error);
      if (!run.dropped.empty() && run.dropped.back().index == run.next_index())
        run.dropped.back().reason = run.error;
      write(run);
    }
  }

  // Answers that an entry has looked up are there for all that follow. The tier ci has no speed
  // that they could help.
  void spoil_others(const EntryRun& run) {
    if (plan_.tier == "ci") return;
    std::string failure;
    if (!run.samples.empty()) failure = run.samples.back().failure.value_or("");
    for (const auto& one : run.golden)
      if (one.at("failure").is_string()) failure += one.at("failure").get<std::string>();
    if (failure.find(no_business) == std::string::npos) return;
    for (EntryRun& other : runs_) {
      if (&other == &run || other.done()) continue;
      other.error = fmt::format(
          "{} has opened, or moved, what no run has business with, which helps all later "
          "runs (expected a new --data and --references)",
          run.entry.id);
      write(other);
    }
  }

  std::optional<Sample> measure(EntryRun& run) {
    if (run.entry.sustain)
      return measure_long_run(run, plan_, facts_.run_id, machine_, nvml_, folders_, inputs_,
                              watcher_);
    inputs_.prepare_further(run, run.next_index());
    if (Signals::interrupted()) return std::nullopt;
    return measure_exposure(run, plan_, folders_, inputs_, watcher_);
  }

  void report(const EntryRun& run, const Sample& sample) {
    ++done_;
    int left = 0;
    for (const EntryRun& one : runs_) left += one.runs_left();
    left = std::max(0, left - 1);  // this run's sample is not counted yet
    const double each = (unix_now() - began_) / done_;
    const std::string what = sample.warmup ? "warm-up" : "timed";
    std::string words;
    if (sample.failure)
      words = "FAILED: " + *sample.failure;
    else if (!run.validation.pass())
      words = "WRONG: " + run.validation.failure();
    else
      words = fmt::format("{:.2f} s, extraction {:.2f} s", sample.effective_s,
                          sample.extraction_s.value_or(0));
    spdlog::info("{} {} {}: {}; {} run(s) and about {:.0f} s left", run.entry.id, what,
                 sample.index, words, left, each * left);
  }

  void write(const EntryRun& run) const {
    EntryRun ending = run;
    ending.end_utc = utc_text(unix_now());
    const std::string text = result_text(ending, facts_);
    atomic_write(folders_.result(run.entry.id), {text.begin(), text.end()});
  }

  const Plan& plan_;
  const CampaignSettings& settings_;
  Nvml nvml_;
  Programs programs_;
  Machine machine_;
  CampaignFolders folders_;
  ProgramFiles program_files_;
  CampaignInputs inputs_;
  RunWatcher watcher_;
  RunFacts facts_;
  std::vector<EntryRun> runs_;
  double began_ = 0;
  int done_ = 0;
};

}  // namespace

int run_campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals) {
  return Campaign(plan, settings, signals).run();
}

}  // namespace spex::bench
