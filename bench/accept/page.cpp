#include "bench/accept/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bench/result/derive.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

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

// The largest difference that a check found, as a part of what the check allows.
double worst_of(const Record& record) {
  double worst = 0;
  const auto look = [&](const std::vector<CheckRecord>& checks) {
    for (const CheckRecord& check : checks)
      if (check.limit && *check.limit > 0 && check.largest && check.bad == 0)
        worst = std::max(worst, *check.largest / *check.limit);
  };
  for (const FrameRecord& frame : record.validation.frames) look(frame.checks);
  look(record.validation.together);
  return worst;
}

std::string row_of(const Record& record, const Derived& derived) {
  const std::optional<Figure>& effective = derived.fom.effective;
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} of {} | {:.2g} | {} |\n", record.entry, record.milestone,
      record.work.frames, effective ? fmt::format("{:.2f}", effective->seconds.median) : "-",
      effective && effective->fpnh ? fmt::format("{:.0f}", effective->fpnh->median) : "-",
      derived.fom.frames_valid, derived.fom.frames_asked, worst_of(record),
      derived.verdict.overall);
}

}  // namespace

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
      "| entry | milestone | frames | seconds (median) | FPNH | frames right | worst error / "
      "tolerance | verdict |\n"
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

}  // namespace spex::bench
