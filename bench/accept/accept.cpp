#include "bench/accept/accept.hpp"

#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bench/accept/page.hpp"
#include "bench/accept/target.hpp"
#include "bench/campaign/estimate.hpp"
#include "bench/machine/machine.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/plan/shipped_files.hpp"
#include "bench/result/result_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/fits/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

Target ask_for_target() {
  if (isatty(STDIN_FILENO) == 0) return parse_target(default_target);
  fmt::print("Target: the time of an exposure of 30 frames, or FPNH [{}]: ", default_target);
  std::fflush(stdout);
  std::string line;
  std::getline(std::cin, line);
  return parse_target(line.empty() ? default_target : line);
}

Target target_of(const AcceptSettings& settings) {
  if (settings.against) return target_of_result(*settings.against);
  return settings.target ? parse_target(*settings.target) : ask_for_target();
}

// The shipped plan for the GPUs that are there; its entries use all of them.
Plan plan_for(const Machine& machine) {
  const auto gpus = machine.gpus.size();
  const std::string path = plan_file(gpus == 0 ? "accept-cpu" : "accept-gpu");
  if (gpus <= 1) return read_plan(path);
  nlohmann::ordered_json json = parse_written(read_written(path, "a plan"), path);
  for (auto& entry : json.at("entries")) entry["gpus"] = gpus;
  return parse_plan(json.dump(2) + "\n", path);
}

fs::path existing_parent(fs::path path) {
  path = fs::absolute(path);
  while (!fs::exists(path)) path = path.parent_path();
  return path;
}

void check_disk(const std::string& data, double bytes) {
  const auto available = static_cast<double>(fs::space(existing_parent(data)).available);
  if (available < bytes)
    throw data_error(data, fmt::format("has {:.1f} GB left", available / 1e9),
                     fmt::format("{:.1f} GB, or another folder by --data", bytes / 1e9));
}

}  // namespace

int run_accept(const AcceptSettings& settings, Signals& signals) {
  CampaignSettings campaign = settings.campaign;
  const Nvml nvml;
  const Machine machine = describe_machine(nvml, campaign.system);
  const Plan plan = settings.plan.empty() ? plan_for(machine) : read_plan(plan_file(settings.plan));
  const Target target = target_of(settings);
  campaign.thresholds.emplace();
  for (const Entry& entry : plan.entries) campaign.thresholds->entries[entry.id] = target.threshold;
  const Cost cost = estimate(plan, machine, campaign.seeds);
  constexpr double minute = 60;
  fmt::print("plan {} on {}: {} GPU(s), {} CPUs\n", plan.name, machine.name, machine.gpus.size(),
             machine.cpus);
  fmt::print("target: {}\n", target.text);
  fmt::print("takes about {:.0f} min and {:.1f} GB in {}\n", std::max(1.0, cost.seconds / minute),
             cost.disk_bytes / 1e9, campaign.data);
  std::fflush(stdout);
  check_disk(campaign.data, cost.disk_bytes);
  const int status = run_campaign(plan, campaign, signals);
  if (Signals::interrupted()) return status;
  std::vector<Record> records;
  for (const Entry& entry : plan.entries)
    records.push_back(read_record(fs::path(campaign.out) / (entry.id + ".json")));
  const std::string page = fs::path(campaign.out) / "acceptance.md";
  atomic_write(page, acceptance_page(records, target, status));
  fmt::print("{}: {} (written to {})\n", status == status::done ? "ACCEPT" : "REJECT", target.text,
             page);
  return status;
}

}  // namespace spex::bench
