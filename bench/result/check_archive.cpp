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

std::string bytes_of(const fs::path& path) {
  std::error_code error;
  std::ifstream in(path, std::ios::binary);
  if (!in || !fs::is_regular_file(path, error))
    throw data_error(path, "cannot be read", "a file to archive");
  if (fs::file_size(path, error) > most_bytes_of_file)
    throw data_error(path, "is too long",
                     fmt::format("at most {} bytes in an archive", most_bytes_of_file));
  return {std::istreambuf_iterator<char>(in), {}};
}

void add_folder(const fs::path& folder, const std::string& under, const std::string& end,
                Files& files) {
  if (!fs::is_directory(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const std::string name = entry.path().filename();
        fs::is_regular_file(entry.symlink_status()) && name.ends_with(end) && is_safe_name(name))
      files.emplace(fmt::format("{}/{}", under, name), bytes_of(entry.path()));
}

// One pass over the files of an archive.
class Checker {
 public:
  explicit Checker(const Files& files) : files_(files) {}

  ArchiveCheck run() {
    const auto file = files_.find("plan.json");
    if (file == files_.end()) {
      refuse("plan.json is missing");
      return found_;
    }
    try {
      const Plan plan = parse_plan(file->second, "plan.json");
      found_.about = "plan " + plan.name;
      for (const Entry& entry : plan.entries) check_entry(plan, entry);
      check_names(plan);
    } catch (const std::exception& error) {
      refuse(error.what());
    }
    if (found_.records.empty()) return found_;
    const Record& first = found_.records.front();
    found_.about += fmt::format(" on {}, commit {}", first.system.value("name", "?"),
                                first.build.value("commit", Json()).dump());
    return found_;
  }

 private:
  void refuse(const std::string& what) { found_.inconsistent.push_back(what); }

  void check_entry(const Plan& plan, const Entry& entry) {
    const std::string name = "results/" + entry.id + ".json";
    const auto file = files_.find(name);
    if (file == files_.end()) {
      found_.missing.push_back("the plan's entry " + entry.id + " has no result");
      return;
    }
    try {
      const std::optional<Json> json = read_json(file->second);
      if (!json) throw data_error(name, "is no JSON", "a result of spex-bench");
      const Record record = record_of(*json, name);
      for (const std::string& wrong : wrongly_derived(*json, record)) refuse(name + ": " + wrong);
      check_record(plan, entry, record, name);
      found_.incomplete[entry.id] = derive(record).fom.incomplete_because;
      found_.records.push_back(record);
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  }

  void check_record(const Plan& plan, const Entry& entry, const Record& record,
                    const std::string& name) {
    const auto expect = [&](bool holds, const char* what) {
      if (!holds) refuse(fmt::format("{}: {}", name, what));
    };
    expect(record.entry == entry.id && record.milestone == to_string(entry.milestone),
           "is of another entry");
    expect(record.plan.sha256 == hash_text(plan.text), "is of another plan");
    if (!found_.records.empty()) {
      const Record& first = found_.records.front();
      expect(record.build == first.build && record.system == first.system &&
                 record.programs == first.programs,
             "is of another build, system or programs than the results before");
    }
    for (const Sample& sample : record.timing.samples)
      if (const std::string log = fmt::format("logs/{}-{}.log", entry.id, sample.index);
          !files_.contains(log))
        found_.missing.push_back(log + " is missing");
    for (const auto& [end, sha256] : {std::pair{".events.json", record.timing.run_log_sha256},
                                      {".series.json", record.timing.series_sha256}}) {
      const std::string beside = "results/" + entry.id + end;
      if (!sha256) continue;
      if (!files_.contains(beside))
        found_.missing.push_back(beside + " is missing");
      else if (hash_text(files_.at(beside)) != *sha256)
        refuse(beside + ": is not what was written after the last run");
    }
  }

  void check_names(const Plan& plan) {
    std::set<std::string> known{"plan.json", "description.txt"};
    for (const Entry& entry : plan.entries)
      for (const char* end : {".json", ".events.json", ".series.json"})
        known.insert("results/" + entry.id + end);
    for (const auto& [name, text] : files_)
      if (!known.contains(name) && !name.starts_with("logs/"))
        refuse(name + " is of no entry of the plan");
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
  const auto line = [](const std::string& words) { return printable(words) + "\n"; };
  std::string text = about.empty() ? "" : line(about);
  const auto add = [&](const std::vector<std::string>& reasons) {
    constexpr std::size_t most = 50;
    for (std::size_t i = 0; i < std::min(most, reasons.size()); ++i)
      text += "    " + line(reasons[i]);
    if (reasons.size() > most) text += fmt::format("    and {} more\n", reasons.size() - most);
  };
  text += inconsistent.empty() ? "consistent\n" : "INCONSISTENT\n";
  add(inconsistent);
  text += missing.empty() ? "all files are there\n" : "MISSING\n";
  add(missing);
  // Each reason stands once, with the entries that have it where not all of them do.
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
  constexpr std::size_t longest = 200;
  static const std::regex parts("[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*");
  return name.size() <= longest && std::regex_match(name, parts);
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
  if (!description.empty()) files.emplace("description.txt", bytes_of(description));
  return files;
}

}  // namespace spex::bench
