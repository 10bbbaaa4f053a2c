#include "bench/accept/acceptance_files.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/accept/acceptance_page.hpp"
#include "bench/plan/json_schema.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/derive.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json schema() {
  return {{"name", "spexbench-acceptance"}, {"major", 1}, {"minor", 0}};
}

// An entry's figures.
struct AcceptedEntry {
  std::string entry, milestone;
  int frames = 0;
  std::optional<int> scaled_to;
  int nodes = 0, gpus = 0, ranks = 0;
  std::optional<Statistic> seconds, fpnh, fpnh_soak;
  std::optional<double> joules_per_frame, node_joules_per_frame;
  std::int64_t frames_compared = 0;
  double largest_flux_pull = 0;
  bool complete = false;
  std::vector<std::string> incomplete_because, unusual;
  Verdict verdict;
  SPEX_ROWS((entry), (milestone), (frames, "of a run"), (scaled_to, "frames that these stand for"),
            (nodes), (gpus), (ranks), (seconds, "from launch to exit"), (fpnh),
            (fpnh_soak, "of a long run, over all frames"), (joules_per_frame, "of the GPUs"),
            (node_joules_per_frame, "by the node's energy counter"),
            (frames_compared, "with a reference and the truth, over all runs"),
            (largest_flux_pull, "difference from the reference, in units of its error"), (complete),
            (incomplete_because), (unusual), (verdict))
};

// What acceptance.json holds beside `schema`.
struct Acceptance {
  std::vector<Judgment> judgments;
  PlanName plan;
  std::string start_utc, end_utc;
  std::vector<AcceptedEntry> entries;
  InputsRecord inputs;
  SystemRecord system;
  BuildRecord build;
  SPEX_ROWS((judgments, "of the same runs, oldest first; the last one counts", Minimum{1}), (plan),
            (start_utc, utc_form), (end_utc, utc_form), (entries, Minimum{1}), (inputs), (system),
            (build))
};

AcceptedEntry accepted_entry(const Record& record) {
  const Derived derived = derive(record);
  const auto& effective = derived.fom.effective;
  AcceptedEntry entry;
  entry.entry = record.entry;
  entry.milestone = record.milestone;
  entry.frames = record.work.frames;
  entry.scaled_to = record.work.scaled_to;
  entry.nodes = record.launch.nodes;
  entry.gpus = derived.fom.gpus;
  entry.ranks = record.launch.ranks;
  if (effective) {
    entry.seconds = effective->seconds;
    entry.fpnh = effective->fpnh;
  }
  entry.fpnh_soak = soak_fpnh_to_judge(record);
  entry.joules_per_frame = derived.energy.joules_per_frame;
  entry.node_joules_per_frame = derived.energy.node_joules_per_frame;
  entry.frames_compared = frames_compared(record);
  entry.largest_flux_pull = largest_flux_pull(record);
  entry.complete = derived.fom.complete;
  entry.incomplete_because = derived.fom.incomplete_because;
  entry.unusual = derived.unusual;
  entry.verdict = derived.verdict;
  return entry;
}

Json acceptance_json(const std::vector<Record>& records, const std::vector<Judgment>& judgments) {
  const Record& first = records.front();
  Acceptance acceptance{judgments, first.plan,   first.start_utc, records.back().end_utc,
                        {},        first.inputs, first.system,    first.build};
  for (const Record& record : records) acceptance.entries.push_back(accepted_entry(record));
  Json json{{"schema", schema()}};
  json.update(json_of(acceptance));
  return json;
}

// A cell of a CSV line (RFC 4180).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted;
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return "\"" + quoted + "\"";
}

std::string csv_text(const std::vector<Record>& records, const Judgment& judgment) {
  const Record& first = records.front();
  const AcceptedSpeed* const speed = deciding(judgment);
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : "";
  };
  const auto decides = std::find_if(records.begin(), records.end(), [&](const Record& record) {
    return speed != nullptr && record.entry == speed->entry;
  });
  const Energy energy = derive(decides == records.end() ? first : *decides).energy;
  const AcceptedSpeed none;
  const AcceptedSpeed& shown = speed == nullptr ? none : *speed;
  const std::vector<std::pair<std::string, std::string>> columns{
      {"system", first.system.name},
      {"utc", judgment.utc},
      {"commit", first.build.commit.value_or("")},
      {"plan", first.plan.name},
      {"target", judgment.target},
      {"entry", shown.entry},
      {"unit", shown.unit},
      {"measured", number(shown.measured)},
      {"low", number(shown.low)},
      {"high", number(shown.high)},
      {"runs", std::to_string(shown.runs)},
      {"limit", speed == nullptr ? "" : number(shown.limit)},
      {"ratio", number(shown.ratio)},
      {"fpnh", number(shown.fpnh)},
      {"gpu_joules_per_frame", number(energy.joules_per_frame)},
      {"node_joules_per_frame", number(energy.node_joules_per_frame)},
      {"verdict", judgment.word}};
  std::string names, values;
  for (const auto& [name, value] : columns) {
    names += (names.empty() ? "" : ",") + name;
    values += (&value == &columns.front().second ? "" : ",") + cell(value);
  }
  return names + "\n" + values + "\n";
}

