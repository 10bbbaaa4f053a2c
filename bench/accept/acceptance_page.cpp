#include "bench/accept/acceptance_page.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/result/derive.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

// A member as text: words as they are, lists by comma; "unknown" for null.
std::string text_of(const Json& json, const char* name) {
  const Json found = json.is_object() ? json.value(name, Json()) : Json();
  if (found.is_null()) return "unknown";
  if (found.is_string()) return printable(found.get<std::string>());
  if (found.is_boolean()) return found.get<bool>() ? "yes" : "no";
  if (!found.is_array()) return found.dump();
  std::vector<std::string> words;
  for (const Json& one : found)
    words.push_back(printable(one.is_string() ? one.get<std::string>() : one.dump()));
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

std::string gpus_text(const Record& record) {
  const SystemRecord& system = record.system;
  if (system.gpus.empty()) return "none";
  return fmt::format("{} x {}, driver {}", system.gpus.size(), printable(system.gpus.front().name),
                     printable(system.driver.value_or("unknown")));
}

// The system and the build, which spex-bench found by itself.
std::string facts_text(const Record& record) {
  const Json system = json_of(record.system), build = json_of(record.build);
  const Json& facts = system.at("facts");
  const auto fact = [&](const char* name) { return text_of(facts, name); };
  std::string text = "\n## System\n\n";
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("- {}: {}\n", what, value);
  };
  line("Hosts", text_of(system, "hosts"));
  line("CPUs", fmt::format("{} of {}; sockets {}, cores {}, threads a core {}, NUMA domains {}",
                           record.system.cpus, text_of(system, "cpu"), fact("sockets"),
                           fact("cores"), fact("threads_per_core"), fact("numa_nodes")));
  line("Clock",
       fmt::format("highest {} MHz, governor {}, boost {}, microcode {}", fact("clock_max_mhz"),
                   fact("governor"), fact("boost"), fact("microcode")));
  constexpr double gigabyte = 1e9;
  line("Memory", fmt::format("{:.0f} GB; transparent huge pages {}",
                             record.system.memory_bytes / gigabyte, fact("huge_pages")));
  line("GPUs", gpus_text(record));
  line("Software", fmt::format("{}, kernel {}, container {}, virtual machine {}, modules {}",
                               text_of(system, "os"), text_of(system, "kernel"),
                               fact("container") == "unknown" ? "none" : fact("container"),
                               fact("virtual_machine"), fact("modules")));
  line("Build",
       fmt::format("spexbench {}, commit {}{}; {}; {}; {}; {}", text_of(build, "version"),
                   text_of(build, "commit"), record.build.dirty == true ? " with changes" : "",
                   text_of(build, "compiler"), text_of(build, "mpi"), text_of(build, "blas"),
                   text_of(build, "cuda")));
  line("Files", fmt::format("{}; {}", record.inputs.storage, record.inputs.page_cache));
  line("Energy", fact("energy"));
  return text;
}

std::string speeds_table(const Judgment& judgment) {
  if (judgment.speeds.empty()) return {};
  std::string text =
      "\n| entry | judged | unit | median | interval | runs or parts | limit | times as fast as "
      "required | verdict |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? readable(*value) : "-";
  };
  for (const AcceptedSpeed& speed : judgment.speeds)
    text += fmt::format("| {} | {} | {} | {} | {} to {} ({:.0f}%) | {} | {} | {} | {} |\n",
                        speed.entry, speed.what, speed.unit, number(speed.measured),
                        number(speed.low), number(speed.high), 100 * speed.coverage.value_or(0),
                        speed.runs, readable(speed.limit), number(speed.ratio), speed.verdict);
  return text;
}

// "cholesky; in the first run eigh of r0".
std::string reference_text(const Record& record) {
  std::map<std::string, std::vector<std::string>> cameras;
  for (const FrameRecord& frame : record.validation.frames)
    if (frame.method) cameras[*frame.method].push_back(frame.camera);
  if (cameras.empty()) return "-";
  if (cameras.size() == 1) return cameras.begin()->first;
  return fmt::format("cholesky; in the first run eigh of {}", fmt::join(cameras["eigh"], ", "));
}

