#include "bench/campaign/campaign.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include "bench/campaign/entry_run.hpp"
#include "bench/campaign/sustained.hpp"
#include "bench/campaign/table.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/golden_gate.hpp"
#include "bench/correctness/output_collector.hpp"
#include "bench/correctness/owned_folder.hpp"
#include "bench/correctness/program_files.hpp"
#include "bench/correctness/reference_store.hpp"
#include "bench/correctness/run_claims.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/node_meter.hpp"
#include "bench/measure/run_observer.hpp"
#include "bench/measure/telemetry.hpp"
#include "bench/roofline/frame_costs.hpp"
#include "golden/golden_cases.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/io/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

std::string key_of(const std::string& data) {
  const std::string path = fs::path(data) / ".seal-key";
  std::string key;
  std::ifstream in(path);
  if (std::getline(in, key)) return key;
  std::random_device random;
  for (int i = 0; i < 8; ++i) key += fmt::format("{:08x}", random());
  atomic_write(path, key);
  return key;
}

// Clocks of local file systems are this machine's, but for their ticks.
double slack_of(const std::string& folder) {
  const std::string kind = file_system_of(folder);
  const bool local = kind == "tmpfs" || kind == "ext4" || kind == "xfs" || kind == "overlayfs";
  return local ? 0.05 : 1.0;
}

// The file system that a folder is on, as stat says it.
unsigned long device_of(const std::string& folder) {
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0)
    throw data_error(folder, std::strerror(errno), "a folder that can be read");
  return about.st_dev;
}

// Beyond what is asked of a long run, as a part of it, before it is ended.
constexpr double time_limit_factor = 3;
constexpr std::uintmax_t most_run_log_bytes = 20'000'000;

// Less than this, and a disk is full.
constexpr std::uintmax_t least_room = 64 * 1024;

