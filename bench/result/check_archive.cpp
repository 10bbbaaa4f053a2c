#include "bench/result/check_archive.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/plan.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/derive.hpp"
#include "bench/result/file_hash.hpp"
#include "bench/result/result_file.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* acceptance_file = "acceptance.json";

std::string bytes_of(const fs::path& path) {
  std::error_code error;
  std::ifstream in(path, std::ios::binary);
  if (!in || !fs::is_regular_file(path, error))
    throw data_error(path, "cannot be read", "a file to archive");
  if (fs::file_size(path, error) > max_file_bytes)
    throw data_error(path, "is too large",
                     fmt::format("at most {} bytes in an archive", max_file_bytes));
  return {std::istreambuf_iterator<char>(in), {}};
}

void add_folder(const fs::path& folder, const std::string& under, const std::string& end,
                Files& files) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename();
        fs::is_regular_file(entry.symlink_status()) && name.ends_with(end) &&
        name != acceptance_file && is_safe_name(name))
      files.emplace(fmt::format("{}/{}", under, name), bytes_of(entry.path()));
}

// Checks the files of an archive.
class Checker {
 public:
  explicit Checker(const Files& files) : files_(files) {}

  ArchiveCheck run() {
    const auto file = files_.find("plan.json");
    if (file == files_.end()) {
      add_inconsistency("plan.json is missing");
      return found_;
    }
    try {
      const Plan plan = parse_plan(file->second, "plan.json");
      found_.about = "plan " + plan.name;
      for (const Entry& entry : plan.entries) check_entry(plan, entry);
      check_names(plan);
      read_judgments();
    } catch (const std::exception& error) {
      add_inconsistency(error.what());
    }
    if (found_.records.empty()) return found_;
    const Record& first = found_.records.front();
    found_.about +=
        fmt::format(" on {}, commit {}", first.system.name, first.build.commit.value_or("unknown"));
    return found_;
  }

 private:
  void add_inconsistency(const std::string& what) { found_.inconsistent.push_back(what); }

  void check_entry(const Plan& plan, const Entry& entry) {
    const std::string name = "results/" + entry.id + ".json";
    const auto file = files_.find(name);
    if (file == files_.end()) {
      found_.missing.push_back("the plan's entry " + entry.id + " has no result");
      return;
    }
    try {
      const std::optional<Json> json = read_json(file->second);
      if (!json) throw data_error(name, "is not JSON", "a result of spex-bench");
      const Record record = record_of(*json, name);
      for (const std::string& wrong : wrongly_derived(*json, record))
        add_inconsistency(fmt::format("{}: {}", name, wrong));
      check_record(plan, entry, record, name);
      found_.incomplete[entry.id] = derive(record).fom.incomplete_because;
      found_.records.push_back(record);
    } catch (const std::exception& error) {
      add_inconsistency(error.what());
    }
  }

  void check_record(const Plan& plan, const Entry& entry, const Record& record,
                    const std::string& name) {
    const auto expect = [&](bool holds, const char* what) {
      if (!holds) add_inconsistency(fmt::format("{}: {}", name, what));
    };
    expect(record.entry == entry.id && record.milestone == to_string(entry.milestone),
           "belongs to another entry");
    expect(record.plan.sha256 == hash_text(plan.text), "belongs to another plan");
    if (!found_.records.empty()) {
      const auto same = [](const auto& a, const auto& b) { return json_of(a) == json_of(b); };
      const Record& first = found_.records.front();
      expect(same(record.build, first.build) && same(record.system, first.system) &&
                 record.programs == first.programs,
             "has another build, system or programs than the results before");
    }
    for (const Sample& sample : record.timing.samples)
      if (const std::string log = fmt::format("logs/{}-{}.log", entry.id, sample.index);
          !files_.contains(log))
        found_.missing.push_back(log + " is missing");
    for (const auto& [end, sha256] : {std::pair{".events.json", record.timing.run_log_sha256},
                                      {".series.json", record.timing.series_sha256}}) {
      const std::string path = "results/" + entry.id + end;
      if (!sha256) continue;
      if (!files_.contains(path))
        found_.missing.push_back(path + " is missing");
      else if (hash_text(files_.at(path)) != *sha256)
        add_inconsistency(path + ": differs from the hash in the result");
    }
  }

