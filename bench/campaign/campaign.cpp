#include "bench/campaign/campaign.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "bench/campaign/entry_run.hpp"
#include "bench/campaign/table.hpp"
#include "bench/correctness/expected_frames.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/golden_gate.hpp"
#include "bench/measure/machine.hpp"
#include "bench/roofline/frame_costs.hpp"
#include "reference/core/error.hpp"
#include "reference/io/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr int bundles_of_full_frame = 20;

class Campaign {
 public:
  Campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals)
      : plan_(plan),
        settings_(settings),
        signals_(signals),
        programs_(Programs::beside_this_one()),
        machine_(describe_machine(nvml_, settings.system)) {
    if (settings.launch.nodes > machine_.nodes_allocated)
      throw usage_error("--nodes", std::to_string(settings.launch.nodes),
                        fmt::format("at most the {} allocated", machine_.nodes_allocated));
    for (const std::string& folder : {settings.out, settings.data, logs()})
      fs::create_directories(folder);
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
    for (const EntryRun& run : runs_) write(run);
    print_table(runs_, facts_);
    std::vector<int> statuses;
    for (const EntryRun& run : runs_) {
      const int status = judge(run.evidence(facts_)).exit_status;
      constexpr int skipped = 77;
      statuses.push_back(status == skipped && settings_.require_gpu ? 1 : status);
    }
    if (Signals::interrupted())
      spdlog::error("interrupted; the same command with --resume goes on from here");
    return combined_status(statuses);
  }

 private:
  [[nodiscard]] std::string logs() const { return fs::path(settings_.out) / "logs"; }
  [[nodiscard]] std::string outputs() const { return fs::path(settings_.data) / "outputs"; }
  [[nodiscard]] std::string result_path(const EntryRun& run) const {
    return fs::path(settings_.out) / (run.entry.id + ".json");
  }
  [[nodiscard]] std::string run_log_path(const EntryRun& run) const {
    return fs::path(settings_.out) / (run.entry.id + ".events.json");
  }

  void begin() {
    facts_.plan = &plan_;
    facts_.plan_sha256 = hash_text(plan_.text);
    std::string now = utc_text(unix_now());
    std::erase_if(now, [](char c) { return c == '-' || c == ':'; });
    facts_.run_id = fmt::format("{}-{}-{}", now, plan_.name, machine_.name);
    facts_.build = build_json();
    facts_.system = system_json(machine_, nvml_);
    facts_.gpu_reason = nvml_.reason();
    if (settings_.thresholds) facts_.thresholds = read_thresholds(*settings_.thresholds);
  }

  void make_runs() {
    for (const Entry& entry : plan_.entries) {
      EntryRun run;
      run.entry = entry;
      run.start_utc = utc_text(unix_now());
      run.warmups = entry.warmups.value_or(plan_.warmups);
      run.repeats = entry.repeats.value_or(plan_.repeats);
      const Case& one = plan_.cases.at(entry.case_name);
      run.frames = entry.frames.value_or(static_cast<int>(one.camera_list().size()));
      run.bundles =
          run.frames * entry.bundles.value_or(one.size == "full" ? bundles_of_full_frame : 1);
      run.skipped = entry.gpus > static_cast<int>(machine_.gpus.size());
      runs_.push_back(std::move(run));
    }
  }

  const Dataset& dataset(const std::string& case_name) {
    const auto found = datasets_.find(case_name);
    if (found != datasets_.end()) return found->second;
    Dataset made = prepare_dataset(plan_.cases.at(case_name), settings_.data, programs_, signals_);
    made.inputs["storage"] = file_system_of(settings_.data);
    return datasets_.emplace(case_name, std::move(made)).first->second;
  }

  // Everything before the first run of an entry. What fails here fails the entry alone.
  void prepare(EntryRun& run) {
    if (Signals::interrupted()) return;
    try {
      run.launch = make_launch(run.entry, machine_, settings_.launch, programs_, files_of(run));
      if (run.skipped) {
        run.inputs = inputs_not_made(plan_.cases.at(run.entry.case_name), settings_.data);
        return write(run);
      }
      const Dataset& data = dataset(run.entry.case_name);
      run.inputs = inputs_of(data, run.frames);
      if (settings_.resume && fs::exists(result_path(run)))
        resume_from(result_path(run), facts_, run);
      if (run.done()) return;
      run.stage_costs = frame_costs(run.entry, data, run.frames);
      if (run.golden.empty()) run.golden = golden_gate(run.entry);
      if (run.failed()) return;
      static_cast<void>(
          expected_.of(run.entry, data, run.frames, plan_.reference, programs_, signals_));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage || settings_.resume) throw;
      run.error = error.what();
    } catch (const std::exception& error) {
      run.error = error.what();
    }
    write(run);
  }

  // The plan's golden cases by the entry's milestone, once for all entries that share it.
  nlohmann::ordered_json golden_gate(const Entry& entry) {
    const auto found = golden_.find(entry.milestone);
    if (found != golden_.end()) return found->second;
    auto results = nlohmann::ordered_json::array();
    for (const std::string& name : plan_.goldens) {
      spdlog::info("{}: golden case {}", to_string(entry.milestone), name);
      results.push_back(
          run_golden(settings_.golden_cases, name, entry, programs_, settings_.data, signals_));
    }
    return golden_.emplace(entry.milestone, results).first->second;
  }

  [[nodiscard]] std::vector<std::string> files_of(const EntryRun& run) const {
    return {"--list",     fs::path(outputs()) / "frames.txt",
            "--events",   run_log_path(run),
            "--loglevel", "warn"};
  }

  // One run of an entry. What goes wrong fails this entry alone.
  void run_once(EntryRun& run) {
    const int index = run.next_index();
    try {
      measure_once(run);
    } catch (const std::exception& error) {
      // A sample that is already there was measured; then it is the entry that failed.
      if (run.next_index() > index) {
        run.error = error.what();
      } else {
        Sample sample;
        sample.index = index;
        sample.warmup = index < run.warmups;
        sample.start_utc = utc_text(unix_now());
        sample.failure = error.what();
        report(run, sample);
        run.samples.push_back(std::move(sample));
      }
      write(run);
    }
  }

  void measure_once(EntryRun& run) {
    const Dataset& data = datasets_.at(run.entry.case_name);
    fs::remove_all(outputs());
    fs::create_directories(outputs());
    static_cast<void>(write_frame_list(data, run.frames, outputs()));
    fs::remove(run_log_path(run));  // an old one must not stand in for one that was not written

    const int index = run.next_index();
    Command command{run.launch.argv, run.launch.environment,
                    fs::path(logs()) / fmt::format("{}-{}.log", run.entry.id, index),
                    plan_.time_limit_s};
    std::vector<int> gpus;
    for (const VisibleGpu& gpu : gpus_of(run.entry, machine_)) gpus.push_back(gpu.nvml_index);
    GpuMonitor monitor(nvml_, gpus);
    const CommandResult result = run_command(command, signals_);
    const std::vector<GpuObservation> watched = monitor.stop();
    if (result.interrupted) return;  // it is not a sample
    Sample sample = make_sample(result, run_log_path(run), command.log);
    sample.index = index;
    sample.warmup = index < run.warmups;
    take_gpu_use(watched, sample);
    run.add_health(watched);
    if (!sample.failure) validate(run, data);
    report(run, sample);
    run.samples.push_back(std::move(sample));
    write(run);
  }

  static void take_gpu_use(const std::vector<GpuObservation>& watched, Sample& sample) {
    std::vector<double> joules;
    for (const GpuObservation& gpu : watched) {
      if (const auto used = gpu.joules()) joules.push_back(*used);
      if (const auto bytes = gpu.memory_bytes())
        sample.device_memory_bytes = std::max(sample.device_memory_bytes.value_or(0), *bytes);
    }
    if (!joules.empty() && joules.size() == watched.size()) sample.joules = joules;
  }

  void validate(EntryRun& run, const Dataset& data) {
    const std::vector<InputFrame> frames(data.frames.begin(), data.frames.begin() + run.frames);
    const bool first = run.validation.frames().empty();
    const ExpectedFrames& expected =
        expected_.of(run.entry, data, run.frames, plan_.reference, programs_, signals_);
    // A tiny frame has too few bins for the statistics of its truth.
    const bool with_truth = plan_.cases.at(run.entry.case_name).size != "tiny";
    run.validation.look(frames, outputs(), expected, run.entry.tolerance, with_truth);
    if (first && run.validation.pass()) expected_.adopt(run.entry, run.validation, outputs());
  }

  void report(const EntryRun& run, const Sample& sample) {
    ++done_;
    int left = 0;
    for (const EntryRun& one : runs_)
      if (!one.done()) left += one.warmups + one.repeats - one.next_index();
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

  void write(const EntryRun& run) {
    EntryRun ending = run;
    ending.end_utc = utc_text(unix_now());
    const std::string text = result_json(ending, facts_).dump(1) + "\n";
    atomic_write(result_path(run), {text.begin(), text.end()});
  }

  const Plan& plan_;
  const CampaignSettings& settings_;
  Signals& signals_;
  Nvml nvml_;
  Programs programs_;
  Machine machine_;
  RunFacts facts_;
  std::vector<EntryRun> runs_;
  std::map<std::string, Dataset> datasets_;
  std::map<Milestone, nlohmann::ordered_json> golden_;
  ExpectedStore expected_{fs::path(settings_.data) / "expected"};
  double began_ = 0;
  int done_ = 0;
};

}  // namespace

int run_campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals) {
  return Campaign(plan, settings, signals).run();
}

}  // namespace spex::bench