class Campaign {
 public:
  Campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals)
      : plan_(plan),
        settings_(settings),
        signals_(signals),
        programs_(Programs::beside_this_one()),
        machine_(describe_machine(nvml_, settings.system)),
        out_lock_(folder_for_results()),
        data_("--data", settings.data),
        program_files_(paths_of_programs()),
        references_(OwnedFolder("--references", settings.references),
                    program_files_.sha256().at("spex-cpu")) {
    fs::create_directories(logs());
    fs::create_directories(outputs());
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
  [[nodiscard]] std::string logs() const { return fs::path(settings_.out) / "logs"; }
  [[nodiscard]] std::string outputs() const { return fs::path(settings_.data) / "outputs"; }
  [[nodiscard]] std::string result_path(const EntryRun& run) const {
    return fs::path(settings_.out) / (run.entry.id + ".json");
  }
  // Where the program under test writes its log: it is told nothing of the results' folder.
  [[nodiscard]] std::string events_path() const { return fs::path(outputs()) / "events.json"; }
  [[nodiscard]] std::string list_path() const { return fs::path(outputs()) / "frames.txt"; }
  [[nodiscard]] std::string run_log_path(const EntryRun& run) const {
    return fs::path(settings_.out) / (run.entry.id + ".events.json");
  }

  // What cannot be run is said before anything is made. The results' folder is there then.
  const std::string& folder_for_results() const {
    if (settings_.launch.nodes > machine_.nodes_allocated)
      throw usage_error("--nodes", std::to_string(settings_.launch.nodes),
                        fmt::format("at most the {} allocated", machine_.nodes_allocated));
    check_goldens();
    check_launcher();
    check_folders();
    for (const Entry& entry : plan_.entries)
      if (const std::string id = entry.id + ".json";
          !settings_.resume && fs::exists(fs::path(settings_.out) / id))
        throw usage_error("--out", settings_.out + " holds " + id + " already",
                          "--resume, or another folder");
    std::error_code error;
    fs::create_directories(settings_.out, error);
    if (error) throw data_error(settings_.out, error.message(), "a folder that can be written");
    return settings_.out;
  }

  void check_goldens() const {
    if (plan_.goldens.empty()) return;
    const std::vector<std::string> names = golden::golden_case_names(settings_.golden_cases);
    for (const std::string& name : plan_.goldens)
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw usage_error(
            plan_.path,
            fmt::format("'goldens' has {}, which is not in {}", name, settings_.golden_cases),
            fmt::format("{}", fmt::join(names, ", ")));
  }

  void check_launcher() const {
    for (const Entry& entry : plan_.entries) {
      const Launch launch = make_launch(entry, machine_, settings_.launch, programs_, {});
      const Launcher& launcher = settings_.launch.launcher;
      if (launch.launcher != "none" && launcher.program.empty())
        throw usage_error("--launcher", launcher.missing,
                          "the launcher of the MPI that the programs are linked with, or srun in a "
                          "job, for " +
                              entry.id);
    }
  }

  // Each of the folders is emptied, or written, with no regard for another within it. Inputs and
  // reference frames may be below the results, which are never removed.
  void check_folders() const {
    const auto whole = [](const std::string& path) {
      return (fs::weakly_canonical(fs::absolute(path)) / "").string();
    };
    const std::string out = whole(settings_.out), data = whole(settings_.data),
                      references = whole(settings_.references);
    const auto refuse = [](const char* option, const std::string& one, const std::string& other) {
      if (one.starts_with(other))
        throw usage_error(option, one + " lies in " + other, "a folder of its own");
    };
    refuse("--out", out, data);
    refuse("--out", out, references);
    refuse("--references", references, data);
    refuse("--data", data, references);
  }

  [[nodiscard]] std::vector<std::string> paths_of_programs() const {
    std::vector<std::string> paths{fs::read_symlink("/proc/self/exe").string(), programs_.spex_cpu,
                                   programs_.spex_gpu, programs_.spex_sim, programs_.mps_wrapper};
    if (const std::string launcher = program_on_path(settings_.launch.launcher.program);
        !launcher.empty())
      paths.push_back(launcher);
    return paths;
  }

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
    facts_.seal_key = key_of(data_.path());
    atomic_write(kept_plan_path(settings_.out), plan_.text);
    atomic_write(kept_key_path(settings_.out), facts_.seal_key + "\n");
    facts_.goldens_are_ours = hash_file(settings_.golden_cases) == SPEX_GOLDEN_CASES_SHA256;
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
      const int nodes = entry.nodes.value_or(settings_.launch.nodes);
      if (nodes > machine_.nodes_allocated)
        run.skipped_because =
            fmt::format("it needs {} nodes, of {} allocated", nodes, machine_.nodes_allocated);
      else if (entry.gpus > static_cast<int>(machine_.gpus.size()))
        run.skipped_because = "there is no GPU for it";
      run.skipped = !run.skipped_because.empty();
      runs_.push_back(std::move(run));
    }
  }

  const Dataset& dataset(const std::string& case_name, int seed) {
    const std::pair key{case_name, seed};
    const auto found = datasets_.find(key);
    if (found != datasets_.end()) return found->second;
    return datasets_
        .emplace(key, prepare_dataset(plan_.cases.at(case_name), seed, data_.path(), programs_,
                                      signals_))
        .first->second;
  }

  // The inputs of an entry's first runs, each seed once.
  std::vector<const Dataset*> datasets_of(const EntryRun& run, int runs) {
    const Case& one = plan_.cases.at(run.entry.case_name);
    std::vector<const Dataset*> all;
    if (run.entry.sustain) {
      // Those in turn, and that of the warm-ups.
      for (int k = 0; k < one.exposures_in_turn() + 1; ++k)
        all.push_back(&dataset(run.entry.case_name, one.seed + k));
      return all;
    }
    for (int index = 0; index < runs; ++index) {
      const Dataset& data = dataset(run.entry.case_name, one.seed_of_run(index));
      if (std::find(all.begin(), all.end(), &data) == all.end()) all.push_back(&data);
    }
    return all;
  }

  // Everything before the first run of an entry. What fails here fails the entry alone.
  void prepare(EntryRun& run) {
    if (Signals::interrupted()) return;
    try {
      run.launch = make_launch(run.entry, machine_, settings_.launch, programs_, files());
      const Case& one = plan_.cases.at(run.entry.case_name);
      if (run.skipped) {
        run.inputs = inputs_json(one, data_.path(), {}, 0);
        return write(run);
      }
      const bool resumes = settings_.resume && fs::exists(result_path(run));
      int known = run.warmups + run.repeats;
      if (resumes) known = std::max(known, runs_in(result_path(run)));
      const std::vector<const Dataset*> data = datasets_of(run, known);
      run.inputs = inputs_json(one, data_.path(), data, run.frames);
      if (resumes) resume_from(result_path(run), facts_, run);
      if (run.done()) return;
      if (!run.entry.sustain) run.stage_costs = frame_costs(run.entry, *data.front(), run.frames);
      if (run.golden.empty()) run.golden = golden_gate(run.entry);
      if (run.failed()) return;
      for (const Dataset* exposure : data) make_references(run, *exposure);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage || settings_.resume) throw;
      run.error = error.what();
    } catch (const std::exception& error) {
      run.error = error.what();
    }
    write(run);
  }

  void make_references(const EntryRun& run, const Dataset& data) {
    if (plan_.reference)
      references_.prepare(run.entry, data, run.frames, *plan_.reference, programs_, signals_);
  }

  // The inputs of a run beyond those that were prepared: of one that is made in the place of a
  // throttled run, or for a narrower interval.
  void prepare_further(EntryRun& run, int index) {
    const Case& one = plan_.cases.at(run.entry.case_name);
    if (datasets_.contains({run.entry.case_name, one.seed_of_run(index)})) return;
    make_references(run, dataset(run.entry.case_name, one.seed_of_run(index)));
    run.inputs = inputs_json(one, data_.path(), datasets_of(run, index + 1), run.frames);
  }

  // Whether the inputs are still those that were made, and the programs those that were there. Runs
  // on or of others have failed.
  void check_files() {
    if (done_ == 0) return;
    if (const std::string program = program_files_.changed(); !program.empty())
      for (EntryRun& run : runs_)
        for (Sample& sample : run.samples)
          if (!sample.failure) sample.failure = program + " was changed while it was measured";
    std::map<const Dataset*, std::string> changed;
    for (const auto& [key, data] : datasets_) changed[&data] = changed_file(data);
    for (EntryRun& run : runs_)
      for (Sample& sample : run.samples) {
        if (sample.failure) continue;
        for (const auto& [key, data] : datasets_) {
          // A long run takes all seeds in turn.
          const bool used = key.first == run.entry.case_name &&
                            (run.entry.sustain.has_value() || key.second == sample.seed);
          if (used && !changed[&data].empty())
            sample.failure = changed[&data] + " was changed since it was made";
        }
      }
  }

  // The plan's golden cases by the entry's milestone, once for all entries that share it.
  nlohmann::ordered_json golden_gate(const Entry& entry) {
    const auto found = golden_.find(entry.milestone);
    if (found != golden_.end()) return found->second;
    auto results = nlohmann::ordered_json::array();
    for (const std::string& name : plan_.goldens) {
      spdlog::info("{}: golden case {}", to_string(entry.milestone), name);
      results.push_back(run_golden(settings_.golden_cases, name, golden_extractor(entry, programs_),
                                   data_.path(), signals_));
    }
    return golden_.emplace(entry.milestone, results).first->second;
  }

  [[nodiscard]] std::vector<std::string> files() const {
    return {"--list", list_path(), "--events", events_path(), "--loglevel", "warn"};
  }

  // One run of an entry. What goes wrong with the harness or the system is no fault of the frames,
  // and ends this entry alone.
  void run_once(EntryRun& run) {
    try {
      measure_once(run);
    } catch (const std::exception& error) {
      spdlog::error("{}: {}", run.entry.id, error.what());
      run.error = error.what();
      if (!run.dropped.empty() && run.dropped.back().index == run.next_index())
        run.dropped.back().reason = error.what();
      write(run);
    }
  }

  void measure_once(EntryRun& run) {
    if (run.entry.sustain) return measure_sustained(run);
    const int index = run.next_index();
    prepare_further(run, index);
    if (Signals::interrupted()) return;
    const Dataset& data =
        dataset(run.entry.case_name, plan_.cases.at(run.entry.case_name).seed_of_run(index));
    const std::vector<OutputFrame> frames = expected_outputs(run, data);
    std::vector<std::string> images;
    for (int k = 0; k < run.frames; ++k) images.push_back(data.frames.at(k).preproc);
    const double clock = file_clock_offset(outputs());
    const WatchedRun watched = watch_run(run, images, not_for(run, {&data}), plan_.time_limit_s);
    if (watched.result.interrupted) return;  // it is not a sample

    std::optional<double> last_write = last_change(paths_of(frames));
    if (last_write) *last_write -= clock;
    Sample sample = sample_of(run, watched, last_write, cameras_of(frames));
    sample.seed = data.seed;
    if (!sample.failure)
      run.validation.look(index, data.seed, frames, window_of(watched.result, clock),
                          run.entry.tolerance);
    keep(run, std::move(sample));
  }

  // A run of many exposures, whose frames are looked at and removed while it goes on.
  void measure_sustained(EntryRun& run) {
    const int index = run.next_index();
    const bool warmup = index < run.warmups;
    const int frames = frames_of_long_run(run);
    remove_outputs();
    const std::string folder = new_folder("run");
    const std::string kept = new_folder("kept");
    const LongRun list = long_run(run, warmup, frames, folder);
    write_frame_list(list.listed, list_path());
    std::vector<std::string> images, cameras;
    for (const LongRun::Input& input : list.inputs)
      images.push_back(input.exposure->frames.at(input.frame).preproc);
    for (const ListedFrame& frame : list.listed) cameras.push_back(frame.input->camera);

    const double clock = file_clock_offset(outputs());
    const RunWindow window{unix_now() + clock - slack_of(outputs()),
                           std::numeric_limits<double>::infinity(), device_of(outputs())};
    const double asked_s = run.entry.sustain->seconds.value_or(0);
    OutputCollector collector(list.awaited, kept, window, std::max(1, machine_.cpus / 4));
    Telemetry telemetry(nvml_, nvml_indices(run), look_every(asked_s),
                        [&] { return collector.seen(); });
    const WatchedRun watched = watch_run(run, images, not_for(run, exposures_of(list)),
                                         plan_.time_limit_s + time_limit_factor * asked_s);
    nlohmann::ordered_json series = telemetry.stop();
    const CollectedFrames collected = collector.finish();
    if (watched.result.interrupted) return;

    std::optional<double> last_write;
    if (collected.failure.empty())
      last_write = *std::max_element(collected.written.begin(), collected.written.end()) - clock;
    Sample sample = sample_of(run, watched, last_write, cameras);
    sample.seed = list.inputs.front().exposure->seed;
    if (!sample.failure && !collected.failure.empty()) sample.failure = collected.failure;
    if (!sample.failure) {
      const double began_to_read = watched.first_read.value_or(watched.result.start_unix) + clock;
      sample.sustained = sustained_json(list, collected, began_to_read, run.launch.nodes);
      const std::string wrong = warmup ? "" : why_not_sustained(sample.sustained);
      if (!wrong.empty())
        sample.failure = wrong;
      else if (sample.sustained.is_null() && !warmup)
        sample.failure = "too few frames to have a steady part";
    }
    if (!sample.failure) sample.failure = validate_kept(run, list, collected, window);
    if (!warmup) {
      run.frames = frames;
      write_series(run, index, std::move(series));
    }
    fs::remove_all(kept);
    keep(run, std::move(sample));
  }

  // The exposures of a run in turn; of a warm-up, one that is not among them.
  LongRun long_run(const EntryRun& run, bool warmup, int frames, const std::string& folder) {
    const Case& one = plan_.cases.at(run.entry.case_name);
    const auto exposure = [&](int k) { return &dataset(run.entry.case_name, one.seed + k); };
    const int in_turn = one.exposures_in_turn();
    if (warmup) return make_long_run({exposure(in_turn)}, frames, folder);
    std::vector<const Dataset*> exposures;
    for (int k = 0; k < in_turn; ++k) exposures.push_back(exposure(k));
    return make_long_run(exposures, frames, folder);
  }

  // The first warm-up is of an exposure; a second one, where a time is asked for, is as long as the
  // rate needs to be known, and the run so long as is asked for by that rate.
  [[nodiscard]] int frames_of_long_run(const EntryRun& run) const {
    const Case& one = plan_.cases.at(run.entry.case_name);
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

  static std::set<const Dataset*> exposures_of(const LongRun& list) {
    std::set<const Dataset*> all;
    for (const LongRun::Input& input : list.inputs) all.insert(input.exposure);
    return all;
  }

  // The first frame of each input, against its reference and the truth, exposure by exposure. Why
  // one is not what the later ones were held to.
  std::optional<std::string> validate_kept(EntryRun& run, const LongRun& list,
                                           const CollectedFrames& collected,
                                           const RunWindow& window) {
    std::map<const Dataset*, std::vector<OutputFrame>> by_exposure;
    std::map<std::pair<int, std::string>, std::string> hashes;  // by seed and camera
    for (const auto& [input, kept] : collected.kept) {
      const auto& [exposure, k] = list.inputs.at(input);
      const InputFrame& frame = exposure->frames.at(k);
      by_exposure[exposure].resize(exposure->frames.size());
      by_exposure[exposure].at(k) = output_of(run, frame, kept.path);
      hashes[{exposure->seed, frame.camera}] = kept.sha256;
    }
    const int index = run.next_index();
    for (const auto& [exposure, frames] : by_exposure)
      run.validation.look(index, exposure->seed, frames, window, run.entry.tolerance);
    for (const FrameValidation& frame : run.validation.frames())
      for (const FrameValidation::Output& output : frame.outputs)
        if (output.run == index && output.sha256 != hashes.at({output.seed, frame.camera}))
          return fmt::format("{} of seed {} was changed after it was looked at", frame.camera,
                             output.seed);
    return std::nullopt;
  }

  // A run that was watched, and what was seen of it.
  struct WatchedRun {
    CommandResult result;
    std::vector<GpuObservation> gpus;
    std::optional<double> first_read;
    std::string opened_answer;    // a file that a run has no business with, which was opened
    bool watches_answers = true;  // whether those could be watched
    std::optional<double> node_joules;
  };

  WatchedRun watch_run(EntryRun& run, const std::vector<std::string>& images,
                       const std::vector<std::string>& not_for_it, double time_limit_s) {
    const Command command{
        run.launch.argv, run.launch.environment,
        fs::path(logs()) / fmt::format("{}-{}.log", run.entry.id, run.next_index()), time_limit_s};
    // Whatever ends this program, that the run was begun is known.
    run.dropped.push_back(
        {run.next_index(), utc_text(unix_now()), {}, "was begun, and did not end"});
    write(run);
    OpeningWatch opening(images);
    OpeningWatch answers(not_for_it);
    GpuMonitor monitor(nvml_, nvml_indices(run));
    NodeMeter meter;
    const std::optional<double> before = meter.read().energy_j;
    WatchedRun watched;
    watched.result = run_command(command, signals_);
    const std::optional<double> after = meter.read().energy_j;
    if (before && after) watched.node_joules = *after - *before;
    watched.gpus = monitor.stop();
    if (const std::optional<Opening> opened = opening.stop()) watched.first_read = opened->unix_s;
    if (const std::optional<Opening> opened = answers.stop()) watched.opened_answer = opened->path;
    watched.watches_answers = answers.watches();
    if (watched.result.interrupted) {
      run.dropped.back().seconds = watched.result.seconds;
      run.dropped.back().reason = interrupted_run;
    } else {
      run.dropped.pop_back();
    }
    return watched;
  }

  // `last_write`: by this machine's clock.
  Sample sample_of(EntryRun& run, const WatchedRun& watched, std::optional<double> last_write,
                   const std::vector<std::string>& cameras) {
    const CommandResult& result = watched.result;
    const SeenOf seen{result.start_unix,   result.start_unix + result.seconds,
                      watched.first_read,  last_write,
                      slack_of(outputs()), watched.opened_answer};
    const AskedOf asked{run.entry.on_gpu() ? "spex-gpu" : "spex-cpu",
                        to_string(run.entry.milestone), cameras};
    const std::string log =
        fs::path(logs()) / fmt::format("{}-{}.log", run.entry.id, run.next_index());
    Sample sample = make_sample(result, events_path(), log, [&](const RunLog& of_run) {
      return contradiction(of_run, asked, seen);
    });
    // The program's own words may have had no room either.
    if (sample.failure &&
        (fs::space(outputs()).available < least_room || fs::space(logs()).available < least_room))
      *sample.failure += std::string(": ") + std::strerror(ENOSPC);
    sample.index = run.next_index();
    sample.warmup = sample.index < run.warmups;
    if (seen.first_read && seen.last_write && watched.watches_answers)
      sample.observed_s = *seen.last_write - *seen.first_read;
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

  [[nodiscard]] RunWindow window_of(const CommandResult& result, double clock) const {
    const double slack = slack_of(outputs());
    return {result.start_unix + clock - slack, result.start_unix + result.seconds + clock + slack,
            device_of(outputs())};
  }

  void keep(EntryRun& run, Sample sample) {
    report(run, sample);
    run.samples.push_back(std::move(sample));
    write(run);
  }

  // What a run has no business with: the inputs of other runs, which it could work on off the
  // clock, the truth, and the frames that its own are held to.
  std::vector<std::string> not_for(const EntryRun& run, const std::set<const Dataset*>& its_own) {
    std::vector<std::string> files;
    for (const auto& [key, other] : datasets_)
      for (const InputFrame& frame : other.frames) {
        if (!its_own.contains(&other)) files.push_back(frame.preproc);
        files.push_back(frame.truth);
        if (!plan_.reference) continue;
        std::string path = references_.path_of(run.entry, frame, *plan_.reference);
        if (fs::exists(path)) files.push_back(std::move(path));
      }
    return files;
  }

  [[nodiscard]] std::vector<int> nvml_indices(const EntryRun& run) const {
    std::vector<int> indices;
    for (const VisibleGpu& gpu : gpus_of(run.entry, machine_)) indices.push_back(gpu.nvml_index);
    return indices;
  }

  // Some 1,000 looks, a second apart or more in a run of minutes.
  static std::chrono::milliseconds look_every(double seconds) {
    const double ms = std::max(seconds < 30 ? 200.0 : 1000.0, seconds);
    return std::chrono::milliseconds(static_cast<long>(ms));
  }

  // How the machine was over a long run, beside its result.
  void write_series(const EntryRun& run, int index, nlohmann::ordered_json series) const {
    nlohmann::ordered_json json{
        {"schema", {{"name", "spexbench-series"}, {"major", 1}, {"minor", 0}}},
        {"run_id", facts_.run_id},
        {"entry", run.entry.id},
        {"run", index}};
    json.update(series);
    atomic_write(fs::path(settings_.out) / (run.entry.id + ".series.json"), json.dump() + "\n");
  }

  // An empty folder for a run, among the outputs: what an earlier run may still be writing does not
  // come into it.
  [[nodiscard]] std::string new_folder(const char* name) const {
    std::string folder = fs::path(outputs()) / fmt::format("{}-XXXXXX", name);
    if (mkdtemp(folder.data()) == nullptr)
      throw data_error(folder, std::strerror(errno), "a folder that can be made");
    return folder;
  }

  void remove_outputs() const {
    fs::remove_all(outputs());
    fs::create_directories(outputs());
  }

  OutputFrame output_of(const EntryRun& run, const InputFrame& input,
                        const std::string& path) const {
    return {input.camera, path,
            plan_.reference ? references_.path_of(run.entry, input, *plan_.reference) : "",
            input.truth};
  }

  // Writes the list of a run.
  std::vector<OutputFrame> expected_outputs(const EntryRun& run, const Dataset& data) {
    remove_outputs();
    const std::string folder = new_folder("run");
    std::vector<ListedFrame> listed;
    std::vector<OutputFrame> frames;
    for (int k = 0; k < run.frames; ++k) {
      const InputFrame& input = data.frames.at(k);
      const std::string path = fs::path(folder) / fmt::format("frame-{}.fits", input.camera);
      listed.push_back({&input, path});
      frames.push_back(output_of(run, input, path));
    }
    sort_by_camera(listed);
    write_frame_list(listed, list_path());
    return frames;
  }

  static std::vector<std::string> paths_of(const std::vector<OutputFrame>& frames) {
    std::vector<std::string> paths;
    for (const OutputFrame& frame : frames) paths.push_back(frame.path);
    return paths;
  }

  static std::vector<std::string> cameras_of(const std::vector<OutputFrame>& frames) {
    std::vector<std::string> cameras;
    for (const OutputFrame& frame : frames) cameras.push_back(frame.camera);
    return cameras;
  }

  // An old log must not stand in for one that was not written. That of a night has hundreds of
  // thousands of events, and is not kept.
  void keep_run_log(const EntryRun& run) {
    fs::remove(run_log_path(run));
    std::error_code error;
    const auto bytes = fs::is_regular_file(events_path()) ? fs::file_size(events_path(), error) : 0;
    if (!error && bytes > 0 && bytes <= most_run_log_bytes)
      fs::copy_file(events_path(), run_log_path(run));
  }

  static void take_gpu_use(const std::vector<GpuObservation>& watched, Sample& sample) {
    std::vector<double> joules, busy;
    for (const GpuObservation& gpu : watched) {
      if (const auto used = gpu.joules()) joules.push_back(*used);
      if (const auto part = gpu.busy()) busy.push_back(*part);
      if (const auto bytes = gpu.memory_bytes())
        sample.device_memory_bytes = std::max(sample.device_memory_bytes.value_or(0), *bytes);
      for (const std::string& reason : gpu.throttle_reasons)
        sample.throttled = sample.throttled || is_unhealthy(reason);
    }
    if (!joules.empty() && joules.size() == watched.size()) sample.joules = joules;
    if (!busy.empty() && busy.size() == watched.size()) sample.gpu_busy = busy;
    if (sample.device_memory_bytes && *sample.device_memory_bytes <= 0 && !sample.failure)
      sample.failure = "no memory of a GPU was used while it ran";
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

  void write(const EntryRun& run) {
    EntryRun ending = run;
    ending.end_utc = utc_text(unix_now());
    const std::string text = result_text(ending, facts_);
    atomic_write(result_path(run), {text.begin(), text.end()});
  }

  const Plan& plan_;
  const CampaignSettings& settings_;
  Signals& signals_;
  Nvml nvml_;
  Programs programs_;
  Machine machine_;
  FolderLock out_lock_;
  OwnedFolder data_;
  ProgramFiles program_files_;
  ReferenceStore references_;
  RunFacts facts_;
  std::vector<EntryRun> runs_;
  std::map<std::pair<std::string, int>, Dataset> datasets_;  // by case and seed
  std::map<Milestone, nlohmann::ordered_json> golden_;
  double began_ = 0;
  int done_ = 0;
};

}  // namespace

std::string kept_plan_path(const std::string& out) {
  return fs::path(out) / "logs" / "plan.json";
}

std::string kept_key_path(const std::string& out) {
  return fs::path(out) / "logs" / "seal-key.txt";
}

int run_campaign(const Plan& plan, const CampaignSettings& settings, Signals& signals) {
  return Campaign(plan, settings, signals).run();
}

}  // namespace spex::bench
