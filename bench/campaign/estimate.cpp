#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/campaign/campaign.hpp"
#include "bench/machine/machine.hpp"
#include "reference/core/error.hpp"
#include "reference/model/milestones.hpp"
#include "reference/model/options.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// Bytes of a frame of size full: image and PSF; extracted frame.
constexpr double input_bytes = 217e6, output_bytes = 83e6;
// Core-seconds per frame of size full: simulation, zlib's level 9; reference frame and comparison.
constexpr double simulate_s = 6, gzip_s = 10, reference_s = 14, reference_eigh_s = 150;
// Seconds from the launch of a run to its first frame.
constexpr double launch_s = 2;

// Core-seconds per frame of size full on the CPU, or seconds of one GPU.
double frame_seconds(const Entry& entry) {
  static const std::map<Milestone, double> seconds{
      {Milestone::scalar, 1600},        {Milestone::baseline, 300},  {Milestone::cpu_refactor, 260},
      {Milestone::multi_gpu, 34},       {Milestone::batch_eigh, 22}, {Milestone::interleave_io, 18},
      {Milestone::batch_subbundle, 18}, {Milestone::batch_syev, 4},  {Milestone::band, 0.3},
      {Milestone::direct, 0.24},        {Milestone::pipeline, 0.06}};
  constexpr double cholesky_s = 10;
  const bool cholesky = !entry.on_gpu() && entry.extract->method == Method::cholesky;
  return cholesky ? cholesky_s : seconds.at(entry.milestone);
}

double fraction_of_full(const std::string& size) {
  constexpr double bundle = 0.06, tiny = 0.006;
  return size == "full" ? 1 : size == "bundle" ? bundle : tiny;
}

// Bytes of the inputs of an exposure at size full.
double input_bytes_of(const Case& plan_case) {
  constexpr double compressed_fraction = 0.87;
  const double compressed = plan_case.compress == "none" ? 1 : compressed_fraction;
  return compressed * input_bytes * static_cast<double>(plan_case.cameras.size());
}

// An entry's runs, the exposures made for them, the frames of a run and of an exposure.
struct Work {
  int warmups = 0, repeats = 0, exposures = 0, frames = 0, frames_per_exposure = 0;

  [[nodiscard]] int runs() const { return warmups + repeats; }
};

// The most timed runs that an entry makes if their times scatter.
int max_repeats_of(const Plan& plan, const Entry& entry) {
  return entry.until ? entry.until->max_runs : entry.repeats.value_or(plan.repeats);
}

Work work_of(const Plan& plan, const Entry& entry, std::optional<int> repeats = {}) {
  const Case& plan_case = plan.cases.at(entry.case_name);
  const auto cameras = static_cast<int>(plan_case.cameras.size());
  Work work;
  work.warmups = entry.warmups.value_or(plan.warmups);
  work.repeats = repeats.value_or(entry.repeats.value_or(plan.repeats));
  work.exposures = entry.sustain ? plan_case.distinct_exposures() + 1
                                 : std::min(work.runs(), plan_case.seeds.value_or(work.runs()));
  work.frames = entry.frames.value_or(cameras);
  work.frames_per_exposure = std::min(work.frames, cameras);
  return work;
}

double seconds_of(const Plan& plan, const Entry& entry, const Machine& machine, const Work& work) {
  const Case& plan_case = plan.cases.at(entry.case_name);
  const double fraction = fraction_of_full(plan_case.size), cores = std::max(1, machine.cpus);
  // Core-seconds of the references of an exposure, and of those that the first run alone has.
  const bool eigh = plan.reference && plan.reference->method == "eigh";
  const double references_s = (eigh ? reference_eigh_s : reference_s) * work.frames_per_exposure;
  const double once_s =
      plan.reference ? reference_eigh_s * static_cast<double>(plan.reference->by_eigh.size()) : 0;
  const double image_s = simulate_s + (plan_case.compress == "gz" ? gzip_s : 0);
  const double preparation =
      fraction *
      (work.exposures * (image_s * static_cast<double>(plan_case.cameras.size()) + references_s) +
       once_s) /
      cores;
  const double workers = entry.nodes.value_or(1) * (entry.on_gpu() ? entry.gpus : cores);
  const double run = entry.sustain && entry.sustain->seconds
                         ? *entry.sustain->seconds
                         : launch_s + work.frames * fraction * frame_seconds(entry) / workers;
  return preparation + work.runs() * run;
}

// The disk that an entry needs in bytes: inputs and frames, and the reference frames of one run.
// The inputs of a long run, and those of `seeds`, are there at once; of other runs those of two,
// because a run's files are removed when it is compared, and it is compared before the disk is
// full.
double disk_bytes(const Plan& plan, const Entry& entry, bool drawn_seeds) {
  const Case& plan_case = plan.cases.at(entry.case_name);
  const Work work = work_of(plan, entry);
  constexpr int runs_at_once = 2;
  const double fraction = fraction_of_full(plan_case.size);
  const bool shared = entry.sustain || plan_case.seeds || !drawn_seeds;
  const int exposures = shared ? work.exposures : std::min(runs_at_once, work.exposures);
  const int kept = drawn_seeds ? 1 : work.exposures;
  // Frames of repeated inputs are removed when a run ends.
  const bool comes_again = work.frames > work.frames_per_exposure;
  const int outputs =
      entry.sustain || comes_again ? work.exposures : std::min(runs_at_once, work.runs());
  const int frames = work.frames_per_exposure * (outputs + kept) + (comes_again ? work.frames : 0);
  return fraction * (output_bytes * frames + input_bytes_of(plan_case) * exposures);
}

