#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "bench/plan/plan_object.hpp"
#include "reference/core/parallel.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Sets the total number of ranks. On GPUs, the entry uses at most its GPUs, with the same number of
// ranks on each.
void set_ranks(Entry& entry, int ranks, const PlanObject& sweep) {
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
Entry at_point(Entry entry, const PlanObject& sweep, const Json& x) {
  const std::string& kind = entry.scaling->kind;
  const auto number = [&] {
    constexpr double max_value = 1e6;
    if (!x.is_number_integer() || x.get<double>() < 1 || x.get<double>() > max_value)
      sweep.fail(fmt::format("{} is not a value of {}", x.dump(), kind),
                 "whole numbers from 1 to a million");
    return x.get<int>();
  };
  if (kind == "ranks-per-gpu") {
    entry.ranks_per_gpu = number();
    // A single rank has the GPU to itself; several ranks need MPS.
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
  } else if (kind == "weak-frames") {
    set_ranks(entry, number(), sweep);
    entry.frames = entry.frames.value_or(1) * number();
  } else if (kind == "weak-nodes") {
    if (!entry.frames) sweep.fail("weak-nodes without 'frames'", "frames of one node");
    entry.nodes = number();
    entry.frames = *entry.frames * number();
  } else if (kind == "mps") {
    if (!entry.on_gpu() || (x != "on" && x != "off"))
      sweep.fail(x.dump() + " is not a value of mps", "on or off, of an entry with 'gpus'");
    entry.mps = x == "on";
  } else if (kind == "threads") {
    entry.threads = number();
  } else if (kind == "extractors") {
    entry.run_options.insert(entry.run_options.end(), {"--extractors", std::to_string(number())});
  } else if (kind == "nwavestep" || kind == "nsubbundles") {
    entry.options.push_back("--" + kind);
    entry.options.push_back(std::to_string(number()));
  } else if (kind == "compression") {
    if (!x.is_string()) sweep.fail(x.dump() + " is not a value of compression", "names of cases");
    entry.case_name = x.get<std::string>();
  }
  entry.id += "-" + (x.is_string() ? x.get<std::string>() : x.dump());
  entry.scaling->x = x;
  return entry;
}

}  // namespace

bool choose_values(Json& plan) {
  bool any = false;
  if (!plan.contains("entries") || !plan["entries"].is_array()) return any;
  for (Json& entry : plan["entries"]) {
    if (!entry.is_object() || !entry.contains("sweep") || !entry["sweep"].is_object() ||
        entry["sweep"].value("values", Json()) != "cpus")
      continue;
    Json values = Json::array();
    const int cpus = default_threads();
    for (int n = 1; n < cpus; n *= 2) values.push_back(n);
    values.push_back(cpus);
    entry["sweep"]["values"] = values;
    any = true;
  }
  return any;
}

std::vector<Entry> resolve_sweep(const Entry& entry, const PlanObject& object) {
  if (!object.has("sweep")) return {entry};
  const PlanObject sweep = object.at("sweep");
  Scaling scaling;
  std::vector<Json> values;
  sweep.require({"name", "kind", "values"});
  sweep.get("name", scaling.sweep);
  sweep.plain_name("name", scaling.sweep);
  sweep.get("kind", scaling.kind, sweep_kinds);
  sweep.get("values", values);
  sweep.no_others();
  if (values.empty()) sweep.fail("has no values", "one or more");
  std::vector<Entry> points;
  for (const Json& x : values) {
    Entry point = entry;
    point.scaling = scaling;
    point.sweep_id = entry.id;
    points.push_back(at_point(std::move(point), sweep, x));
  }
  return points;
}

}  // namespace spex::bench