  void check_names(const Plan& plan) {
    std::set<std::string> known{"plan.json", "description.txt", acceptance_file};
    for (const Entry& entry : plan.entries)
      for (const char* end : {".json", ".events.json", ".series.json"})
        known.insert("results/" + entry.id + end);
    for (const auto& [name, text] : files_)
      if (!known.contains(name) && !name.starts_with("logs/"))
        add_inconsistency(name + " does not belong to any entry of the plan");
  }

  // The judgments of spex-bench accept, which anybody can make again from the records.
  void read_judgments() {
    const auto file = files_.find(acceptance_file);
    if (file == files_.end()) return;
    const std::optional<Json> json = read_json(file->second);
    if (!json || !json->is_object() || !json->contains("judgments"))
      throw data_error(acceptance_file, "is no acceptance", "a file of spex-bench accept");
    for (const Json& one : json->at("judgments"))
      found_.judgments.push_back(fmt::format("judged {}: {}, target: {}", one.value("utc", "?"),
                                             one.value("word", "?"), one.value("target", "?")));
  }

  const Files& files_;
  ArchiveCheck found_;
};

}  // namespace

ArchiveCheck check_archive(const Files& files) {
  return Checker(files).run();
}

int ArchiveCheck::exit_status() const {
  if (!inconsistent.empty()) return status::incorrect;
  if (!missing.empty()) return status::failed;
  const bool any = std::any_of(incomplete.begin(), incomplete.end(),
                               [](const auto& entry) { return entry.second.empty(); });
  return any ? status::done : status::inconclusive;
}

std::string ArchiveCheck::text() const {
  const auto line = [](const std::string& content) { return printable(content) + "\n"; };
  std::string text = about.empty() ? "" : line(about);
  for (const std::string& judgment : judgments) text += line(judgment);
  const auto add = [&](const std::vector<std::string>& reasons) {
    constexpr std::size_t max_reasons = 50;
    for (std::size_t i = 0; i < std::min(max_reasons, reasons.size()); ++i)
      text += "    " + line(reasons[i]);
    if (reasons.size() > max_reasons)
      text += fmt::format("    and {} more\n", reasons.size() - max_reasons);
  };
  text += inconsistent.empty() ? "consistent\n" : "INCONSISTENT\n";
  add(inconsistent);
  text += missing.empty() ? "all files are there\n" : "MISSING\n";
  add(missing);
  // Each reason appears once, with its entries unless all incomplete entries have it.
  std::vector<std::string> complete, others;
  std::map<std::string, std::vector<std::string>> entries;
  for (const auto& [entry, reasons] : incomplete) {
    (reasons.empty() ? complete : others).push_back(entry);
    for (const std::string& reason : reasons) entries[reason].push_back(entry);
  }
  if (!complete.empty()) text += line(fmt::format("complete: {}", fmt::join(complete, ", ")));
  if (!others.empty()) text += line(fmt::format("not complete: {}", fmt::join(others, ", ")));
  std::vector<std::string> lines;
  for (const auto& [reason, names] : entries)
    lines.push_back(names == others ? reason
                                    : fmt::format("{}: {}", fmt::join(names, ", "), reason));
  add(lines);
  return text;
}

bool is_safe_name(const std::string& name) {
  constexpr std::size_t max_length = 200;
  static const std::regex parts("[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*");
  return name.size() <= max_length && std::regex_match(name, parts);
}

std::string kept_plan_path(const std::string& out) {
  return fs::path(out) / "logs" / "plan.json";
}

Files collect_archive(const std::string& out, const std::string& description) {
  if (!fs::is_regular_file(kept_plan_path(out)))
    throw data_error(out, "holds no results of this version", "the --out of spex-bench");
  Files files;
  add_folder(out, "results", ".json", files);
  if (files.empty()) throw data_error(out, "holds no results", "the --out of spex-bench");
  add_folder(fs::path(out) / "logs", "logs", ".log", files);
  files.emplace("plan.json", bytes_of(kept_plan_path(out)));
  if (const fs::path file = fs::path(out) / acceptance_file; fs::exists(file))
    files.emplace(acceptance_file, bytes_of(file));
  if (!description.empty()) files.emplace("description.txt", bytes_of(description));
  return files;
}

}  // namespace spex::bench