// Why the entry would be skipped here; null if it would not.
Json skipped_because(const Entry& entry, const Machine& machine, int nodes) {
  if (const int needed = entry.nodes.value_or(nodes); needed > machine.nodes_allocated)
    return fmt::format("{} node(s) of {}", machine.nodes_allocated, needed);
  const auto gpus = static_cast<int>(machine.gpus.size());
  if (entry.last_gpu() > gpus) return fmt::format("{} GPU(s) of {}", gpus, entry.last_gpu());
  return {};
}

Json entry_json(const Plan& plan, const Entry& entry, const Machine& machine,
                const CampaignSettings& settings) {
  const LaunchRecord launch = make_launch(entry, machine, settings.launch, Programs(), {});
  const Work work = work_of(plan, entry);
  return {
      {"entry", entry.id},
      {"group", entry.group},
      {"milestone", to_string(entry.milestone)},
      {"case", entry.case_name},
      {"nodes", launch.nodes},
      {"ranks", launch.ranks},
      {"threads", json_of(launch.threads_per_rank)},
      {"gpus", entry.gpus * launch.nodes},
      {"frames", work.frames},
      {"warmups", work.warmups},
      {"repeats", work.repeats},
      {"max_repeats", max_repeats_of(plan, entry)},
      {"seconds", entry.sustain && entry.sustain->seconds ? Json(*entry.sustain->seconds) : Json()},
      {"disk_gb", disk_bytes(plan, entry, settings.drawn_seeds) / 1e9},
      {"options", entry.options},
      {"run_options", entry.run_options},
      {"skipped", skipped_because(entry, machine, settings.launch.nodes)}};
}

}  // namespace

double bytes_of_run(const Plan& plan, const Entry& entry) {
  const Case& plan_case = plan.cases.at(entry.case_name);
  const Work work = work_of(plan, entry);
  // Its inputs, its frames, and their references.
  return fraction_of_full(plan_case.size) *
         (input_bytes_of(plan_case) + output_bytes * (work.frames + work.frames_per_exposure));
}

Cost estimate(const Plan& plan, const Machine& machine, bool drawn_seeds) {
  Cost cost;
  for (const Entry& entry : plan.entries) {
    if (skipped_because(entry, machine, 1).is_string()) continue;
    cost.seconds += seconds_of(plan, entry, machine, work_of(plan, entry));
    cost.max_seconds +=
        seconds_of(plan, entry, machine, work_of(plan, entry, max_repeats_of(plan, entry)));
    cost.disk_bytes = std::max(cost.disk_bytes, disk_bytes(plan, entry, drawn_seeds));
  }
  return cost;
}

std::string list_plan(const Plan& plan, const CampaignSettings& settings, bool json) {
  const Nvml nvml;
  const Machine machine = describe_machine(nvml, settings.system);
  Json entries = Json::array();
  for (const Entry& entry : plan.entries)
    entries.push_back(entry_json(plan, entry, machine, settings));
  const Cost cost = estimate(plan, machine, settings.drawn_seeds);
  if (json)
    return Json{{"plan", plan.name},
                {"tier", plan.tier},
                {"about_seconds", std::round(cost.seconds)},
                {"disk_gb", cost.disk_bytes / 1e9},
                {"entries", entries}}
               .dump(1) +
           "\n";
  constexpr double minute = 60;
  std::string text = fmt::format("{}: {}\nabout {:.0f} min and {:.1f} GB on this machine\n",
                                 plan.name, printable(plan.description),
                                 std::ceil(cost.seconds / minute), cost.disk_bytes / 1e9);
  text += fmt::format("  {:<32} {:<16} {:<16} {:>5} {:>5} {:>5} {:>6} {:>9} {:>8}  {}\n", "entry",
                      "milestone", "case", "nodes", "ranks", "GPUs", "frames", "runs", "disk GB",
                      "group, options, options of the run; ranks and GPUs are those of all nodes");
  for (const Json& entry : entries) {
    const auto number = [&](const char* key) { return entry.at(key).get<int>(); };
    std::string runs = fmt::format("{}+{}", number("warmups"), number("repeats"));
    if (number("max_repeats") > number("repeats"))
      runs += fmt::format("..{}", number("max_repeats"));
    std::vector<std::string> words{entry.at("group").get<std::string>()};
    for (const char* key : {"options", "run_options"})
      for (const Json& word : entry.at(key)) words.push_back(word.get<std::string>());
    if (words.front().empty()) words.erase(words.begin());
    if (entry.at("threads").is_number() &&
        number("threads") * number("ranks") > machine.cpus * number("nodes"))
      words.emplace_back("more threads than CPUs");
    if (entry.at("skipped").is_string())
      words.push_back("SKIPPED: " + entry.at("skipped").get<std::string>());
    text += fmt::format(
        "  {:<32} {:<16} {:<16} {:>5} {:>5} {:>5} {:>6} {:>9} {:>8.1f}  {}\n",
        entry.at("entry").get<std::string>(), entry.at("milestone").get<std::string>(),
        entry.at("case").get<std::string>(), number("nodes"), number("ranks"), number("gpus"),
        number("frames"), runs, entry.at("disk_gb").get<double>(), fmt::join(words, " "));
  }
  return text;
}

}  // namespace spex::bench
