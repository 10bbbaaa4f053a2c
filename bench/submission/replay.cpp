#include "bench/submission/replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/campaign/figures.hpp"
#include "bench/campaign/publication.hpp"
#include "bench/campaign/result_file.hpp"
#include "bench/campaign/sustained.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/correctness/repository_goldens.hpp"
#include "bench/correctness/run_claims.hpp"
#include "bench/correctness/seeds.hpp"
#include "bench/measure/optional_json.hpp"
#include "bench/submission/frame_claims.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_differences = 5;
constexpr double utc_step_s = 1;  // of the times in a result

std::string shortened(const Json& json) {
  constexpr std::size_t longest = 80;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

// Adds each member of `stated` that is not that of `made`, as "fom/effective is 3 (expected 2)".
void add_differences(const Json& stated, const Json& made, const std::string& path,
                     std::vector<std::string>& found) {
  if (stated == made || found.size() >= most_differences) return;
  const std::string name = path.empty() ? "" : path.substr(1);
  if (stated.is_object() && made.is_object()) {
    for (const auto& [key, value] : made.items())
      add_differences(stated.contains(key) ? stated.at(key) : Json(), value,
                      fmt::format("{}/{}", path, key), found);
    for (const auto& [key, value] : stated.items())
      if (!made.contains(key))
        found.push_back(fmt::format("{}{}{} is unknown", name, name.empty() ? "" : "/", key));
    return;
  }
  if (stated.is_array() && made.is_array() && stated.size() == made.size()) {
    for (std::size_t i = 0; i < made.size(); ++i)
      add_differences(stated.at(i), made.at(i), fmt::format("{}/{}", path, i), found);
    return;
  }
  found.push_back(fmt::format("{} is {} (expected {}, by the samples)", name, shortened(stated),
                              shortened(made)));
}

// The options of a command line between the extractor's name and the files that it is told, behind
// which there is nothing else. Those of a frame alone are not among them: each run has its own.
std::vector<std::string> options_in(const std::vector<std::string>& argv,
                                    const std::string& program, bool alone) {
  const auto name = std::find_if(argv.begin(), argv.end(), [&](const std::string& word) {
    return std::filesystem::path(word).filename() == program;
  });
  const auto files = std::find(argv.begin(), argv.end(), alone ? "--events" : "--list");
  const int of_list = alone ? 0 : 2;
  const bool ends = argv.end() - files == of_list + 4 && files[of_list] == "--events" &&
                    files[of_list + 2] == "--loglevel";
  if (name == argv.end() || files <= name || !ends) return {};
  return {name + 1, files};
}

// Throws Error(data) where the member is no whole number from `least` on.
int whole_at(const Json& json, const char* key, int least) {
  constexpr double most = 1e9;
  const Json& number = json.at(key);
  if (!number.is_number_integer() || number.get<double>() < least || number.get<double>() > most)
    throw data_error(key, "is " + shortened(number), fmt::format("a whole number from {}", least));
  return number.get<int>();
}

}  // namespace

Replay::Replay(const Plan& plan, const Entry& entry, const Json& json, const std::string& key)
    : plan_(plan) {
  run_.entry = entry;
  if (entry.sustain) planned_s_ = entry.sustain->seconds;
  read_run(json, key);
  const std::string overall = json.at("verdict").at("overall");
  const bool unfinished =
      json.at("status") == "interrupted" || overall == "error" || overall == "skipped";
  if (unfinished) {
    const Json& reasons = json.at("verdict").at("reasons");
    incomplete_.push_back(overall + (reasons.empty() ? "" : ": " + shortened(reasons.front())));
    not_published_.emplace_back("it was not run to its end");
    if (!json.at("fom").at("effective").is_null() || json.at("fom").at("published") != false)
      refuse("it has a speed, and was not run to its end");
    return;
  }
  check_against_plan(json);
  check_samples();
  check_frames(json);
  check_inputs();
  compare(json);
  not_published_ = not_published_because(run_, facts_);
}

