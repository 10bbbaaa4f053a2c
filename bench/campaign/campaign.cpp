#include "bench/campaign/campaign.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "bench/campaign/compare_runs.hpp"
#include "bench/campaign/entry_run.hpp"
#include "bench/campaign/folders.hpp"
#include "bench/campaign/timed_runs.hpp"
#include "bench/check/golden_gate.hpp"
#include "bench/machine/machine.hpp"
#include "bench/machine/program_files.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/file_hash.hpp"
#include "bench/result/utc.hpp"
#include "bench/roofline/stage_costs.hpp"
#include "golden/golden_cases.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

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

void check_launcher(const Plan& plan, const LaunchSettings& settings, const Machine& machine,
                    const Programs& programs) {
  if (!settings.launcher.program.empty()) return;
  for (const Entry& entry : plan.entries)
    if (make_launch(entry, machine, settings, programs, {}).launcher != "none")
      throw usage_error("--launcher", settings.launcher.missing,
                        "the launcher of the MPI that the programs are linked with, or srun in a "
                        "job, for " +
                            entry.id);
}

void check_gpus(const Plan& plan, const Machine& machine) {
  int needed = 0;
  for (const Entry& entry : plan.entries) needed = std::max(needed, entry.last_gpu());
  const auto found = static_cast<int>(machine.gpus.size());
  if (needed == 0 || found >= needed) return;
  throw data_error("--require-gpu",
                   found == 0 ? "no GPU found" : fmt::format("{} GPU(s) found", found),
                   fmt::format("{} GPU(s), which the plan uses", needed));
}

// Describes this machine. Checks that it can run the plan before any files are made.
Machine machine_for(const Plan& plan, const CampaignSettings& settings, const Programs& programs,
                    const Nvml& nvml) {
  Machine machine = describe_machine(nvml, settings.system);
  if (settings.launch.nodes > machine.nodes_allocated)
    throw usage_error("--nodes", std::to_string(settings.launch.nodes),
                      fmt::format("at most the {} allocated", machine.nodes_allocated));
  if (settings.require_gpu) check_gpus(plan, machine);
  std::vector<Entry> can_run = plan.entries;
  std::erase_if(can_run, [&](const Entry& entry) {
    return entry.last_gpu() > static_cast<int>(machine.gpus.size());
  });
  programs.require_for(can_run);
  check_goldens(plan, settings.golden_cases);
  check_launcher(plan, settings.launch, machine, programs);
  return machine;
}

// Files whose hashes go into the result: the programs under test, spex-bench, the launcher, and
// NVML's library, on which the verdict relies.
std::vector<std::string> paths_of_programs(const Programs& programs, const Launcher& launcher,
                                           const Nvml& nvml) {
  std::vector<std::string> paths = programs.present();
  paths.push_back(fs::read_symlink("/proc/self/exe").string());
  if (const std::string found = program_on_path(launcher.program); !found.empty())
    paths.push_back(found);
  if (const std::string library = nvml.library_file(); !library.empty()) paths.push_back(library);
  return paths;
}

// References for drawn seeds are temporary.
std::string folder_of_references(const CampaignSettings& settings) {
  if (!settings.drawn_seeds) return settings.references;
  const std::string folder = settings.data + "/references";
  fs::remove_all(folder);
  return folder;
}

