#include "bench/plan/plan.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/extract_options.hpp"
#include "bench/plan/plan_object.hpp"
#include "bench/plan/plan_sweep.hpp"
#include "bench/plan/read_json.hpp"
#include "reference/core/error.hpp"
#include "reference/model/camera.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

Milestone milestone_of(const PlanObject& entry, const std::string& name) {
  if (const std::optional<Milestone> found = find_milestone(name)) return *found;
  entry.fail(fmt::format("'{}' is no milestone", name), "one of docs/milestones.md");
}

// Run until the interval is that narrow, or so many were made.
std::optional<Stopping> read_until(const PlanObject& object, int repeats) {
  if (!object.has("until")) return std::nullopt;
  const PlanObject until = object.at("until");
  until.allow_only({"width", "most"});
  Stopping stopping;
  until.need("width", stopping.width);
  until.need("most", stopping.most);
  if (!(stopping.width > 0 && stopping.width < 1))
    until.fail(fmt::format("'width' is {:g}", stopping.width), "more than 0, and less than 1");
  until.at_least("most", stopping.most, repeats);
  constexpr int most_runs = 1000;
  if (stopping.most > most_runs)
    until.fail(fmt::format("'most' is {}", stopping.most), fmt::format("at most {}", most_runs));
  return stopping;
}

// A tolerance of spex-compare that a plan may ask for.
void check_tolerance(const PlanObject& object, const std::string& name) {
  object.one_of("tolerance", name, {"production", "masked", "unpadded", "identical"});
}

Case read_case(const PlanObject& object, const std::string& name) {
  object.allow_only({"cameras", "size", "seed", "seeds", "compress"});
  object.plain_name("name", name);
  Case one;
  one.name = name;
  std::string cameras = "all";
  object.get("cameras", cameras);
  object.get("size", one.size);
  object.get("seed", one.seed);
  object.get("seeds", one.seeds);
  object.get("compress", one.compress);
  object.at_least("seed", one.seed, 0);
  object.at_least("seeds", one.seeds, 1);
  try {
    for (const Camera& camera : parse_cameras(cameras)) one.cameras.push_back(camera.name());
  } catch (const Error& error) {
    object.fail(fmt::format("'cameras' is '{}'", cameras), "all, or a list such as b0,r0");
  }
  object.one_of("size", one.size, {"tiny", "bundle", "full"});
  object.one_of("compress", one.compress, {"none", "gz", "fz"});
  return one;
}

Sustain read_sustain(const PlanObject& object) {
  object.allow_only({"seconds", "frames"});
  Sustain sustain;
  object.get("seconds", sustain.seconds);
  object.get("frames", sustain.frames);
  if (sustain.seconds.has_value() == sustain.frames.has_value())
    object.fail("has not one of 'seconds' and 'frames'", "either");
  if (sustain.seconds) object.positive("seconds", *sustain.seconds);
  object.at_least("frames", sustain.frames, 1);
  return sustain;
}

Entry read_entry(const PlanObject& object, const Plan& plan) {
  object.allow_only({"id",      "case",          "milestone", "frames",  "scale_to", "nodes",
                     "gpus",    "ranks_per_gpu", "ranks",     "threads", "mps",      "binding",
                     "options", "run_options",   "bundles",   "sweep",   "warmups",  "repeats",
                     "until",   "tolerance",     "sustain",   "group",   "alone",    "compress"});
  Entry entry;
  std::string milestone;
  object.need("id", entry.id);
  object.need("case", entry.case_name);
  object.need("milestone", milestone);
  entry.milestone = milestone_of(object, milestone);
  object.get("frames", entry.frames);
  object.get("alone", entry.alone);
  object.get("scale_to", entry.scale_to);
  object.get("nodes", entry.nodes);
  object.get("gpus", entry.gpus);
  object.get("ranks_per_gpu", entry.ranks_per_gpu);
  object.get("ranks", entry.ranks);
  object.get("threads", entry.threads);
  object.get("mps", entry.mps);
  object.get("binding", entry.binding);
  object.get("compress", entry.compress);
  object.one_of("compress", entry.compress, {"none", "gz"});
  object.get("options", entry.options);
  object.get("run_options", entry.run_options);
  object.get("bundles", entry.bundles);
  object.get("warmups", entry.warmups);
  object.get("repeats", entry.repeats);
  entry.tolerance = plan.tolerance;
  object.get("tolerance", entry.tolerance);
  check_tolerance(object, entry.tolerance);
  object.get("group", entry.group);
  object.plain_name("id", entry.id);
  if (!entry.group.empty()) object.plain_name("group", entry.group);
  for (const auto& [key, value] : {std::pair{"frames", entry.frames},
                                   {"scale_to", entry.scale_to},
                                   {"nodes", entry.nodes},
                                   {"ranks", entry.ranks},
                                   {"threads", entry.threads},
                                   {"bundles", entry.bundles},
                                   {"repeats", entry.repeats},
                                   {"ranks_per_gpu", std::optional(entry.ranks_per_gpu)}})
    object.at_least(key, value, 1);
  object.at_least("warmups", entry.warmups, 0);
  entry.until = object.has("until") ? read_until(object, entry.repeats.value_or(plan.repeats))
                                    : (entry.repeats ? std::nullopt : plan.until);
  object.at_least("gpus", entry.gpus, 0);
  object.one_of("binding", entry.binding, {"none", "core", "socket", "numa"});
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
  if (object.has("sustain")) entry.sustain = read_sustain(object.at("sustain"));
  if (entry.sustain.has_value() != (plan.tier == "night"))
    object.fail(entry.sustain ? "has 'sustain'" : "has no 'sustain'",
                "one in the tier night, and there alone");
  if (entry.sustain && (entry.frames || object.has("sweep")))
    object.fail("'sustain' with 'frames' or 'sweep'", "without");
  if (entry.alone && (entry.frames || entry.sustain))
    object.fail("'alone' with 'frames' or 'sustain'", "without");
  if (entry.alone) entry.frames = 1;
  return entry;
}

