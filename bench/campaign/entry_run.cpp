#include "bench/campaign/entry_run.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "bench/campaign/publication.hpp"
#include "bench/campaign/sustained.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/measure/optional_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

Json snapshot_json(const GpuState& state) {
  return {{"uuid", state.uuid},
          {"throttle_reasons", state.throttle_reasons},
          {"ecc_corrected", value_or_null(state.ecc_corrected)},
          {"ecc_uncorrected", value_or_null(state.ecc_uncorrected)},
          {"temperature_c", value_or_null(state.temperature_c)},
          {"clock_sm_mhz", value_or_null(state.clock_sm_mhz)},
          {"clock_memory_mhz", value_or_null(state.clock_memory_mhz)},
          {"power_w", value_or_null(state.power_w)},
          {"memory_used_bytes", value_or_null(state.memory_used_bytes)}};
}

Json larger(const Json& kept, const std::optional<double>& value) {
  if (!value) return kept;
  return kept.is_null() ? *value : std::max(kept.get<double>(), *value);
}

Json figure_json(const std::optional<Figure>& figure) {
  if (!figure) return {};
  return {{"seconds", statistic_json(figure->seconds)},
          {"fpnh", statistic_json(figure->fpnh)},
          {"frames_per_gpu_hour", statistic_json(figure->frames_per_gpu_hour)}};
}

int gpus_of(const EntryRun& run) {
  return run.entry.gpus * run.launch.nodes;
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
          {"environment", Json(environment)},
          {"slurm", Json(facts.slurm)},
          {"launcher", run.launch.launcher},
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
  return {{"name", "spexbench-result"}, {"major", 1}, {"minor", 3}};
}

// Paths and the like may be no UTF-8.
std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A hash of what --resume takes up, with the key of the data folder. It shows an edit; it does not
// stop who knows how it is made.
std::string seal_of(const Json& result, const std::string& key) {
  std::string text = key;
  for (const char* part :
       {"plan", "build", "programs", "inputs", "golden", "timing", "health", "validation"})
    text += text_of(result.at(part));
  return hash_text(text);
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

bool EntryRun::failed() const {
  if (!error.empty()) return true;
  for (const Sample& sample : samples)
    if (sample.failure) return true;
  for (const Json& one : golden)
    if (!one.at("pass").get<bool>()) return true;
  return !validation.frames().empty() && !validation.pass();
}

namespace {

int throttled_of(const std::vector<Sample>& samples) {
  return static_cast<int>(std::count_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return sample.throttled && !sample.warmup;
  }));
}

// Seconds by a clock of the runs that count; none where one of them lacks it.
std::vector<double> seconds_by(const EntryRun& run, ClockKind clock) {
  std::vector<double> seconds;
  for (const Sample* sample : run.timed()) {
    const std::optional<double> s =
        clock == ClockKind::effective ? sample->effective_s : sample->extraction_s;
    if (!s || *s <= 0) return {};
    seconds.push_back(*s);
  }
  return seconds;
}

Statistic summary_of(const EntryRun& run, const std::vector<double>& values) {
  if (!run.until) return summarize(values);
  return summarize(values, Looks{run.repeats, run.until->most});
}

Statistic scaled(Statistic statistic, double factor) {
  statistic.median *= factor;
  statistic.mad *= factor;
  for (std::optional<double>* end : {&statistic.low, &statistic.high})
    if (*end) **end *= factor;
  for (double& sample : statistic.samples) sample *= factor;
  return statistic;
}

// Whether the interval is as narrow as was asked for, by both clocks.
bool narrow_enough(const EntryRun& run) {
  for (const ClockKind clock : {ClockKind::effective, ClockKind::extraction}) {
    const std::vector<double> seconds = seconds_by(run, clock);
    if (seconds.empty()) continue;
    const Statistic statistic = summary_of(run, seconds);
    if (!statistic.low || *statistic.high - *statistic.low > run.until->width * statistic.median)
      return false;
  }
  return true;
}

}  // namespace

bool EntryRun::done() const {
  if (skipped || failed()) return true;
  if (next_index() < warmups + repeats) return false;
  if (throttled_of(samples) >= repeats) return true;
  const auto count = static_cast<int>(timed().size());
  if (count < repeats) return false;
  return !until || count >= until->most || narrow_enough(*this);
}

