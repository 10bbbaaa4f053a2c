#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/campaign/campaign.hpp"
#include "bench/campaign/estimate.hpp"
#include "bench/machine/machine.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

Json entry_json(const Plan& plan, const Entry& entry, const Machine& machine,
                const CampaignSettings& settings) {
  const Case& one = plan.cases.at(entry.case_name);
  const LaunchRecord launch = make_launch(entry, machine, settings.launch, Programs(), {});
  const int frames = entry.frames.value_or(static_cast<int>(one.cameras.size()));
  const int warmups = entry.warmups.value_or(plan.warmups);
  const int repeats = entry.repeats.value_or(plan.repeats);
  return {
      {"entry", entry.id},
      {"group", entry.group},
      {"milestone", to_string(entry.milestone)},
      {"case", entry.case_name},
      {"nodes", launch.nodes},
      {"ranks", launch.ranks},
      {"gpus", entry.gpus * launch.nodes},
      {"frames", frames},
      {"warmups", warmups},
      {"repeats", repeats},
      {"most_repeats", entry.until ? entry.until->most : repeats},
      {"seconds", entry.sustain && entry.sustain->seconds ? Json(*entry.sustain->seconds) : Json()},
      {"disk_gb", disk_bytes(plan, entry, settings.drawn_seeds) / 1e9},
      {"options", entry.options}};
}

}  // namespace

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
  text += fmt::format("  {:<32} {:<16} {:<16} {:>5} {:>5} {:>6} {:>9} {:>8}  {}\n", "entry",
                      "milestone", "case", "ranks", "GPUs", "frames", "runs", "disk GB",
                      "group, options");
  for (const Json& one : entries) {
    const auto number = [&](const char* key) { return one.at(key).get<int>(); };
    std::string runs = fmt::format("{}+{}", number("warmups"), number("repeats"));
    if (number("most_repeats") > number("repeats"))
      runs += fmt::format("..{}", number("most_repeats"));
    text += fmt::format(
        "  {:<32} {:<16} {:<16} {:>5} {:>5} {:>6} {:>9} {:>8.1f}  {}{}\n",
        one.at("entry").get<std::string>(), one.at("milestone").get<std::string>(),
        one.at("case").get<std::string>(), number("ranks"), number("gpus"), number("frames"), runs,
        one.at("disk_gb").get<double>(), one.at("group").get<std::string>(),
        fmt::format(" {}", fmt::join(one.at("options").get<std::vector<std::string>>(), " ")));
  }
  return text;
}

}  // namespace spex::bench