Ceilings read_ceilings(const PlanObject& object) {
  object.allow_only({"flops", "bytes", "source"});
  Ceilings ceilings;
  object.need("flops", ceilings.flops);
  object.need("bytes", ceilings.bytes);
  object.need("source", ceilings.source);
  object.positive("flops", ceilings.flops);
  object.positive("bytes", ceilings.bytes);
  return ceilings;
}

// The result of an entry with such an id would be taken for the run log, or the series, of another.
void check_id(const Entry& entry, const PlanObject& root) {
  root.plain_name("id", entry.id);
  for (const char* end : {".events", ".series"})
    if (entry.id.ends_with(end))
      root.fail(fmt::format("the id '{}' ends in {}", entry.id, end),
                "another end: run logs and series of long runs have this one");
}

// More of them than any node has use for are a slip, which would else be found by a run that fails.
void check_numbers(const Entry& entry, const PlanObject& root) {
  constexpr int most = 4096;
  for (const auto& [what, number] : {std::pair{"threads", entry.threads},
                                     {"ranks", entry.ranks},
                                     {"ranks_per_gpu", std::optional(entry.ranks_per_gpu)}})
    if (number.value_or(1) > most)
      root.fail(fmt::format("{} has '{}' {}", entry.id, what, *number),
                fmt::format("at most {}", most));
}

void check_entries(const Plan& plan, const PlanObject& root) {
  std::set<std::string> ids;
  for (const Entry& entry : plan.entries) {
    if (!ids.insert(entry.id).second) root.fail("two entries are " + entry.id, "an id for each");
    check_id(entry, root);
    check_numbers(entry, root);
    if (std::any_of(plan.entries.begin(), plan.entries.end(),
                    [&](const Entry& other) { return other.group == entry.id; }))
      root.fail("a group and an entry are " + entry.id, "a name for each");
    const auto found = plan.cases.find(entry.case_name);
    if (found == plan.cases.end())
      root.fail(entry.id + " asks for the case " + entry.case_name, "one of 'cases'");
    const auto cameras = static_cast<int>(found->second.cameras.size());
    const int least = found->second.exposures_in_turn() * cameras;
    if (entry.sustain && entry.sustain->frames.value_or(least) < least)
      root.fail(fmt::format("{} asks for {} frames", entry.id, *entry.sustain->frames),
                fmt::format("{} or more, all of its exposures", least));
    const int frames = entry.frames.value_or(1);
    if (frames > cameras && (!found->second.seeds || frames % cameras != 0))
      root.fail(fmt::format("{} asks for {} frames", entry.id, frames),
                fmt::format("at most the {} of {}, or with 'seeds' several times as many", cameras,
                            entry.case_name));
    if (found->second.size == "tiny" && !entry.extract.wavelength)
      root.fail(fmt::format("{} asks for all wavelengths of {}, which is tiny", entry.id,
                            entry.case_name),
                "'options' with --wavelength, of its 300 rows");
    const int bundles = found->second.bundles();
    if (entry.bundles.value_or(1) > bundles)
      root.fail(fmt::format("{} asks for {} bundles", entry.id, *entry.bundles),
                fmt::format("at most the {} of {}", bundles, entry.case_name));
  }
}