void Replay::read_run(const Json& json, const std::string& key) {
  const Json& timing = json.at("timing");
  const Json& launch = json.at("launch");
  run_.start_utc = json.at("start_utc");
  run_.end_utc = json.at("end_utc");
  run_.warmups = whole_at(timing, "warmups", 0);
  run_.repeats = whole_at(timing, "repeats", 1);
  if (const Json& until = timing.at("until"); !until.is_null())
    run_.until = Stopping{until.at("width"), whole_at(until, "most", 1)};
  // By which intervals are made, at a cost that grows with the number.
  const std::optional<Stopping>& planned = run_.entry.until;
  if (run_.until &&
      (!planned || planned->width != run_.until->width || planned->most != run_.until->most))
    throw data_error("timing/until", "is another than the plan's", "the same");
  run_.frames = whole_at(json.at("fom"), "frames_asked", 1);
  const Case& one = plan_.cases.at(run_.entry.case_name);
  run_.bundles = run_.frames * run_.entry.bundles.value_or(one.bundles());
  run_.has_fpnh = has_fpnh(run_.entry, one);
  run_.launch.launcher = launch.at("launcher");
  run_.launch.nodes = whole_at(launch, "nodes", 1);
  run_.launch.ranks = whole_at(launch, "ranks", 1);
  run_.launch.threads = optional_at<int>(launch, "threads_per_rank");
  run_.launch.argv = launch.at("argv").get<std::vector<std::string>>();
  run_.launch.launcher_options = launch.at("launcher_options").get<std::vector<std::string>>();
  run_.inputs = json.at("inputs");
  run_.golden = json.at("golden");
  // As long as --duration said, by which it was run.
  if (run_.entry.sustain && run_.entry.sustain->seconds)
    run_.entry.sustain->seconds = json.at("sustained").at("asked_s").get<double>();
  for (const Json& sample : timing.at("samples")) run_.samples.push_back(Sample::from_json(sample));
  for (const Json& dropped : timing.at("dropped"))
    run_.dropped.push_back({dropped.at("index"), dropped.at("start_utc"),
                            optional_at<double>(dropped, "seconds"), dropped.at("reason")});
  run_.extended = timing.at("extended");
  run_.run_log_sha256 = optional_at<std::string>(timing, "run_log_sha256");
  run_.series_sha256 = optional_at<std::string>(timing, "series_sha256");
  run_.validation = Validation(json.at("validation"));
  const Json& health = json.at("health");
  run_.health_before = health.at("before");
  run_.health_after = health.at("after");
  run_.settings_changed = optional_at<std::string>(health, "settings_changed");
  if (!health.at("during").is_null())
    run_.health_during = health.at("during").get<std::vector<Json>>();
  // The work of a stage is counted, not measured; its seconds are.
  for (const Json& point : json.at("roofline"))
    run_.stage_costs.push_back(
        {{"stage", point.at("stage")}, {"flops", point.at("flops")}, {"bytes", point.at("bytes")}});

  facts_.run_id = json.at("run_id");
  facts_.plan = &plan_;
  facts_.plan_sha256 = hash_text(plan_.text);
  facts_.build = json.at("build");
  facts_.system = json.at("system");
  facts_.programs = json.at("programs");
  facts_.seal_key = key;
  facts_.environment = launch.at("environment").get<std::map<std::string, std::string>>();
  facts_.slurm = launch.at("slurm").get<std::map<std::string, std::string>>();
  // It is spex-bench that looked at the list of golden cases; of the frames there are the hashes.
  const Json& reasons = json.at("fom").at("not_published_because");
  const Json& goldens = json.at("golden");
  facts_.goldens_are_ours =
      std::find(reasons.begin(), reasons.end(), other_goldens) == reasons.end() &&
      std::all_of(goldens.begin(), goldens.end(), [](const Json& golden) {
        return golden.at("sha256") == repository_golden_sha256(golden.at("name"));
      });
  facts_.gpu_reason = optional_at<std::string>(facts_.system, "gpus_reason").value_or("");
  if (const Json& threshold = json.at("verdict").at("threshold"); !threshold.is_null()) {
    facts_.thresholds.emplace();
    facts_.thresholds->entries[run_.entry.id] = read_threshold("verdict", "threshold", threshold);
  }
}

void Replay::compare(const Json& json) {
  add_differences(json, result_json(run_, facts_), "", inconsistent_);
}

