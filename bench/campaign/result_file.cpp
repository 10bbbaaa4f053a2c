#include "bench/campaign/result_file.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "bench/campaign/figures.hpp"
#include "bench/campaign/publication.hpp"
#include "bench/campaign/sustained.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/measure/optional_json.hpp"
#include "bench/measure/read_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

Json figure_json(const std::optional<Figure>& figure) {
  if (!figure) return {};
  return {{"seconds", statistic_json(figure->seconds)},
          {"fpnh", statistic_json(figure->fpnh)},
          {"frames_per_gpu_hour", statistic_json(figure->frames_per_gpu_hour)}};
}

// Of a long run every frame is one of the inputs' again, with its bytes, or the run has failed.
Json frames_done(const EntryRun& run) {
  const std::vector<FrameValidation>& frames = run.validation.frames();
  if (run.entry.sustain) {
    const int right = run.failed() || run.timed().empty() ? 0 : run.frames;
    return {right, right};
  }
  const auto done = std::count_if(frames.begin(), frames.end(), [](const FrameValidation& frame) {
    return !frame.outputs.empty() && !frame.outputs.front().sha256.empty();
  });
  const auto valid = std::count_if(frames.begin(), frames.end(),
                                   [](const FrameValidation& frame) { return frame.pass(); });
  return {done, valid};
}

Json fom_json(const EntryRun& run, const RunFacts& facts) {
  const Json frames = frames_done(run);
  const std::vector<std::string> reasons = not_published_because(run, facts);
  return {{"frames_asked", run.frames},
          {"frames_done", frames[0]},
          {"frames_valid", frames[1]},
          {"scaled_to", value_or_null(run.entry.scale_to)},
          {"published", reasons.empty()},
          {"not_published_because", reasons},
          {"nodes", run.launch.nodes},
          {"gpus", gpus_of(run)},
          {"effective", figure_json(figure_of(run, ClockKind::effective, facts.plan->tier))},
          {"extraction", figure_json(figure_of(run, ClockKind::extraction, facts.plan->tier))}};
}

Json launch_json(const EntryRun& run, const RunFacts& facts) {
  std::map<std::string, std::string> environment = facts.environment;
  for (const auto& [name, value] : run.launch.environment) environment[name] = value;
  const Entry& entry = run.entry;
  return {{"argv", run.launch.argv},
          {"alone", entry.alone},
          {"environment", Json(environment)},
          {"slurm", Json(facts.slurm)},
          {"launcher", run.launch.launcher},
          {"launcher_options", run.launch.launcher_options},
          {"nodes", run.launch.nodes},
          {"ranks", run.launch.ranks},
          {"gpus_per_node", entry.gpus},
          {"ranks_per_gpu", entry.on_gpu() ? Json(entry.ranks_of_gpu()) : Json()},
          {"threads_per_rank", value_or_null(run.launch.threads)},
          {"mps", entry.mps},
          {"binding", entry.binding}};
}

Json timing_json(const EntryRun& run) {
  Json json;
  json["clocks"] = {
      {"effective", "from before the launcher starts to its exit"},
      {"extraction",
       "from the barrier of all ranks once MPI has started and the command line is read, to the "
       "last file renamed; CUDA contexts, handles and workspaces are made inside it"},
      {"phases",
       "seconds of the threads of a rank, by stage; start is the slowest extractor of the rank; "
       "GPU stages by events on its stream"}};
  json["page_cache"] =
      "warm: the inputs were written or hashed before the first run, and the warm-up reads them; "
      "nothing is dropped; outputs go to the inputs' file system";
  json["warmups"] = run.warmups;
  json["repeats"] = run.repeats;
  json["samples"] = Json::array();
  for (const Sample& sample : run.samples) json["samples"].push_back(sample.to_json());
  json["until"] = run.until ? Json{{"width", run.until->width}, {"most", run.until->most}} : Json();
  json["dropped"] = Json::array();
  for (const DroppedRun& one : run.dropped)
    json["dropped"].push_back({{"index", one.index},
                               {"start_utc", one.start_utc},
                               {"seconds", value_or_null(one.seconds)},
                               {"reason", one.reason}});
  json["extended"] = run.extended;
  json["run_log_sha256"] = value_or_null(run.run_log_sha256);
  json["series_sha256"] = value_or_null(run.series_sha256);
  return json;
}

Json energy_json(const EntryRun& run, const RunFacts& facts) {
  std::vector<double> per_frame;
  for (const Sample* sample : run.timed()) {
    if (!sample->joules || run.launch.nodes > 1) continue;
    double all = 0;
    for (const double joules : *sample->joules) all += joules;
    per_frame.push_back(all / run.frames);
  }
  if (!per_frame.empty()) return {{"joules_per_frame", median_of(per_frame)}, {"reason", nullptr}};
  std::string reason = "NVML gives no energy counter";
  if (!run.entry.on_gpu())
    reason = "the run used no GPU, and CPUs have no counter that every user may read";
  else if (run.launch.nodes > 1)
    reason = "the counters of other nodes are not read";
  else if (!facts.gpu_reason.empty())
    reason = facts.gpu_reason;
  return {{"joules_per_frame", nullptr}, {"reason", reason}};
}