// Rule 1: what is not of the tier ci is held to the CPU extractor in every frame.
void check_reference(const Plan& plan, const PlanObject& root) {
  if (!plan.reference) {
    if (plan.tier != "ci")
      root.fail("has no 'reference'", R"({"method": "eigh"} or "cholesky", outside the tier ci)");
    return;
  }
  if (plan.tier != "ci" && !plan.reference->cameras.empty())
    root.fail("reference: has 'cameras'", "none: all frames are held to it outside the tier ci");
  for (const std::string& camera : plan.reference->cameras)
    for (const auto& [name, one] : plan.cases) {
      const std::vector<std::string>& cameras = one.cameras;
      if (std::find(cameras.begin(), cameras.end(), camera) == cameras.end())
        root.fail(fmt::format("reference: the case {} has no camera {}", name, camera),
                  fmt::format("{}", fmt::join(cameras, ", ")));
    }
}

}  // namespace

Plan read_plan(const std::string& path) {
  return parse_plan(read_written(path, "a plan, e.g. bench/plans/ci.json"), path);
}

Plan parse_plan(const std::string& text, const std::string& path) {
  Plan plan;
  plan.path = path;
  plan.text = text;
  Json json;
  try {
    json = parse_written(plan.text, path);
  } catch (const nlohmann::json::exception& error) {
    // Without the library's own number of it.
    const std::string what = error.what();
    const std::size_t number = what.find("] ");
    throw usage_error(path, number == std::string::npos ? what : what.substr(number + 2), "JSON");
  }
  const PlanObject root(json, path, "");
  root.allow_only({"name", "description", "tier", "division", "warmups", "repeats", "until",
                   "tolerance", "time_limit_s", "cases", "reference", "goldens", "gpu_ceilings",
                   "entries"});
  root.need("name", plan.name);
  root.need("description", plan.description);
  root.need("tier", plan.tier);
  const bool is_line = std::none_of(plan.name.begin(), plan.name.end(),
                                    [](unsigned char c) { return std::iscntrl(c) != 0; });
  if (plan.name.empty() || !is_line) root.fail("'name' is no name", "a word or more in a line");
  root.get("division", plan.division);
  root.get("warmups", plan.warmups);
  root.get("repeats", plan.repeats);
  root.get("time_limit_s", plan.time_limit_s);
  root.get("tolerance", plan.tolerance);
  root.get("goldens", plan.goldens);
  if (std::set<std::string>(plan.goldens.begin(), plan.goldens.end()).size() != plan.goldens.size())
    root.fail("'goldens' has one twice", "each once");
  root.one_of("tier", plan.tier, {"ci", "acceptance", "production", "night"});
  root.one_of("division", plan.division, {"ported", "optimized"});
  root.at_least("warmups", plan.warmups, 0);
  root.at_least("repeats", plan.repeats, 1);
  // Rule 3: one warm-up and five timed repeats, but for CI and long runs.
  const int least_repeats = plan.tier == "night" ? 1 : 5;
  if (plan.tier != "ci" && (plan.repeats < least_repeats || plan.warmups < 1))
    root.fail(fmt::format("{} warm-ups and {} repeats", plan.warmups, plan.repeats),
              fmt::format("1 and {} or more in the tier {}", least_repeats, plan.tier));
  plan.until = read_until(root, plan.repeats);
  constexpr double least_time_limit_s = 1;
  if (!(plan.time_limit_s >= least_time_limit_s))
    root.fail(fmt::format("'time_limit_s' is {:g}", plan.time_limit_s),
              fmt::format("{:g} or more", least_time_limit_s));
  check_tolerance(root, plan.tolerance);
  if (!root.has("cases") || !root.has("entries")) root.fail("has no cases or entries", "both");
  for (const auto& [name, value] : root.at("cases").json().items())
    plan.cases.emplace(name, read_case({value, path, "case " + name}, name));
  if (plan.tier == "ci")
    for (auto& [name, one] : plan.cases) one.seeds = one.seeds.value_or(1);
  if (root.has("reference")) {
    const PlanObject reference = root.at("reference");
    reference.allow_only({"method", "cameras"});
    plan.reference.emplace();
    reference.get("method", plan.reference->method);
    reference.get("cameras", plan.reference->cameras);
    reference.one_of("method", plan.reference->method, {"eigh", "cholesky"});
  }
  if (root.has("gpu_ceilings")) plan.gpu_ceilings = read_ceilings(root.at("gpu_ceilings"));
  int number = 0;
  if (!json.at("entries").is_array()) root.fail("'entries' is no list", "[...]");
  for (const Json& one : json.at("entries")) {
    const PlanObject object(one, path, fmt::format("entry {}", ++number));
    for (Entry& entry : resolve_sweep(read_entry(object, plan), object)) {
      entry.extract = parse_options(entry, object);
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