// Of the plan's own numbers, those that a command line may replace are the runs and how long a long
// one lasts; not that of one that is held to a sustained speed.
void Replay::check_against_plan(const Json& json) {
  const Entry& entry = run_.entry;
  if (planned_s_ && *entry.sustain->seconds < *planned_s_ && facts_.thresholds &&
      facts_.thresholds->entries.at(entry.id).fpnh_sustained)
    refuse("it was asked to last less than its plan says, and is held to a sustained speed");
  const Case& one = plan_.cases.at(entry.case_name);
  const int frames = entry.frames.value_or(static_cast<int>(one.camera_list().size()));
  if (!entry.sustain && run_.frames != frames)
    refuse(fmt::format("it is of {} frames (expected {})", run_.frames, frames));
  if (entry.nodes && run_.launch.nodes != *entry.nodes)
    refuse(fmt::format("it is of {} nodes (expected {})", run_.launch.nodes, *entry.nodes));
  if (entry.ranks && run_.launch.ranks != run_.launch.nodes * *entry.ranks)
    refuse(fmt::format("it is of {} ranks (expected {} a node)", run_.launch.ranks, *entry.ranks));

  std::vector<std::string> options{"--milestone", to_string(entry.milestone)};
  const auto add = [&](const std::vector<std::string>& more) {
    options.insert(options.end(), more.begin(), more.end());
  };
  if (run_.launch.threads) add({"--threads", std::to_string(*run_.launch.threads)});
  add(entry.result_options());
  add(entry.run_options);
  const std::string program = entry.on_gpu() ? "spex-gpu" : "spex-cpu";
  if (options_in(run_.launch.argv, program, entry.alone) != options)
    refuse(fmt::format("launch/argv has not the options {} of the plan", fmt::join(options, " ")));

  std::set<std::string> golden;
  for (const Json& found : json.at("golden")) golden.insert(found.at("name").get<std::string>());
  if (golden != std::set<std::string>(plan_.goldens.begin(), plan_.goldens.end()))
    refuse("its golden cases are not those of the plan");
}

void Replay::check_samples() {
  double end = unix_of(run_.start_utc);
  if (end <= 0 || unix_of(run_.end_utc) + utc_step_s < end) refuse("it ends before it begins");
  for (std::size_t i = 0; i < run_.samples.size(); ++i) {
    const Sample& sample = run_.samples[i];
    const std::string name = fmt::format("run {}", sample.index);
    if (sample.index != static_cast<int>(i) || sample.warmup != (sample.index < run_.warmups))
      refuse(name + " is not the run that its place says");
    const double start = unix_of(sample.start_utc);
    if (start + utc_step_s < end) refuse(name + " began before the one before it was over");
    end = start + sample.effective_s;
    if (sample.failure) continue;
    const double most_bad = bad_patches_limit * static_cast<double>(sample.patches);
    if (sample.exit_status != 0 || sample.patches <= 0 ||
        static_cast<double>(sample.fell_back) > most_bad ||
        static_cast<double>(sample.failed_patches) > most_bad)
      refuse(name + " counts, with an exit status or patches that fail a run");
    if (sample.phases.empty() || sample.launch_s.value_or(-1) < 0 || sample.cpu_s.value_or(0) < 0)
      refuse(name + " has no stages, or negative seconds");
    if (!sample.extraction_s || !(*sample.extraction_s > 0) ||
        *sample.extraction_s > sample.effective_s)
      refuse(name + ": the extraction clock is not within the effective one");
    else if (sample.observed_s && *sample.observed_s > *sample.extraction_s)
      refuse(name + ": the extraction clock says less than spex-bench saw");
    check_seed(sample, name);
    if (run_.entry.sustain) check_steady_part(sample, name);
  }
}

// The plan's, where it says that it took those; else one that is no plan's.
void Replay::check_seed(const Sample& sample, const std::string& name) {
  if (run_.inputs.at("seeds") == to_string(SeedSource::drawn)) {
    if (sample.seed < least_drawn_seed || sample.seed > most_drawn_seed)
      refuse(name + " has a seed that was not drawn");
    return;
  }
  const Case& one = plan_.cases.at(run_.entry.case_name);
  if (!run_.entry.sustain && sample.seed != run_.seeds_of_run(one, sample.index).back())
    refuse(name + " has another seed than the plan says");
}

