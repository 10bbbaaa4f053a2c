#include "bench/plan/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/plan_object.hpp"
#include "bench/plan/read_json.hpp"
#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/options.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr auto tolerances = one_of("production", "masked", "unpadded", "identical");

// When to stop: at an interval of that width, or after that many runs.
std::optional<Stopping> read_until(const PlanObject& object, int repeats) {
  if (!object.has("until")) return std::nullopt;
  const PlanObject until = object.at("until");
  Stopping stopping;
  until.require({"width", "max_runs"});
  until.get("width", stopping.width);
  until.get("max_runs", stopping.max_runs, repeats);
  until.no_others();
  if (!(stopping.width > 0 && stopping.width < 1))
    until.fail(fmt::format("'width' is {:g}", stopping.width), "more than 0, and less than 1");
  if (stopping.max_runs > max_timed_runs)
    until.fail(fmt::format("'max_runs' is {}", stopping.max_runs),
               fmt::format("at most {}", max_timed_runs));
  return stopping;
}

// Which runs count, and which speeds are judged. In the tier ci, which has no speeds, all runs
// count unless the plan says otherwise.
std::optional<Quiet> read_quiet(const PlanObject& root, const std::string& tier) {
  if (!root.has("quiet")) return tier == "ci" ? std::nullopt : std::optional(Quiet{});
  const PlanObject object = root.at("quiet");
  Quiet quiet;
  object.get("other_cpus", quiet.other_cpus);
  object.get("width", quiet.width);
  object.no_others();
  object.positive("other_cpus", quiet.other_cpus);
  object.positive("width", quiet.width);
  return quiet;
}

Case read_case(const PlanObject& object, const std::string& name) {
  object.plain_name("name", name);
  Case plan_case;
  plan_case.name = name;
  std::string cameras = "all";
  object.get("cameras", cameras);
  object.get("size", plan_case.size, sizes);
  object.get("seed", plan_case.seed, 0);
  object.get("seeds", plan_case.seeds, 1);
  object.get("compress", plan_case.compress, image_forms);
  object.no_others();
  try {
    for (const Camera& camera : parse_cameras(cameras)) plan_case.cameras.push_back(camera.name());
  } catch (const Error& error) {
    object.fail(fmt::format("'cameras' is '{}'", cameras), "all, or a list such as b0,r0");
  }
  return plan_case;
}

Sustain read_sustain(const PlanObject& object) {
  Sustain sustain;
  object.get("seconds", sustain.seconds);
  object.get("frames", sustain.frames, 1);
  object.no_others();
  if (sustain.seconds.has_value() == sustain.frames.has_value())
    object.fail("has not one of 'seconds' and 'frames'", "either");
  if (sustain.seconds) object.positive("seconds", *sustain.seconds);
  return sustain;
}

// Checks that the members of an entry are consistent.
void check_entry(const Entry& entry, const PlanObject& object, const Plan& plan) {
  const std::string milestone = to_string(entry.milestone);
  const bool cpu = traits(entry.milestone).device == Device::cpu;
  if (cpu == entry.on_gpu())
    object.fail(fmt::format("{} with 'gpus' {}", milestone, entry.gpus),
                cpu ? "none on the CPU" : "one or more");
  if (entry.on_gpu() && entry.ranks &&
      (traits(entry.milestone).schedule != Schedule::pipeline || *entry.ranks > entry.gpus))
    object.fail(fmt::format("{} with 'ranks' {}", milestone, *entry.ranks),
                "'ranks_per_gpu', or pipeline with no more ranks than GPUs");
  if (entry.mps && !entry.on_gpu()) object.fail("'mps' without 'gpus'", "a milestone on GPUs");
  if (entry.scale_to && !entry.frames)
    object.fail("'scale_to' without 'frames'", "fewer frames that stand for an exposure");
  if (entry.scale_to) object.at_least("scale_to", entry.scale_to, *entry.frames + 1);
  if (plan.tier == "night" && !entry.sustain)
    object.fail("has no 'sustain'", "one in the tier night");
  if (entry.sustain && plan.tier != "night" && plan.tier != "acceptance")
    object.fail("has 'sustain'", "none outside the tiers night and acceptance");
  if (entry.first_gpu > 0 && !entry.on_gpu())
    object.fail("'first_gpu' without 'gpus'", "a milestone on GPUs");
  if (entry.sustain && (entry.frames || object.has("sweep")))
    object.fail("'sustain' with 'frames' or 'sweep'", "without");
  if (entry.alone && (entry.frames || entry.sustain))
    object.fail("'alone' with 'frames' or 'sustain'", "without");
}