std::string xml(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

// A test of an entry: correctness, health or a speed.
struct TestCase {
  std::string entry, name, failure;
  double seconds = 0;
  bool skipped = false;
};

std::vector<TestCase> test_cases(const std::vector<Record>& records, const Judgment& judgment) {
  std::vector<TestCase> tests;
  for (const Record& record : records) {
    const Derived derived = derive(record);
    const Verdict& verdict = derived.verdict;
    const std::string reasons = fmt::format("{}", fmt::join(verdict.reasons, "; "));
    double seconds = 0;
    for (const Sample& sample : record.timing.samples) seconds += sample.effective_s;
    TestCase correct{record.entry, "correct", "", seconds, verdict.overall == "skipped"};
    if (verdict.correctness != "pass") correct.failure = reasons.empty() ? "not known" : reasons;
    tests.push_back(correct);
    TestCase healthy{record.entry, "healthy", verdict.health == "fail" ? reasons : "", 0,
                     verdict.health == "unknown"};
    tests.push_back(healthy);
  }
  for (const AcceptedSpeed& speed : judgment.speeds)
    tests.push_back({speed.entry, speed.what,
                     speed.verdict == "pass" ? "" : speed.verdict + ": " + speed_text(speed), 0,
                     false});
  return tests;
}

std::string junit_text(const std::vector<Record>& records, const Judgment& judgment) {
  const std::vector<TestCase> tests = test_cases(records, judgment);
  std::string cases;
  int failures = 0, skipped = 0;
  for (const TestCase& test : tests) {
    cases +=
        fmt::format(R"(  <testcase classname="spexbench.{}.{}" name="{}" time="{:.3f}">)",
                    xml(records.front().plan.name), xml(test.entry), xml(test.name), test.seconds);
    if (test.skipped) {
      ++skipped;
      cases += "<skipped/>";
    } else if (!test.failure.empty()) {
      ++failures;
      cases += fmt::format(R"(<failure message="{}"/>)", xml(test.failure));
    }
    cases += "</testcase>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"spex-bench accept\" timestamp=\"{}\" hostname=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}</testsuite>\n",
      judgment.utc.substr(0, judgment.utc.size() - 1), xml(records.front().system.name),
      tests.size(), failures, skipped, cases);
}

void write(const std::string& out, const char* end, const std::string& text) {
  atomic_write(fs::path(out) / (std::string("acceptance.") + end), text);
}

}  // namespace

std::vector<Judgment> read_judgments(const std::string& out) {
  const std::string path = fs::path(out) / acceptance_name;
  std::vector<Judgment> judgments;
  if (!fs::exists(path)) return judgments;
  const std::optional<Json> json = read_json_file(path);
  if (!json || !json->is_object() || json->value("schema", Json()) != schema() ||
      !json->contains("judgments"))
    throw data_error(path, "is not an acceptance of schema 1.0", "a file of spex-bench accept");
  read_json_of(json->at("judgments"), judgments, path);
  return judgments;
}

std::string acceptance_schema() {
  return schema_of<Acceptance>(
      "The acceptance of a machine by spex-bench accept: OUT/acceptance.json", schema());
}

void write_acceptance(const std::string& out, const std::vector<Record>& records,
                      const std::vector<Judgment>& judgments) {
  const auto replace = Json::error_handler_t::replace;
  write(out, "json", acceptance_json(records, judgments).dump(1, ' ', false, replace) + "\n");
  write(out, "md", acceptance_page(records, judgments));
  write(out, "csv", csv_text(records, judgments.back()));
  write(out, "xml", junit_text(records, judgments.back()));
}

}  // namespace spex::bench