// The timed runs that count, and what a night would take.
Json sustained_of(const EntryRun& run) {
  if (!run.entry.sustain) return {};
  const Sustain& asked = *run.entry.sustain;
  Json json{{"asked_s", value_or_null(asked.seconds)},
            {"asked_frames", value_or_null(asked.frames)},
            {"fpnh", nullptr},
            {"night", nullptr}};
  const std::optional<Statistic> fpnh = sustained_fpnh(run);
  if (!fpnh) return json;
  json["fpnh"] = statistic_json(fpnh);
  const double hours = night_frames / fpnh->median;
  json["night"] = {{"frames", night_frames},
                   {"seconds", 3600 * hours / run.launch.nodes},
                   {"node_hours", hours}};
  return json;
}

Json health_json(const EntryRun& run, const RunFacts& facts) {
  const bool known = !run.health_before.is_null();
  std::string reason = facts.gpu_reason.empty() ? "no GPU was used" : facts.gpu_reason;
  return {{"before", run.health_before},
          {"during", run.health_during.empty() ? Json() : Json(run.health_during)},
          {"after", run.health_after},
          {"settings_changed", value_or_null(run.settings_changed)},
          {"reason", known ? Json() : Json(reason)}};
}

Json roofline_json(const EntryRun& run, const RunFacts& facts) {
  Json list = Json::array();
  const auto& ceilings = run.entry.on_gpu() ? facts.plan->gpu_ceilings : facts.plan->cpu_ceilings;
  const std::vector<const Sample*> timed = run.timed();
  if (!ceilings || timed.empty() || run.failed()) return list;
  for (const Json& cost : run.stage_costs) {
    if (cost.at("flops").get<double>() <= 0) continue;  // timed as part of another stage
    const std::string stage = cost.at("stage");
    std::vector<double> seconds;
    for (const Sample* sample : timed)
      if (const auto found = sample->phases.find(stage); found != sample->phases.end())
        seconds.push_back(found->second.sum);
    if (seconds.empty() || median_of(seconds) <= 0) continue;
    list.push_back({{"stage", stage},
                    {"flops", cost.at("flops")},
                    {"bytes", cost.at("bytes")},
                    {"seconds", median_of(seconds)},
                    {"gpus", gpus_of(run)},
                    {"ceiling_flops", ceilings->flops},
                    {"ceiling_bytes", ceilings->bytes},
                    {"source", ceilings->source}});
  }
  return list;
}

Json schema() {
  return {{"name", "spexbench-result"}, {"major", 1}, {"minor", 9}};
}

// Paths and the like may be no UTF-8.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A hash of all else, with the key of the data folder. It shows an edit; it does not stop who knows
// how it is made.
std::string seal_of(Json result, const std::string& key) {
  result.erase("seal");
  return hash_text(key + text_of(result));
}

// A run may go on in another of Slurm's jobs.
Json without_job(Json launch) {
  launch.erase("slurm");
  return launch;
}

std::string status_of(const EntryRun& run) {
  if (run.skipped) return "skipped";
  if (run.failed()) return "failed";
  return run.done() ? "complete" : "interrupted";
}

}  // namespace

Json result_json(const EntryRun& run, const RunFacts& facts) {
  Json json;
  json["schema"] = schema();
  json["run_id"] = facts.run_id;
  json["start_utc"] = run.start_utc;
  json["end_utc"] = run.end_utc;
  json["tier"] = facts.plan->tier;
  json["division"] = facts.plan->division;
  json["case"] = run.entry.case_name;
  json["milestone"] = to_string(run.entry.milestone);
  json["entry"] = run.entry.id;
  json["plan"] = {{"name", facts.plan->name}, {"sha256", facts.plan_sha256}};
  json["status"] = status_of(run);
  json["build"] = facts.build;
  json["system"] = facts.system;
  json["programs"] = facts.programs;
  json["launch"] = launch_json(run, facts);
  json["inputs"] = run.inputs;
  json["golden"] = run.golden;
  json["timing"] = timing_json(run);
  json["fom"] = fom_json(run, facts);
  json["sustained"] = sustained_of(run);
  json["energy"] = energy_json(run, facts);
  json["health"] = health_json(run, facts);
  json["validation"] = run.validation.to_json();
  json["scaling"] = !run.entry.scaling ? Json()
                                       : Json{{"sweep", run.entry.scaling->sweep},
                                              {"kind", run.entry.scaling->kind},
                                              {"x", run.entry.scaling->x},
                                              {"bundles", run.bundles}};
  json["roofline"] = roofline_json(run, facts);
  json["verdict"] = judge(run.evidence(facts)).to_json();
  json["seal"] = seal_of(json, facts.seal_key);
  return json;
}