int EntryRun::runs_left() const {
  if (done()) return 0;
  return std::max(1, warmups + repeats + throttled_of(samples) - next_index());
}

int EntryRun::next_index() const {
  return static_cast<int>(samples.size());
}

std::vector<const Sample*> EntryRun::timed() const {
  std::vector<const Sample*> found;
  for (const Sample& sample : samples)
    if (!sample.warmup && !sample.failure && !sample.throttled) found.push_back(&sample);
  return found;
}

void EntryRun::add_health(const std::vector<GpuObservation>& watched) {
  if (watched.empty()) return;
  const bool first = health_before.is_null();
  if (first) health_before = Json::array();
  health_after = Json::array();
  health_during.resize(watched.size());
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const GpuObservation& gpu = watched[i];
    if (first) health_before.push_back(snapshot_json(gpu.before));
    health_after.push_back(snapshot_json(gpu.after));
    Json& during = health_during[i];
    if (during.is_null())
      during = {{"uuid", gpu.before.uuid},
                {"throttle_reasons", Json::array()},
                {"temperature_max_c", nullptr},
                {"clock_sm_max_mhz", nullptr},
                {"power_max_w", nullptr}};
    std::set<std::string> reasons = during.at("throttle_reasons");
    reasons.insert(gpu.throttle_reasons.begin(), gpu.throttle_reasons.end());
    during["throttle_reasons"] = reasons;
    during["temperature_max_c"] = larger(during["temperature_max_c"], gpu.temperature_max_c);
    during["clock_sm_max_mhz"] = larger(during["clock_sm_max_mhz"], gpu.clock_sm_max_mhz);
    during["power_max_w"] = larger(during["power_max_w"], gpu.power_max_w);
  }
}

Evidence EntryRun::evidence(const RunFacts& facts) const {
  Evidence evidence;
  evidence.skipped = skipped;
  evidence.skipped_because = skipped_because;
  evidence.complete = done();
  evidence.error = error;
  for (const Sample& sample : samples) {
    if (!sample.failure) continue;
    const std::string reason = fmt::format("run {}: {}", sample.index, *sample.failure);
    // A full disk says nothing of what the program computes.
    if (reason.find(std::strerror(ENOSPC)) != std::string::npos && evidence.error.empty())
      evidence.error = reason;
    else
      evidence.wrong.push_back(reason);
  }
  for (const Json& one : golden)
    if (!one.at("pass").get<bool>())
      evidence.wrong.push_back("golden case " + one.at("name").get<std::string>() + ": " +
                               one.at("failure").get<std::string>());
  if (!validation.frames().empty() && !validation.pass())
    evidence.wrong.push_back(validation.failure());
  evidence.throttled = static_cast<int>(std::count_if(
      samples.begin(), samples.end(), [](const Sample& sample) { return sample.throttled; }));
  evidence.health_known = !health_before.is_null();
  for (std::size_t i = 0; i < health_during.size(); ++i) {
    const std::string gpu = health_during[i].at("uuid");
    for (const Json& reason : health_during[i].at("throttle_reasons"))
      if (is_unhealthy(reason.get<std::string>()))
        evidence.unhealthy.push_back(gpu + ": " + reason.get<std::string>());
    const Json errors = health_after.at(i).at("ecc_uncorrected");
    if (!errors.is_null() && errors.get<double>() > 0)
      evidence.unhealthy.push_back(
          fmt::format("{}: {:.0f} uncorrected memory errors", gpu, errors.get<double>()));
  }
  // An exposure's, for which fewer frames may stand.
  const double exposures = entry.scale_to ? static_cast<double>(*entry.scale_to) / frames : 1;
  if (const auto figure = figure_of(*this, ClockKind::effective)) {
    evidence.fpnh_effective = figure->fpnh;
    evidence.seconds_effective = scaled(figure->seconds, exposures);
  }
  if (const auto figure = figure_of(*this, ClockKind::extraction)) {
    evidence.fpnh_extraction = figure->fpnh;
    evidence.seconds_extraction = scaled(figure->seconds, exposures);
  }
  evidence.fpnh_sustained = sustained_fpnh_to_judge(*this);
  if (entry.sustain && entry.sustain->seconds && sustained_s(*this) < *entry.sustain->seconds)
    evidence.not_sustained_because =
        fmt::format("the steady part lasted {:.2f} s, not the {:g} that were asked for",
                    sustained_s(*this), *entry.sustain->seconds);
  if (facts.thresholds)
    if (const auto found = facts.thresholds->entries.find(entry.id);
        found != facts.thresholds->entries.end())
      evidence.threshold = found->second;
  return evidence;
}

