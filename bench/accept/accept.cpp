#include "bench/accept/accept.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bench/machine/machine.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/result_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Target {
  std::string text;  // readable: "30 frames within 900 s, from launch to exit"
  Threshold threshold;
};

// DESI takes an exposure of 30 frames every 15 minutes.
constexpr const char* default_target = "15min";

constexpr const char* expected = "a time such as 15min or 900s, or FPNH such as 20000";

Target fpnh_target(double fpnh, const std::string& from) {
  Target target;
  target.threshold.fpnh_effective = fpnh;
  target.text =
      fmt::format("{:.0f} frames per node-hour{}, from launch to exit; {:g}% less is allowed", fpnh,
                  from, 100 * target.threshold.margin);
  return target;
}

// A target: the time of an exposure of 30 frames ("15min", "900s", "0.25h"), or frames per
// node-hour ("20000"). Times are from launch to exit.
Target parse_target(const std::string& text) {
  const std::map<std::string, double> units{{"s", 1}, {"min", 60}, {"h", 3600}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size() - end);
  const bool is_time = units.contains(unit);
  if (error != std::errc() || !(number > 0) || !(is_time || unit.empty() || unit == "FPNH"))
    throw usage_error("--target", text, expected);
  if (!is_time) return fpnh_target(number, "");
  Target target;
  target.threshold.seconds_effective = number * units.at(unit);
  target.text = fmt::format("an exposure of 30 frames within {:g} s, from launch to exit",
                            *target.threshold.seconds_effective);
  return target;
}

// The effective FPNH of an earlier result.
Target target_of_result(const std::string& path) {
  const std::optional<Figure> effective = derive(read_record(path)).fom.effective;
  if (!effective || !effective->fpnh)
    throw usage_error("--against", path + " has no FPNH", "a result of spex-bench with FPNH");
  return fpnh_target(effective->fpnh->median, " as in " + path);
}

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

// The shipped plan for this machine; its entries use all GPUs.
Plan plan_for(const Machine& machine, bool require_gpu) {
  const auto gpus = machine.gpus.size();
  const std::string path = plan_file(gpus == 0 && !require_gpu ? "accept-cpu" : "accept-gpu");
  if (gpus <= 1) return read_plan(path);
  Json json = parse_written(read_plan(path).text, path);
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

std::string word_of(const Json& json, const char* name) {
  const Json found = json.value(name, Json());
  return found.is_string() ? printable(found.get<std::string>()) : "unknown";
}

std::string machine_text(const Record& record) {
  const Json gpus = record.system.value("gpus", Json::array());
  const std::string gpu =
      gpus.empty() ? "no GPU" : fmt::format("{} x {}", gpus.size(), word_of(gpus.front(), "name"));
  return fmt::format("{}, {} CPUs of {}, {}", word_of(record.system, "name"),
                     record.system.value("cpus", 0), word_of(record.system, "cpu"), gpu);
}

// The largest difference from the reference flux in units of its error. It does not decide whether
// a frame is wrong: bins next to dark bins have a wider tolerance.
double largest_flux_pull(const Record& record) {
  double largest = 0;
  for (const FrameRecord& frame : record.validation.frames)
    for (const CheckRecord& check : frame.checks)
      if (check.what == "flux pull") largest = std::max(largest, check.largest.value_or(0));
  return largest;
}

std::string row_of(const Record& record, const Derived& derived) {
  const std::optional<Figure>& effective = derived.fom.effective;
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} of {} | {:.2g} | {} |\n", record.entry, record.milestone,
      record.work.frames, effective ? fmt::format("{:.2f}", effective->seconds.median) : "-",
      effective && effective->fpnh ? fmt::format("{:.0f}", effective->fpnh->median) : "-",
      derived.fom.frames_valid, derived.fom.frames_asked, largest_flux_pull(record),
      derived.verdict.overall);
}

// The page in Markdown: verdict, target, machine, speed, correctness of the frames, reasons of a
// REJECT, unusual observations, and how to rerun the plan.
std::string acceptance_page(const std::vector<Record>& records, const Target& target, int status) {
  const Record& first = records.front();
  std::string page = fmt::format(
      "# {}: {}\n\n"
      "- Target: {}.\n"
      "- Machine: {}.\n"
      "- Program: spexbench {}, commit {}.\n"
      "- Plan: {}, {}; files in {} ({}).\n\n",
      status == status::done ? "ACCEPT" : "REJECT", word_of(first.system, "name"), target.text,
      machine_text(first), word_of(first.build, "version"), word_of(first.build, "commit"),
      first.plan.name, first.start_utc, first.inputs.storage, first.inputs.page_cache);
  page +=
      "| entry | milestone | frames | seconds (median) | FPNH | frames right | "
      "largest difference in flux (σ) | verdict |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  std::string remarks;
  for (const Record& record : records) {
    const Derived derived = derive(record);
    page += row_of(record, derived);
    for (const std::string& reason : derived.verdict.reasons)
      remarks += fmt::format("- {}: {}\n", record.entry, printable(reason));
    for (const std::string& unusual : derived.unusual)
      remarks += fmt::format("- {}, unusual: {}\n", record.entry, printable(unusual));
  }
  page +=
      "\nSeconds run from launch to exit. Every frame of every run was compared with the CPU "
      "reference of the same input and with the simulated truth.\n";
  if (!remarks.empty()) page += "\n## Remarks\n\n" + remarks;
  page +=
      "\n## Run the plan again\n\n"
      "    spex-bench submit OUT --archive result.tar.gz\n"
      "    spex-bench rerun result.tar.gz --source CLONE --out again\n";
  return page;
}

}  // namespace

int run_accept(const AcceptSettings& settings, Signals& signals) {
  CampaignSettings campaign = settings.campaign;
  const Nvml nvml;
  const Machine machine = describe_machine(nvml, campaign.system);
  const Plan plan = settings.plan.empty() ? plan_for(machine, campaign.require_gpu)
                                          : read_plan(plan_file(settings.plan));
  const Target target = target_of(settings);
  for (const Entry& entry : plan.entries) campaign.thresholds[entry.id] = target.threshold;
  const Cost cost = estimate(plan, machine, campaign.drawn_seeds);
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
