#include "bench/accept/accept_plan.hpp"

#include <fmt/format.h>

#include "bench/plan/read_json.hpp"
#include "bench/plan/shipped_files.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Core-seconds of an exposure by spex-cpu with --method cholesky (docs/performance.md).
constexpr double exposure_core_s = 300, longest_exposure_s = 600;
// Seconds of a run of one GPU of several.
constexpr double alone_s = 60;
// Distinct exposures of the long run, besides one a GPU. With fewer, their frames end while the
// GPUs start, and seem slower than repeated ones: on four H200s by 35% with two exposures in all,
// by 8% with four.
constexpr std::size_t more_exposures = 2;

}  // namespace

Plan accept_plan(const Machine& machine, bool require_gpu) {
  const auto gpus = machine.gpus.size();
  if (gpus == 0 && !require_gpu) {
    const bool whole = exposure_core_s / machine.cpus < longest_exposure_s;
    return read_plan(plan_file(whole ? "accept-cpu" : "accept-cpu-quick"));
  }
  const std::string path = plan_file("accept-gpu");
  if (gpus <= 1) return read_plan(path);
  Json json = parse_written(read_plan(path).text, path);
  Json alone = Json::array();
  for (Json& entry : json.at("entries")) {
    entry["gpus"] = gpus;
    if (!entry.contains("sustain")) continue;
    json.at("cases").at(entry.at("case").get<std::string>())["seeds"] = gpus + more_exposures;
    for (std::size_t k = 0; k < gpus; ++k) {
      Json one = entry;
      one["id"] = fmt::format("gpu-{}", k);
      one["group"] = alone_group;
      one["gpus"] = 1;
      one["first_gpu"] = k;
      one["sustain"]["seconds"] = alone_s;
      alone.push_back(one);
    }
  }
  json.at("entries").insert(json.at("entries").end(), alone.begin(), alone.end());
  return parse_plan(json.dump(2) + "\n", path);
}

Plan with_repeats(const Plan& plan, int repeats) {
  Plan changed = plan;
  for (Entry& entry : changed.entries) {
    if (entry.sustain) continue;
    entry.repeats = repeats;
    entry.until.reset();
  }
  return changed;
}

}  // namespace spex::bench