Entry read_entry(const PlanObject& object, const Plan& plan) {
  Entry entry;
  std::string milestone;
  object.require({"id", "case", "milestone"});
  object.get("id", entry.id);
  object.get("case", entry.case_name);
  object.get("milestone", milestone);
  const std::optional<Milestone> known = find_milestone(milestone);
  if (!known)
    object.fail(fmt::format("'{}' is not a milestone", milestone), "one of docs/milestones.md");
  entry.milestone = *known;
  object.get("group", entry.group);
  object.get("frames", entry.frames, 1);
  object.get("alone", entry.alone);
  object.get("scale_to", entry.scale_to, 1);
  object.get("nodes", entry.nodes, 1);
  object.get("gpus", entry.gpus, 0);
  object.get("first_gpu", entry.first_gpu, 0);
  object.get("ranks_per_gpu", entry.ranks_per_gpu, 1);
  object.get("ranks", entry.ranks, 1);
  object.get("threads", entry.threads, 1);
  object.get("mps", entry.mps);
  object.get("binding", entry.binding, one_of("none", "core", "socket", "numa"));
  object.get("compress", entry.compress, frame_forms);
  object.get("options", entry.options);
  object.get("run_options", entry.run_options);
  object.get("bundles", entry.bundles, 1);
  object.get("warmups", entry.warmups, 0);
  object.get("repeats", entry.repeats, 1);
  entry.tolerance = plan.tolerance;
  object.get("tolerance", entry.tolerance, tolerances);
  entry.until = read_until(object, entry.repeats.value_or(plan.repeats));
  if (!entry.until && !entry.repeats) entry.until = plan.until;
  if (object.has("sustain")) entry.sustain = read_sustain(object.at("sustain"));
  static_cast<void>(object.has("sweep"));  // resolve_sweep reads it
  object.no_others();
  check_entry(entry, object, plan);
  if (entry.alone) entry.frames = 1;
  return entry;
}

Ceilings read_ceilings(const PlanObject& object) {
  Ceilings ceilings;
  object.require({"flops", "bytes", "source"});
  object.get("flops", ceilings.flops);
  object.get("bytes", ceilings.bytes);
  object.get("source", ceilings.source);
  object.no_others();
  object.positive("flops", ceilings.flops);
  object.positive("bytes", ceilings.bytes);
  return ceilings;
}

// Such an id would make the result's name that of another entry's run log or series.
void check_id(const Entry& entry, const PlanObject& root) {
  root.plain_name("id", entry.id);
  if (!entry.group.empty()) root.plain_name("group", entry.group);
  for (const char* end : {".events", ".series"})
    if (entry.id.ends_with(end))
      root.fail(fmt::format("the id '{}' ends in {}", entry.id, end),
                "another end: run logs and series of long runs have this one");
}

void check_entries(const Plan& plan, const PlanObject& root) {
  std::set<std::string> ids;
  for (const Entry& entry : plan.entries) {
    if (!ids.insert(entry.id).second) root.fail("two entries are " + entry.id, "an id for each");
    check_id(entry, root);
    if (std::any_of(plan.entries.begin(), plan.entries.end(),
                    [&](const Entry& other) { return other.group == entry.id; }))
      root.fail("a group and an entry are " + entry.id, "a name for each");
    const auto found = plan.cases.find(entry.case_name);
    if (found == plan.cases.end())
      root.fail(entry.id + " asks for the case " + entry.case_name, "one of 'cases'");
    const auto cameras = static_cast<int>(found->second.cameras.size());
    const int min_frames = found->second.distinct_exposures() * cameras;
    if (entry.sustain && entry.sustain->frames.value_or(min_frames) < min_frames)
      root.fail(fmt::format("{} asks for {} frames", entry.id, *entry.sustain->frames),
                fmt::format("{} or more, all of its exposures", min_frames));
    const int frames = entry.frames.value_or(1);
    if (frames > cameras && (!found->second.seeds || frames % cameras != 0))
      root.fail(fmt::format("{} asks for {} frames", entry.id, frames),
                fmt::format("at most the {} of {}, or with 'seeds' several times as many", cameras,
                            entry.case_name));
    if (found->second.size == "tiny" && !entry.extract->wavelength)
      root.fail(fmt::format("{} asks for all wavelengths of {}, which is tiny", entry.id,
                            entry.case_name),
                "'options' with --wavelength, of its 300 rows");
    check_wavelengths(entry, found->second, root);
    const int bundles = found->second.bundles();
    if (entry.bundles.value_or(1) > bundles)
      root.fail(fmt::format("{} asks for {} bundles", entry.id, *entry.bundles),
                fmt::format("at most the {} of {}", bundles, entry.case_name));
  }
}

// Rule 1: outside the tier ci, every frame is compared with the CPU extractor's.
void check_reference(const Plan& plan, const PlanObject& root) {
  if (!plan.reference) {
    if (plan.tier != "ci")
      root.fail("has no 'reference'", R"({"method": "eigh"} or "cholesky", outside the tier ci)");
    return;
  }
  if (plan.tier != "ci" && !plan.reference->cameras.empty())
    root.fail("reference: has 'cameras'",
              "none outside the tier ci, where every frame needs a reference");
  std::vector<std::string> named = plan.reference->cameras;
  named.insert(named.end(), plan.reference->by_eigh.begin(), plan.reference->by_eigh.end());
  for (const std::string& camera : named)
    for (const auto& [name, plan_case] : plan.cases) {
      const std::vector<std::string>& cameras = plan_case.cameras;
      if (std::find(cameras.begin(), cameras.end(), camera) == cameras.end())
        root.fail(fmt::format("reference: the case {} has no camera {}", name, camera),
                  fmt::format("{}", fmt::join(cameras, ", ")));
    }
}