std::optional<Statistic> sustained_fpnh(const EntryRun& run) {
  if (!figure_of(run, ClockKind::effective)) return std::nullopt;
  std::vector<double> fpnh;
  for (const Sample* sample : run.timed())
    if (!sample->sustained.is_null()) fpnh.push_back(sample->sustained.at("fpnh"));
  if (fpnh.empty()) return std::nullopt;
  return summarize(fpnh);
}

std::optional<Statistic> sustained_fpnh_to_judge(const EntryRun& run) {
  const std::optional<Statistic> of_runs = sustained_fpnh(run);
  if (!of_runs) return std::nullopt;
  std::vector<double> of_parts;
  for (const Sample* sample : run.timed())
    if (!sample->sustained.is_null())
      for (const Json& block : sample->sustained.at("blocks"))
        if (const double seconds = block.at("seconds"); seconds > 0)
          of_parts.push_back(3600 * block.at("frames").get<double>() /
                             (seconds * run.launch.nodes));
  if (of_parts.empty()) return of_runs;
  const auto [least, most] = std::minmax_element(of_runs->samples.begin(), of_runs->samples.end());
  Statistic all = summarize(of_parts);
  all.median = of_runs->median;
  if (all.low) all.low = std::min(*all.low, *least);
  if (all.high) all.high = std::max(*all.high, *most);
  return all;
}

double sustained_s(const EntryRun& run) {
  std::optional<double> shortest;
  for (const Sample* sample : run.timed()) {
    const double seconds =
        sample->sustained.is_null() ? 0 : sample->sustained.at("seconds").get<double>();
    shortest = std::min(shortest.value_or(seconds), seconds);
  }
  return shortest.value_or(0);
}

std::optional<Figure> figure_of(const EntryRun& run, ClockKind clock, const std::string& tier) {
  if (run.skipped || run.failed() || !run.done() || !run.validation.pass()) return std::nullopt;
  std::vector<double> fpnh, per_gpu;
  const std::vector<double> seconds = seconds_by(run, clock);
  for (const double s : seconds) {
    fpnh.push_back(3600.0 * run.frames / (s * run.launch.nodes));
    if (gpus_of(run) > 0) per_gpu.push_back(3600.0 * run.frames / (s * gpus_of(run)));
  }
  if (seconds.empty()) return std::nullopt;
  Figure figure{summary_of(run, seconds), {}, {}};
  if (tier == "ci") return figure;
  figure.fpnh = summary_of(run, fpnh);
  if (!per_gpu.empty()) figure.frames_per_gpu_hour = summary_of(run, per_gpu);
  return figure;
}

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

int runs_in(const std::string& path) {
  std::ifstream in(path);
  const Json json = Json::parse(in, nullptr, false);
  const Json::json_pointer samples("/timing/samples");
  return json.is_object() && json.contains(samples) ? static_cast<int>(json.at(samples).size()) : 0;
}

void resume_from(const std::string& path, const RunFacts& facts, EntryRun& run) {
  std::ifstream in(path);
  const Json json = Json::parse(in, nullptr, false);
  if (json.is_discarded()) throw data_error(path, "is no result", "JSON, or no such file");
  try {
    if (json.at("schema") != schema()) throw data_error(path, "has another schema", "1.3");
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
    for (const Json& file : json.at("inputs").at("frames"))
      if (const Json& now = run.inputs.at("frames");
          std::find(now.begin(), now.end(), file) == now.end())
        throw data_error(path, "had another " + file.at("file").get<std::string>(),
                         "the same inputs, or another --out");
    run.golden = json.at("golden");
    const Json& timing = json.at("timing");
    const Json& samples = timing.at("samples");
    run.extended = timing.at("extended");
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
    if (!json.at("health").at("during").is_null())
      run.health_during = json.at("health").at("during").get<std::vector<Json>>();
    // Who adds runs to a result has seen it.
    run.extended = run.extended || (json.at("status") == "complete" && !run.done());
  } catch (const nlohmann::json::exception& error) {
    throw data_error(path, error.what(), "a result of spex-bench");
  }
}

}  // namespace spex::bench