std::string entries_table(const std::vector<Record>& records) {
  std::string text =
      "\n| entry | milestone | frames a run | frames compared | wrong | reference | largest "
      "difference in flux (σ) | J a frame, GPUs | J a frame, node | verdict |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const auto joules = [](const std::optional<double>& value) {
    return value ? readable(*value) : "-";
  };
  for (const Record& record : records) {
    const Derived derived = derive(record);
    const auto& frames = record.validation.frames;
    const auto wrong = std::count_if(frames.begin(), frames.end(),
                                     [](const FrameRecord& frame) { return frame.failure; });
    text += fmt::format("| {} | {} | {}{} | {} | {} | {} | {:.2g} | {} | {} | {} |\n", record.entry,
                        record.milestone, record.work.frames,
                        record.work.scaled_to ? fmt::format(" for {}", *record.work.scaled_to) : "",
                        frames_compared(record), wrong, reference_text(record),
                        largest_flux_pull(record), joules(derived.energy.joules_per_frame),
                        joules(derived.energy.node_joules_per_frame), derived.verdict.overall);
  }
  return text +
         "\nSeconds run from launch to exit. Every frame of every run was compared with the CPU "
         "reference of the same input and with the simulated truth; frames of repeated inputs have "
         "the same bytes.\n";
}

std::string list_of(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("\n## {}\n\n", title);
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text;
}

std::string samples_text(const std::vector<Record>& records) {
  std::string text = "\n## Runs\n\nSeconds from launch to exit, in order.\n\n";
  for (const Record& record : records) {
    std::vector<std::string> runs;
    for (const Sample& sample : record.timing.samples) {
      std::string run = fmt::format("{:.2f}", sample.effective_s);
      if (sample.warmup) run += " (warm-up)";
      if (sample.failure) run += " (failed)";
      if (sample.throttled) run += " (throttled, does not count)";
      if (sample.disturbed) run += " (disturbed, does not count)";
      runs.push_back(run);
    }
    text += fmt::format("- {}: {}\n", record.entry, fmt::join(runs, ", "));
  }
  return text;
}

std::vector<std::string> unusual_of_all(const std::vector<Record>& records) {
  std::vector<std::string> lines;
  for (const Record& record : records) {
    for (const std::string& unusual : derive(record).unusual)
      lines.push_back(record.entry + ": " + printable(unusual));
    for (const std::string& why : derive(record).fom.incomplete_because)
      lines.push_back(fmt::format("{}: not a complete result: {}", record.entry, printable(why)));
  }
  return lines;
}

}  // namespace

std::int64_t frames_compared(const Record& record) {
  std::int64_t compared = 0;
  for (const FrameRecord& frame : record.validation.frames) compared += frame.compared;
  return compared;
}

double largest_flux_pull(const Record& record) {
  double largest = 0;
  for (const FrameRecord& frame : record.validation.frames)
    for (const CheckRecord& check : frame.checks)
      if (check.what == "flux pull") largest = std::max(largest, check.largest.value_or(0));
  return largest;
}

std::string acceptance_page(const std::vector<Record>& records,
                            const std::vector<Judgment>& judgments) {
  const Record& first = records.front();
  const Judgment& judgment = judgments.back();
  std::string page = fmt::format(
      "# {}: {}\n\n{}.\n\n"
      "- Target: {}.\n"
      "- Plan: {}, {} to {}; judged {}.\n",
      judgment.word, printable(first.system.name), last_line(judgment), judgment.target,
      first.plan.name, first.start_utc, records.back().end_utc, judgment.utc);
  for (std::size_t k = 0; k + 1 < judgments.size(); ++k)
    page += fmt::format("- Judged before, {}: {}. Target: {}.\n", judgments[k].utc,
                        last_line(judgments[k]), judgments[k].target);
  page += speeds_table(judgment);
  page += entries_table(records);
  page += list_of("Reasons", judgment.reasons);
  page += list_of("Notes", judgment.notes);
  page += list_of("Unusual", unusual_of_all(records));
  page += samples_text(records);
  page += facts_text(first);
  page +=
      "\n## Again\n\n"
      "    spex-bench accept --resume --out OUT ...       # judges the same runs; the trace stays\n"
      "    spex-bench submit OUT --archive result.tar.gz\n"
      "    spex-bench rerun result.tar.gz --source CLONE --out again\n";
  return page;
}

}  // namespace spex::bench
