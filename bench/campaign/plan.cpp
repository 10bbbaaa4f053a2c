#include "bench/campaign/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/campaign/written_json.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// A JSON object of the plan, whose members are named in errors.
class Object {
 public:
  Object(const Json& json, std::string path, std::string where)
      : json_(json), path_(std::move(path)), where_(std::move(where)) {
    if (!json.is_object()) fail("is no object", "{...}");
  }

  void allow_only(std::initializer_list<const char*> keys) const {
    for (const auto& [key, value] : json_.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        fail(fmt::format("'{}' is unknown", key), fmt::format("{}", fmt::join(keys, ", ")));
  }

  template <class T>
  void get(const char* key, T& value) const {
    if (!json_.contains(key)) return;
    const Json& given = json_.at(key);
    const auto is = [&](bool fits, const char* what) {
      if (!fits) fail(fmt::format("'{}' is {}", key, given.dump()), what);
    };
    if constexpr (std::is_same_v<T, bool>) {
      is(given.is_boolean(), "true or false");
    } else if constexpr (std::is_same_v<T, int>) {
      is(given.is_number_integer() && given.get<double>() >= -most && given.get<double>() <= most,
         "a whole number, at most a million");
    } else if constexpr (std::is_same_v<T, double>) {
      is(given.is_number(), "a number");
    } else if constexpr (std::is_same_v<T, std::string>) {
      is(given.is_string(), "text");
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      is(given.is_array() && std::all_of(given.begin(), given.end(),
                                         [](const Json& one) { return one.is_string(); }),
         "a list of texts");
    } else {
      is(given.is_array(), "a list");
    }
    value = given.get<T>();
  }
  template <class T>
  void get(const char* key, std::optional<T>& value) const {
    if (!json_.contains(key)) return;
    T given{};
    get(key, given);
    value = std::move(given);
  }
  template <class T>
  void need(const char* key, T& value) const {
    if (!json_.contains(key)) fail(fmt::format("has no '{}'", key), "one");
    get(key, value);
  }
  [[nodiscard]] Object at(const char* key) const {
    return {json_.at(key), path_, where_.empty() ? key : where_ + " " + key};
  }
  [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }
  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  void one_of(const char* key, const std::string& value,
              std::initializer_list<const char*> values) const {
    if (std::find(values.begin(), values.end(), value) == values.end())
      fail(fmt::format("'{}' is {}", key, value), fmt::format("{}", fmt::join(values, ", ")));
  }
  void at_least(const char* key, std::optional<int> value, int least) const {
    if (value && *value < least)
      fail(fmt::format("'{}' is {}", key, *value), fmt::format("{} or more", least));
  }
  void positive(const char* key, double value) const {
    if (!(value > 0)) fail(fmt::format("'{}' is {:g}", key, value), "more than 0");
  }
  // A name of files and folders.
  void plain_name(const char* what, const std::string& name) const {
    const bool plain =
        !name.empty() && name.front() != '.' && name.front() != '-' &&
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos;
    if (!plain)
      fail(fmt::format("the {} '{}' cannot name a file", what, name),
           "a-z, 0-9, - and ., a letter or digit first");
  }
  [[noreturn]] void fail(const std::string& wrong, const std::string& expected) const {
    throw usage_error(path_, where_.empty() ? wrong : where_ + ": " + wrong, expected);
  }

 private:
  static constexpr double most = 1e6;

  const Json& json_;
  std::string path_;
  std::string where_;
};

Milestone milestone_of(const Object& entry, const std::string& name) {
  if (const std::optional<Milestone> found = find_milestone(name)) return *found;
  entry.fail(fmt::format("'{}' is no milestone", name), "one of docs/milestones.md");
}

void check_cameras(const Object& object, const std::vector<std::string>& cameras) {
  std::set<std::string> seen;
  for (const std::string& camera : cameras) {
    if (camera.size() != 2 || std::string("brz").find(camera[0]) == std::string::npos ||
        camera[1] < '0' || camera[1] > '9')
      object.fail(fmt::format("'cameras' has '{}'", camera), "b, r or z and a digit");
    if (!seen.insert(camera).second)
      object.fail(fmt::format("'cameras' has {} twice", camera), "each once");
  }
  if (cameras.empty()) object.fail("'cameras' has none", "all, or a list such as b0,r0");
}

// Run until the interval is that narrow, or so many were made.
std::optional<Stopping> read_until(const Object& object, int repeats) {
  if (!object.has("until")) return std::nullopt;
  const Object until = object.at("until");
  until.allow_only({"width", "most"});
  Stopping stopping;
  until.need("width", stopping.width);
  until.need("most", stopping.most);
  if (!(stopping.width > 0 && stopping.width < 1))
    until.fail(fmt::format("'width' is {:g}", stopping.width), "more than 0, and less than 1");
  until.at_least("most", stopping.most, repeats);
  return stopping;
}

// A tolerance of spex-compare that a plan may ask for.
void check_tolerance(const Object& object, const std::string& name) {
  object.one_of("tolerance", name, {"production", "masked", "unpadded", "identical"});
}

Case read_case(const Object& object, const std::string& name) {
  object.allow_only({"cameras", "size", "seed", "seeds", "compress"});
  object.plain_name("name", name);
  Case one;
  one.name = name;
  object.get("cameras", one.cameras);
  object.get("size", one.size);
  object.get("seed", one.seed);
  object.get("seeds", one.seeds);
  object.get("compress", one.compress);
  object.at_least("seed", one.seed, 0);
  object.at_least("seeds", one.seeds, 1);
  check_cameras(object, one.camera_list());
  object.one_of("size", one.size, {"tiny", "bundle", "full"});
  object.one_of("compress", one.compress, {"none", "gz", "fz"});
  return one;
}

Sustain read_sustain(const Object& object) {
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

// Options of the extractors that spex-bench gives by itself.
const std::set<std::string>& own_options() {
  static const std::set<std::string> own{
      "--list",     "--events", "--milestone", "--exposure", "--outdir", "--input",  "-i",
      "--psf",      "-p",       "--output",    "-o",         "--model",  "-m",       "--threads",
      "--fibermap", "-f",       "--loglevel",  "--help",     "-h",       "--version"};
  return own;
}

// Those that change what is computed, by which the reference frames are made too.
const std::set<std::string>& value_options() {
  static const std::set<std::string> values{"--wavelength",    "-w",
                                            "--specmin",       "-s",
                                            "--nspec",         "-n",
                                            "--regularize",    "-r",
                                            "--bundlesize",    "--nsubbundles",
                                            "--nwavestep",     "--wavepad",
                                            "--pixpad-frac",   "--wavepad-frac",
                                            "--psferr",        "--mask-bits",
                                            "--method",        "--decorrelate",
                                            "--flux",          "--no-scores",
                                            "--full-precision"};
  return values;
}

void check_options(const Object& object, const Entry& entry) {
  const auto name_of = [](const std::string& word) { return word.substr(0, word.find('=')); };
  for (const std::string& word : entry.options)
    if (own_options().contains(name_of(word)))
      object.fail(fmt::format("'options' has {}", word), "those that change what is computed");
  for (const std::string& word : entry.run_options)
    if (own_options().contains(name_of(word)) || value_options().contains(name_of(word)))
      object.fail(fmt::format("'run_options' has {}", word),
                  "those that change nothing that is computed, as --schedule");
}

Entry read_entry(const Object& object, const Plan& plan) {
  object.allow_only({"id",      "case",          "milestone", "frames",  "scale_to", "nodes",
                     "gpus",    "ranks_per_gpu", "ranks",     "threads", "mps",      "binding",
                     "options", "run_options",   "bundles",   "sweep",   "warmups",  "repeats",
                     "until",   "tolerance",     "sustain",   "group"});
  Entry entry;
  std::string milestone;
  object.need("id", entry.id);
  object.need("case", entry.case_name);
  object.need("milestone", milestone);
  entry.milestone = milestone_of(object, milestone);
  object.get("frames", entry.frames);
  object.get("scale_to", entry.scale_to);
  object.get("nodes", entry.nodes);
  object.get("gpus", entry.gpus);
  object.get("ranks_per_gpu", entry.ranks_per_gpu);
  object.get("ranks", entry.ranks);
  object.get("threads", entry.threads);
  object.get("mps", entry.mps);
  object.get("binding", entry.binding);
  object.get("options", entry.options);
  object.get("run_options", entry.run_options);
  object.get("bundles", entry.bundles);
  object.get("warmups", entry.warmups);
  object.get("repeats", entry.repeats);
  entry.tolerance = plan.tolerance;
  object.get("tolerance", entry.tolerance);
  check_tolerance(object, entry.tolerance);
  object.get("group", entry.group);
  check_options(object, entry);
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
  if (entry.scale_to && !entry.frames)
    object.fail("'scale_to' without 'frames'", "fewer frames that stand for an exposure");
  if (entry.scale_to) object.at_least("scale_to", entry.scale_to, *entry.frames + 1);
  if (object.has("sustain")) entry.sustain = read_sustain(object.at("sustain"));
  if (entry.sustain.has_value() != (plan.tier == "night"))
    object.fail(entry.sustain ? "has 'sustain'" : "has no 'sustain'",
                "one in the tier night, and there alone");
  if (entry.sustain && (entry.frames || object.has("sweep")))
    object.fail("'sustain' with 'frames' or 'sweep'", "without");
  return entry;
}

// `ranks` ranks in all: on the CPU as many; on the entry's GPUs one each, and where there are more
// ranks than GPUs, as many on each.
void set_ranks(Entry& entry, int ranks, const Object& sweep) {
  if (!entry.on_gpu()) {
    entry.ranks = ranks;
    return;
  }
  entry.gpus = std::min(entry.gpus, ranks);
  if (ranks % entry.gpus != 0)
    sweep.fail(fmt::format("{} ranks on {} GPUs", ranks, entry.gpus), "as many on each");
  entry.ranks_per_gpu = ranks / entry.gpus;
  entry.mps = entry.mps && entry.ranks_per_gpu > 1;
}

// The entry at one point of a sweep.
Entry at_point(Entry entry, const Object& sweep, const Json& x) {
  const std::string& kind = entry.scaling->kind;
  const auto number = [&] {
    constexpr double most = 1e6;
    if (!x.is_number_integer() || x.get<double>() < 1 || x.get<double>() > most)
      sweep.fail(fmt::format("{} is no value of {}", x.dump(), kind),
                 "whole numbers from 1 to a million");
    return x.get<int>();
  };
  if (kind == "ranks-per-gpu") {
    entry.ranks_per_gpu = number();
    // One rank has a GPU to itself; MPS is what lets more share it.
    entry.mps = entry.mps && number() > 1;
  } else if (kind == "gpus") {
    entry.gpus = number();
  } else if (kind == "nodes") {
    entry.nodes = number();
  } else if (kind == "strong") {
    set_ranks(entry, number(), sweep);
  } else if (kind == "weak") {
    set_ranks(entry, number(), sweep);
    entry.bundles = number();
  } else if (kind == "mps") {
    if (!entry.on_gpu() || (x != "on" && x != "off"))
      sweep.fail(x.dump() + " is no value of mps", "on or off, of an entry with 'gpus'");
    entry.mps = x == "on";
  } else if (kind == "nwavestep" || kind == "nsubbundles") {
    entry.options.push_back("--" + kind);
    entry.options.push_back(std::to_string(number()));
  } else if (kind == "compression") {
    if (!x.is_string()) sweep.fail(x.dump() + " is no value of compression", "names of cases");
    entry.case_name = x.get<std::string>();
  }
  entry.id += "-" + (x.is_string() ? x.get<std::string>() : x.dump());
  entry.scaling->x = x;
  return entry;
}

std::vector<Entry> resolve_sweep(const Entry& entry, const Object& object) {
  if (!object.has("sweep")) return {entry};
  const Object sweep = object.at("sweep");
  sweep.allow_only({"name", "kind", "values"});
  Scaling scaling;
  std::vector<Json> values;
  sweep.need("name", scaling.sweep);
  sweep.need("kind", scaling.kind);
  sweep.need("values", values);
  sweep.one_of("kind", scaling.kind,
               {"ranks-per-gpu", "gpus", "mps", "nodes", "strong", "weak", "nwavestep",
                "nsubbundles", "compression"});
  if (values.empty()) sweep.fail("has no values", "one or more");
  std::vector<Entry> points;
  for (const Json& x : values) {
    Entry point = entry;
    point.scaling = scaling;
    points.push_back(at_point(std::move(point), sweep, x));
  }
  return points;
}

Ceilings read_ceilings(const Object& object) {
  object.allow_only({"flops", "bytes", "source"});
  Ceilings ceilings;
  object.need("flops", ceilings.flops);
  object.need("bytes", ceilings.bytes);
  object.need("source", ceilings.source);
  object.positive("flops", ceilings.flops);
  object.positive("bytes", ceilings.bytes);
  return ceilings;
}

void check_entries(const Plan& plan, const Object& root) {
  std::set<std::string> ids;
  for (const Entry& entry : plan.entries) {
    if (!ids.insert(entry.id).second) root.fail("two entries are " + entry.id, "an id for each");
    root.plain_name("id", entry.id);
    if (std::any_of(plan.entries.begin(), plan.entries.end(),
                    [&](const Entry& other) { return other.group == entry.id; }))
      root.fail("a group and an entry are " + entry.id, "a name for each");
    const auto found = plan.cases.find(entry.case_name);
    if (found == plan.cases.end())
      root.fail(entry.id + " asks for the case " + entry.case_name, "one of 'cases'");
    const auto cameras = static_cast<int>(found->second.camera_list().size());
    const int least = found->second.exposures_in_turn() * cameras;
    if (entry.sustain && entry.sustain->frames.value_or(least) < least)
      root.fail(fmt::format("{} asks for {} frames", entry.id, *entry.sustain->frames),
                fmt::format("{} or more, all of its exposures", least));
    if (entry.frames.value_or(1) > cameras)
      root.fail(fmt::format("{} asks for {} frames", entry.id, *entry.frames),
                fmt::format("at most the {} of {}", cameras, entry.case_name));
    const int bundles = found->second.bundles();
    if (entry.bundles.value_or(1) > bundles)
      root.fail(fmt::format("{} asks for {} bundles", entry.id, *entry.bundles),
                fmt::format("at most the {} of {}", bundles, entry.case_name));
  }
}

// Rule 1: what is not of the tier ci is held to the CPU extractor in every frame.
void check_reference(const Plan& plan, const Object& root) {
  if (!plan.reference) {
    if (plan.tier != "ci")
      root.fail("has no 'reference'", R"({"method": "eigh"} or "cholesky", outside the tier ci)");
    return;
  }
  if (plan.tier != "ci" && !plan.reference->cameras.empty())
    root.fail("reference: has 'cameras'", "none: all frames are held to it outside the tier ci");
  for (const std::string& camera : plan.reference->cameras)
    for (const auto& [name, one] : plan.cases) {
      const std::vector<std::string> cameras = one.camera_list();
      if (std::find(cameras.begin(), cameras.end(), camera) == cameras.end())
        root.fail(fmt::format("reference: the case {} has no camera {}", name, camera),
                  fmt::format("{}", fmt::join(cameras, ", ")));
    }
}

}  // namespace

Plan read_plan(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw usage_error(path, "cannot be read", "a plan, e.g. bench/plans/ci.json");
  return parse_plan({std::istreambuf_iterator<char>(in), {}}, path);
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
  const Object root(json, path, "");
  root.allow_only({"name", "description", "tier", "division", "warmups", "repeats", "until",
                   "tolerance", "time_limit_s", "cases", "reference", "goldens", "gpu_ceilings",
                   "cpu_ceilings", "entries"});
  root.need("name", plan.name);
  root.need("description", plan.description);
  root.need("tier", plan.tier);
  root.get("division", plan.division);
  root.get("warmups", plan.warmups);
  root.get("repeats", plan.repeats);
  root.get("time_limit_s", plan.time_limit_s);
  root.get("tolerance", plan.tolerance);
  root.get("goldens", plan.goldens);
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
  root.positive("time_limit_s", plan.time_limit_s);
  check_tolerance(root, plan.tolerance);
  if (!root.has("cases") || !root.has("entries")) root.fail("has no cases or entries", "both");
  for (const auto& [name, value] : root.at("cases").json().items())
    plan.cases.emplace(name, read_case({value, path, "case " + name}, name));
  if (plan.tier == "ci")
    for (auto& [name, one] : plan.cases) one.seeds = one.seeds.value_or(1);
  if (root.has("reference")) {
    const Object reference = root.at("reference");
    reference.allow_only({"method", "cameras"});
    plan.reference.emplace();
    reference.get("method", plan.reference->method);
    reference.get("cameras", plan.reference->cameras);
    reference.one_of("method", plan.reference->method, {"eigh", "cholesky"});
  }
  if (root.has("gpu_ceilings")) plan.gpu_ceilings = read_ceilings(root.at("gpu_ceilings"));
  if (root.has("cpu_ceilings")) plan.cpu_ceilings = read_ceilings(root.at("cpu_ceilings"));
  int number = 0;
  if (!json.at("entries").is_array()) root.fail("'entries' is no list", "[...]");
  for (const Json& one : json.at("entries")) {
    const Object object(one, path, fmt::format("entry {}", ++number));
    for (Entry& entry : resolve_sweep(read_entry(object, plan), object))
      plan.entries.push_back(std::move(entry));
  }
  if (plan.entries.empty()) root.fail("has no entries", "one or more");
  check_entries(plan, root);
  check_reference(plan, root);
  return plan;
}

}  // namespace spex::bench