class Campaign {
 public:
  Campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals)
      : plan_(plan),
        settings_(settings),
        signals_(signals),
        programs_(Programs::in_own_folder()),
        machine_(machine_for(plan, settings, programs_, nvml_)),
        folders_(settings, plan),
        files_(paths_of_programs(programs_, settings.launch.launcher, nvml_)),
        exposures_(folders_.data(), settings.drawn_seeds, programs_, signals),
        runner_(nvml_, machine_, signals),
        timed_(folders_, exposures_, runner_, machine_, nvml_, plan.time_limit_s),
        comparer_(folders_, exposures_,
                  References(folder_of_references(settings), files_.sha256().at("spex-cpu"),
                             programs_, signals),
                  plan.reference ? &*plan.reference : nullptr) {
    if (!settings.resume) exposures_.clear();
    const Record shared = shared_record();
    for (const Entry& entry : plan.entries) runs_.push_back(begin(entry, shared));
  }

  int run() {
    for (EntryRun& run : runs_) guarded(run, [&] { prepare(run); });
    // An entry's frames are compared after all of its runs are timed, so that the comparison does
    // not disturb the machine; earlier only if the disk has no room for another run.
    for (EntryRun& run : runs_) {
      guarded(run, [&] {
        while (!Signals::interrupted() && !is_done(run.record)) {
          if (!timed_.run_next(run)) break;
          report(run);
          write_result(folders_, run);
          if (!folders_.has_room_for(bytes_of_run(plan_, *run.entry))) comparer_.compare(run);
        }
      });
      if (!Signals::interrupted()) guarded(run, [&] { comparer_.compare(run); });
      if (!Signals::interrupted() && !faults_of(run.record).empty())
        spdlog::error("{}: {}", run.entry->id, faults_of(run.record).front());
    }
    if (!Signals::interrupted()) {
      // --resume compares the remaining runs.
      if (std::all_of(runs_.begin(), runs_.end(), [](auto& run) { return run.pending.empty(); }))
        exposures_.clear();
      check_programs();
    }
    return end();
  }

 private:
  // An error of spex-bench or of the system does not make frames wrong. It ends only this entry.
  template <class Work>
  void guarded(EntryRun& run, const Work& work) {
    if (Signals::interrupted() || run.record.error) return;
    try {
      work();
    } catch (const Interrupted&) {
      return;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) throw;
      fail(run, error.what());
    } catch (const std::exception& error) {
      fail(run, words_of(error));
    }
  }

  void fail(EntryRun& run, const std::string& why) {
    run.record.error = printable(why);
    spdlog::error("{}: {}", run.entry->id, *run.record.error);
    write_result(folders_, run);
  }

  Record shared_record() {
    Record record;
    std::string now = utc_text(unix_now());
    std::erase_if(now, [](char c) { return c == '-' || c == ':'; });
    record.run_id = fmt::format("{}-{}-{}", now, plan_.name, machine_.name);
    record.tier = plan_.tier;
    record.division = plan_.division;
    record.plan = {plan_.name, hash_text(plan_.text)};
    record.build = describe_build();
    record.system = machine_;
    record.programs = files_.sha256();
    record.libraries = libraries_of(programs_.spex_cpu);
    if (!machine_.gpus.empty()) record.libraries.merge(libraries_of(programs_.spex_gpu));
    record.health.reason = nvml_.reason().empty() ? "no GPU was used" : nvml_.reason();
    return record;
  }

  // An entry, with the runs of the resumed result. A fault of that result ends the campaign before
  // anything is run or written.
  EntryRun begin(const Entry& entry, const Record& shared) {
    const Case& plan_case = plan_.cases.at(entry.case_name);
    EntryRun run{&entry, &plan_case, begin_record(entry, plan_case, plan_, shared), {}, {}};
    Record& record = run.record;
    const int nodes = entry.nodes.value_or(settings_.launch.nodes);
    if (nodes > machine_.nodes_allocated)
      record.skipped =
          fmt::format("it needs {} nodes, of {} allocated", nodes, machine_.nodes_allocated);
    else if (entry.last_gpu() > static_cast<int>(machine_.gpus.size()))
      record.skipped = "there is no GPU for it";
    std::vector<std::string> options{"--events", folders_.events(), "--loglevel", "warn"};
    if (!entry.alone) options.insert(options.begin(), {"--list", folders_.list()});
    record.launch = make_launch(entry, machine_, settings_.launch, programs_, options);
    record.inputs = exposures_.record(plan_case);
    if (const auto found = settings_.thresholds.find(entry.id); found != settings_.thresholds.end())
      record.threshold = found->second;
    const std::string result = folders_.result(entry.id);
    if (!record.skipped && settings_.resume && fs::exists(result)) {
      resume_record(result, record);
      comparer_.find_pending(run);
    }
    return run;
  }

  // Work before the first run of an entry.
  void prepare(EntryRun& run) {
    const Entry& entry = *run.entry;
    if (!is_done(run.record)) {
      if (entry.mps && program_on_path(mps_control).empty())
        return fail(run, fmt::format("{} is not on PATH (expected the driver's MPS)", mps_control));
      if (run.record.golden.empty()) run.record.golden = goldens_of(entry);
    }
    write_result(folders_, run);
  }

  // Golden cases run once for all entries of a milestone.
  const std::vector<GoldenRecord>& goldens_of(const Entry& entry) {
    const auto found = goldens_.find(entry.milestone);
    if (found != goldens_.end()) return found->second;
    std::vector<GoldenRecord> records;
    const std::vector<std::string> extractor{
        entry.on_gpu() ? programs_.spex_gpu : programs_.spex_cpu, "--milestone",
        to_string(entry.milestone)};
    for (const std::string& name : plan_.goldens) {
      spdlog::info("{}: golden case {}", to_string(entry.milestone), name);
      records.push_back(
          run_golden(settings_.golden_cases, name, extractor, folders_.data(), signals_));
      if (Signals::interrupted()) throw Interrupted{};
    }
    return goldens_.emplace(entry.milestone, std::move(records)).first->second;
  }

  void report(EntryRun& run) {
    const Sample& sample = run.record.timing.samples.back();
    const int warmups = run.record.timing.warmups;
    const std::string what = sample.warmup
                                 ? fmt::format("warm-up {} of {}", sample.index + 1, warmups)
                                 : fmt::format("timed run {} of {}", sample.index + 1 - warmups,
                                               sample.index + 1 - warmups + runs_left(run.record));
    if (sample.failure)
      spdlog::info("{} {}: FAILED: {}", run.entry->id, what, *sample.failure);
    else if (sample.disturbed && !sample.warmup)
      spdlog::warn("{} {}: {:.2f} s, does not count: {}", run.entry->id, what, sample.effective_s,
                   *sample.disturbed);
    else
      spdlog::info("{} {}: {:.2f} s, extraction {:.2f} s", run.entry->id, what, sample.effective_s,
                   sample.extraction_s.value_or(0));
    const bool has_frames = !run.pending.empty() && !run.pending.back().outputs.empty();
    if (run.record.ceilings && run.record.costs.empty() && !run.entry->sustain && has_frames)
      count_costs(run, run.pending.back().outputs.front().exposure);
  }

  static void count_costs(EntryRun& run, const Exposure& exposure) {
    std::vector<CameraPsf> frames;
    for (std::size_t k = 0; k < std::size_t(run.record.work.frames); ++k) {
      const InputFrame& frame = exposure.frames.at(k % exposure.frames.size());
      frames.push_back({frame.camera, frame.psf});
    }
    run.record.costs = frame_costs(*run.entry->extract, frames);
  }

  // Fails all entries if a program changed since the start.
  void check_programs() {
    const std::string changed = files_.changed();
    if (changed.empty()) return;
    for (EntryRun& run : runs_)
      if (!run.record.skipped && !run.record.error)
        fail(run, changed + " was changed while it was measured");
  }

  int end() {
    std::vector<Record> records;
    std::vector<int> statuses;
    for (EntryRun& run : runs_) {
      write_result(folders_, run);
      records.push_back(run.record);
      statuses.push_back(derive(run.record).verdict.exit_status);
    }
    print_table(records);
    return combined_status(statuses);
  }

  const Plan& plan_;
  const CampaignSettings& settings_;
  Signals& signals_;
  Nvml nvml_;
  Programs programs_;
  Machine machine_;
  CampaignFolders folders_;
  ProgramFiles files_;
  Exposures exposures_;
  Runner runner_;
  TimedRuns timed_;
  RunComparer comparer_;
  std::vector<EntryRun> runs_;
  std::map<Milestone, std::vector<GoldenRecord>> goldens_;
};

}  // namespace

int run_campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals) {
  return Campaign(plan, settings, signals).run();
}

}  // namespace spex::bench