// The speed of a long run is that of its frames, seconds and parts, and was not held back.
void Replay::check_steady_part(const Sample& sample, const std::string& name) {
  const Json& steady = sample.sustained;
  if (steady.is_null()) {
    if (!sample.warmup) refuse(name + " has no steady part");
    return;
  }
  double frames = 0, seconds = 0;
  for (const Json& block : steady.at("blocks")) {
    frames += block.at("frames").get<double>();
    seconds += block.at("seconds").get<double>();
  }
  constexpr double rounding = 1e-9;
  const double all = steady.at("last").get<double>() - steady.at("first").get<double>();
  const double lasted = steady.at("seconds");
  if (!(lasted > 0 && lasted <= sample.effective_s + utc_step_s))
    refuse(name + ": its steady part is not within it");
  if (frames != all || !(std::abs(seconds - lasted) <= rounding * lasted))
    refuse(name + ": its parts are not those of the steady part");
  const double fpnh = 3600 * all / (lasted * run_.launch.nodes);
  if (!(std::abs(steady.at("fpnh").get<double>() - fpnh) <= rounding * fpnh))
    refuse(fmt::format("{}: sustained FPNH is {} (expected {:.6g}, by its frames and seconds)",
                       name, steady.at("fpnh").dump(), fpnh));
  if (sample.warmup) return;
  if (steady.at("frames") != run_.frames) refuse(name + " has another number of frames");
  if (const std::string wrong = why_not_sustained(steady); !wrong.empty())
    refuse(name + ": " + wrong);
}

// Every frame of every run was looked at, and passes only where all of its parts do.
void Replay::check_frames(const Json& json) {
  const Case& one = plan_.cases.at(run_.entry.case_name);
  for (const std::string& wrong : frame_contradictions(
           json.at("validation"), one,
           run_.entry.sustain ? static_cast<int>(one.camera_list().size()) : run_.frames,
           run_.entry.tolerance))
    refuse(wrong);
  for (const Json& frame : json.at("validation").at("frames")) {
    const auto camera = frame.at("camera").get<std::string>();
    bool all = true;
    for (const Json& check : frame.at("checks")) {
      const bool passes = check.at("bad") == 0;
      if (check.at("pass") != passes) refuse(camera + ": a check passes with bad values");
      all = all && passes;
    }
    if (const Json& truth = frame.at("truth"); !truth.is_null())
      all = all && truth.at("pass").get<bool>();
    if (frame.at("pass") == true && !all)
      refuse(camera + " passes, though one of its checks fails");
    if (frame.at("pass") == true && plan_.reference && plan_.reference->has(camera) &&
        frame.at("expected_from").is_null())
      refuse(camera + " passes, and was held to no reference");
  }
  if (run_.entry.sustain) return;
  for (const FrameValidation& frame : run_.validation.frames())
    for (const Sample& sample : run_.samples) {
      const auto found = std::find_if(
          frame.outputs.begin(), frame.outputs.end(), [&](const FrameValidation::Output& output) {
            return output.run == sample.index && output.seed == sample.seed;
          });
      const bool looked_at = found != frame.outputs.end() && !found->sha256.empty();
      if (!sample.failure && frame.pass() && !looked_at)
        refuse(fmt::format("{} of run {} was not looked at", frame.camera, sample.index));
      if (looked_at && frame.pass() && frame.first_of(sample.seed)->sha256 != found->sha256)
        refuse(fmt::format("{} passes with other bytes in run {}", frame.camera, sample.index));
    }
}

void Replay::check_inputs() {
  const Case& one = plan_.cases.at(run_.entry.case_name);
  const Json& generator = run_.inputs.at("generator");
  if (const Json& seeds = run_.inputs.at("seeds");
      seeds != to_string(SeedSource::plan) && seeds != to_string(SeedSource::drawn))
    refuse("its seeds are from nowhere that is known");
  if (generator.at("seed") != one.seed || generator.at("size") != one.size ||
      generator.at("compression") != one.compress ||
      generator.at("cameras") != fmt::format("{}", fmt::join(one.camera_list(), ",")))
    refuse("its inputs are not those of the plan's case");
  // An image, a PSF and a truth of each frame; no two seeds make the same image.
  std::map<std::int64_t, std::size_t> files;
  std::map<Json, std::int64_t> seed_of_image;
  for (const Json& file : run_.inputs.at("frames")) {
    const auto seed = file.at("seed").get<std::int64_t>();
    ++files[seed];
    const bool is_image = file.at("file").get<std::string>().starts_with("preproc");
    if (is_image && seed_of_image.emplace(file.at("sha256"), seed).first->second != seed)
      refuse(fmt::format("its inputs of the seeds {} and {} have the same image",
                         seed_of_image.at(file.at("sha256")), seed));
  }
  const std::size_t cameras = one.camera_list().size();
  const std::size_t frames = run_.entry.sustain ? cameras : static_cast<std::size_t>(run_.frames);
  for (const Sample& sample : run_.samples)
    if (const auto found = files.find(sample.seed);
        found == files.end() || found->second != 3 * frames)
      refuse(fmt::format("run {}: its inputs are not listed", sample.index));
}

}  // namespace spex::bench
