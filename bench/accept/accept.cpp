#include "bench/accept/accept.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "bench/accept/accept_plan.hpp"
#include "bench/accept/acceptance_files.hpp"
#include "bench/accept/judgment.hpp"
#include "bench/accept/target.hpp"
#include "bench/machine/machine.hpp"
#include "bench/machine/memory.hpp"
#include "bench/plan/shipped_files.hpp"
#include "bench/result/result_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

Target ask_for_target(const Target& otherwise, const Plan& plan) {
  if (isatty(STDIN_FILENO) == 0) return otherwise;
  fmt::print("Target: the time of an exposure of 30 frames (15min), or FPNH (20000FPNH)\n[{}]: ",
             otherwise.text);
  std::fflush(stdout);
  std::string line;
  std::getline(std::cin, line);
  return line.empty() ? otherwise : target_of_words(line, plan);
}

Target target_of(const AcceptSettings& settings, const Machine& machine, const Plan& plan) {
  if (settings.target) return target_of_words(*settings.target, plan);
  const std::vector<Peer> peers = read_peers(shipped_folder() + "/bench/peers.json");
  if (settings.against) return target_against(*settings.against, peers, plan);
  return ask_for_target(default_target(machine, peers, plan), plan);
}

fs::path existing_parent(fs::path path) {
  path = fs::absolute(path);
  while (!fs::exists(path)) path = path.parent_path();
  return path;
}

// The files of an interrupted acceptance are used (--resume) or removed.
void check_disk(const std::string& data, double bytes) {
  const double available = free_space(existing_parent(data), bytes_in(data));
  if (available < bytes)
    throw data_error(data, fmt::format("has {:.1f} GB left", available / 1e9),
                     fmt::format("{:.1f} GB, or another folder by --data", bytes / 1e9));
}

Plan plan_of(const AcceptSettings& settings, const Machine& machine) {
  const Plan plan = settings.plan.empty() ? accept_plan(machine, settings.campaign.require_gpu)
                                          : read_plan(plan_file(settings.plan));
  return settings.repeats ? with_repeats(plan, *settings.repeats) : plan;
}

// The plan, the target, and what they cost.
void print_plan(const Plan& plan, const Machine& machine, const Target& target, const Cost& cost,
                const std::string& data) {
  constexpr double minute = 60;
  fmt::print("plan {} on {}: {} GPU(s), {} CPUs\n", plan.name, machine.name, machine.gpus.size(),
             machine.cpus);
  fmt::print("target: {}\n", target.text);
  std::vector<std::string> unjudged;
  for (const Entry& entry : plan.entries)
    if (!target.thresholds.contains(entry.id)) unjudged.push_back(entry.id);
  if (!unjudged.empty()) fmt::print("speeds without a target: {}\n", fmt::join(unjudged, ", "));
  const double minutes = std::max(1.0, cost.seconds / minute), most = cost.max_seconds / minute;
  const std::string if_more =
      most >= minutes + 1 ? fmt::format(" ({:.0f} if the runs' times scatter)", most) : "";
  fmt::print("takes about {:.0f} min{} and {:.1f} GB in {}; nothing else may run on the node\n",
             minutes, if_more, cost.disk_bytes / 1e9, data);
  std::fflush(stdout);
}

}  // namespace

int run_accept(const AcceptSettings& settings, Signals& signals) {
  CampaignSettings campaign = settings.campaign;
  const Nvml nvml;
  const Machine machine = describe_machine(nvml, campaign.system);
  const Plan plan = plan_of(settings, machine);
  if (settings.list) {
    fmt::print("{}", list_plan(plan, campaign, false));
    return status::done;
  }
  const Target target = target_of(settings, machine, plan);
  campaign.thresholds = target.thresholds;
  const Cost cost = estimate(plan, machine, campaign.drawn_seeds);
  print_plan(plan, machine, target, cost, campaign.data);
  check_disk(campaign.data, cost.disk_bytes);
  std::vector<Judgment> judgments;
  if (campaign.resume) judgments = read_judgments(campaign.out);
  const int status = run_campaign(plan, campaign, signals);
  if (Signals::interrupted()) return status;
  std::vector<Record> records;
  for (const Entry& entry : plan.entries)
    records.push_back(read_record(fs::path(campaign.out) / (entry.id + ".json")));
  judgments.push_back(judge_acceptance(records, status, target.text));
  const Judgment& judgment = judgments.back();
  write_acceptance(campaign.out, records, judgments);
  for (const std::string& note : judgment.notes) fmt::print("note: {}\n", note);
  fmt::print("written to {}/acceptance.md, .json, .csv and .xml\n", campaign.out);
  fmt::print("{}\n", last_line(judgment));
  return judgment.exit_status;
}

}  // namespace spex::bench