std::string result_text(const EntryRun& run, const RunFacts& facts) {
  return text_of(result_json(run, facts), 1) + "\n";
}

void resume_from(const std::string& path, const RunFacts& facts, EntryRun& run) {
  const std::optional<Json> found = read_json_file(path);
  if (!found) throw data_error(path, "is no result", "JSON, or no such file");
  const Json& json = *found;
  try {
    if (json.at("schema") != schema()) throw data_error(path, "has another schema", "1.9");
    if (json.at("plan").at("sha256") != facts.plan_sha256)
      throw data_error(path, "is of another plan", "the one that was begun, or another --out");
    if (json.at("build") != facts.build || json.at("system") != facts.system)
      throw data_error(path, "is of another build or system",
                       "those that it was begun with, or another --out");
    if (json.at("programs") != facts.programs)
      throw data_error(path, "was begun with other programs", "the same, or another --out");
    if (json.at("entry") != run.entry.id || json.at("milestone") != to_string(run.entry.milestone))
      throw data_error(path, "is of another entry", "the result of " + run.entry.id);
    if (without_job(json.at("launch")) != without_job(launch_json(run, facts)))
      throw data_error(path, "was begun with another command line or environment",
                       "the same, or another --out");
    if (json.at("timing").at("warmups") != run.warmups)
      throw data_error(path, "was begun with another number of warm-ups",
                       "the same, or another --out");
    if (json.at("sustained").is_object() &&
        (json.at("sustained").at("asked_s") != sustained_of(run).at("asked_s") ||
         json.at("sustained").at("asked_frames") != sustained_of(run).at("asked_frames")))
      throw data_error(path, "was begun as a run of another length", "the same, or another --out");
    if (json.at("seal") != seal_of(json, facts.seal_key))
      throw data_error(path, "was changed since spex-bench wrote it, or is of another data folder",
                       "the file as it was, or another --out");
    if (json.at("inputs").at("seeds") != run.inputs.at("seeds"))
      throw data_error(path,
                       fmt::format("was begun with --seeds {}",
                                   json.at("inputs").at("seeds").get<std::string>()),
                       "the same, or another --out");
    for (const char* part : {"frames", "shared_with"})
      run.inputs[part] = json.at("inputs").at(part);
    run.golden = json.at("golden");
    // The work of a stage is counted, not measured.
    for (const Json& point : json.at("roofline"))
      run.stage_costs.push_back({{"stage", point.at("stage")},
                                 {"flops", point.at("flops")},
                                 {"bytes", point.at("bytes")}});
    run.dropped.clear();
    const Json& timing = json.at("timing");
    const Json& samples = timing.at("samples");
    run.extended = timing.at("extended");
    run.run_log_sha256 = optional_at<std::string>(timing, "run_log_sha256");
    run.series_sha256 = optional_at<std::string>(timing, "series_sha256");
    for (const Json& one : timing.at("dropped"))
      run.dropped.push_back({one.at("index"), one.at("start_utc"),
                             optional_at<double>(one, "seconds"), one.at("reason")});
    // The length of a long run is found by its warm-ups: all of its runs again, or none.
    bool again =
        run.entry.sustain && (json.at("status") != "complete" ||
                              static_cast<int>(samples.size()) < run.warmups + run.repeats);
    const bool none = again;
    for (const Json& one : samples) {
      // What failed, and what came after it, is run again, and is not forgotten.
      Sample sample = Sample::from_json(one);
      again = again || sample.failure;
      if (none && !sample.failure) continue;
      if (again)
        run.dropped.push_back({sample.index, sample.start_utc, sample.effective_s,
                               sample.failure.value_or("came after a run that failed")});
      else
        run.samples.push_back(std::move(sample));
    }
    if (none) return;
    if (run.entry.sustain) run.frames = json.at("fom").at("frames_asked");
    run.start_utc = json.at("start_utc");
    run.validation = Validation(json.at("validation"));
    run.health_before = json.at("health").at("before");
    run.health_after = json.at("health").at("after");
    run.settings_changed = optional_at<std::string>(json.at("health"), "settings_changed");
    if (!json.at("health").at("during").is_null())
      run.health_during = json.at("health").at("during").get<std::vector<Json>>();
    // Who adds runs to a result has seen it.
    run.extended = run.extended || (json.at("status") == "complete" && !run.done());
  } catch (const nlohmann::json::exception& error) {
    throw data_error(path, error.what(), "a result of spex-bench");
  }
}

}  // namespace spex::bench