Reference read_reference(const PlanObject& object) {
  Reference reference;
  object.get("method", reference.method, reference_methods);
  object.get("cameras", reference.cameras);
  object.get("by_eigh", reference.by_eigh);
  object.no_others();
  return reference;
}

void check_plan(const Plan& plan, const PlanObject& root) {
  if (plan.name.empty() || plan.name != printable(plan.name))
    root.fail("'name' is empty or has line breaks", "one line");
  if (std::set<std::string>(plan.goldens.begin(), plan.goldens.end()).size() != plan.goldens.size())
    root.fail("'goldens' has a name twice", "each once");
  // Rule 3: one warm-up and five timed repeats, except in CI and long runs.
  const int min_repeats = plan.tier == "night" ? 1 : 5;
  if (plan.tier != "ci" && (plan.repeats < min_repeats || plan.warmups < 1))
    root.fail(fmt::format("{} warm-ups and {} repeats", plan.warmups, plan.repeats),
              fmt::format("1 and {} or more in the tier {}", min_repeats, plan.tier));
  if (!(plan.time_limit_s >= 1))
    root.fail(fmt::format("'time_limit_s' is {:g}", plan.time_limit_s), "1 or more");
}

// A plan with a `base` has the members of that plan, which is in the same folder, except those that
// it has itself (JSON merge patch, RFC 7396). `above` are the plans that lead to this one as their
// base.
Json with_base(Json own, const std::string& path, std::vector<std::string> above = {}) {
  const PlanObject object(own, path, "");
  std::string name;
  object.get("base", name);
  if (name.empty()) return own;
  above.push_back(path);
  const std::string base = fs::path(path).parent_path() / (name + ".json");
  if (std::find(above.begin(), above.end(), base) != above.end())
    object.fail("'base' leads to this plan again", "another plan");
  Json whole =
      with_base(parse_written(read_written(base, "the plan that 'base' names"), base), base, above);
  own.erase("base");
  whole.merge_patch(own);
  return whole;
}

}  // namespace

std::vector<std::string> milestone_words() {
  std::vector<std::string> words;
  for (const MilestoneTraits& milestone : milestones)
    if (std::ranges::find(words, milestone.name) == words.end()) words.emplace_back(milestone.name);
  return words;
}

Plan read_plan(const std::string& path) {
  const std::string text = read_written(path, "a plan, e.g. bench/plans/ci.json");
  const Json json = parse_written(text, path);
  if (!json.is_object()) return parse_plan(text, path);
  Json whole = json.contains("base") ? with_base(json, path) : json;
  const bool chosen = choose_values(whole);
  return parse_plan(chosen || json.contains("base") ? whole.dump(1) + "\n" : text, path);
}

Plan parse_plan(const std::string& text, const std::string& path) {
  Plan plan;
  plan.path = path;
  plan.text = text;
  const Json json = parse_written(text, path);
  const PlanObject root(json, path, "");
  root.require({"name", "description", "tier", "cases", "entries"});
  root.get("name", plan.name);
  root.get("description", plan.description);
  root.get("tier", plan.tier, tiers);
  root.get("division", plan.division, divisions);
  root.get("warmups", plan.warmups, 0);
  root.get("repeats", plan.repeats, 1);
  root.get("time_limit_s", plan.time_limit_s);
  root.get("tolerance", plan.tolerance, tolerances);
  root.get("goldens", plan.goldens);
  plan.until = read_until(root, plan.repeats);
  plan.quiet = read_quiet(root, plan.tier);
  if (root.has("reference")) plan.reference = read_reference(root.at("reference"));
  if (root.has("gpu_ceilings")) plan.gpu_ceilings = read_ceilings(root.at("gpu_ceilings"));
  const Json defaults = root.has("defaults") ? root.at("defaults").json() : Json::object();
  std::string suffix;
  root.get("suffix", suffix);
  root.no_others();
  check_plan(plan, root);
  for (const auto& [name, value] : root.at("cases").json().items())
    plan.cases.emplace(name, read_case({value, path, "case " + name}, name));
  if (plan.tier == "ci")
    for (auto& [name, plan_case] : plan.cases) plan_case.seeds = plan_case.seeds.value_or(1);
  int number = 0;
  if (!json.at("entries").is_array()) root.fail("'entries' is not a list", "[...]");
  for (const Json& stated : json.at("entries")) {
    Json whole = defaults;
    whole.merge_patch(stated);
    const PlanObject object(whole, path, fmt::format("entry {}", ++number));
    Entry given = read_entry(object, plan);
    given.id += suffix;
    for (Entry& entry : resolve_sweep(given, object)) {
      entry.extract = std::make_shared<const FrameOptions>(parse_options(entry, object));
      check_run_options(entry, plan.division, object);
      plan.entries.push_back(std::move(entry));
    }
  }
  if (plan.entries.empty()) root.fail("has no entries", "one or more");
  check_entries(plan, root);
  check_reference(plan, root);
  return plan;
}

}  // namespace spex::bench
