#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/campaign/entry_run.hpp"
#include "bench/campaign/plan.hpp"
#include "bench/correctness/file_hash.hpp"
#include "bench/measure/read_json.hpp"
#include "bench/measure/run_log.hpp"
#include "bench/submission/replay.hpp"
#include "bench/submission/submission.hpp"
#include "reference/core/error.hpp"
#include "reference/core/exit_status.hpp"

namespace spex::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double clock_slack_s = 1e-6;

Json json_of(const std::string& text) {
  std::optional<Json> json = read_json(text);
  if (!json)
    throw data_error("", "is no JSON",
                     fmt::format("of {} levels and {} values at most, each member once",
                                 most_json_levels, most_json_values));
  return std::move(*json);
}

// The name that a result gives its system.
std::string name_of_system(const Json& result) {
  const Json system = result.is_object() ? result.value("system", Json()) : Json();
  const Json name = system.is_object() ? system.value("name", Json()) : Json();
  return name.is_string() ? name.get<std::string>() : "a system without a name";
}

// A commit that git did not say is worth what its sources show.
std::string stated_sources(const Json& result) {
  const Json::json_pointer path("/build/sources_sha256");
  const Json sources = result.is_object() && result.contains(path) ? result.at(path) : Json();
  if (!sources.is_string()) return {};
  return fmt::format(", as was stated, of sources {}", sources.get<std::string>());
}

// One pass over the files of an archive.
class Checker {
 public:
  explicit Checker(const Files& files) : files_(files) {}

  SubmissionCheck run() {
    // What is refused already is not looked at further: its parts mean nothing.
    if (!check_manifest()) return found_;
    const std::optional<Plan> plan = read_plan_file();
    if (!plan) return found_;
    found_.about = "plan " + plan->name;
    for (const Entry& entry : plan->entries) check_entry(*plan, entry);
    check_results_belong(*plan);
    if (!first_.is_null())
      found_.about += fmt::format(" on {}, commit {}{}", name_of_system(first_),
                                  manifest_.value("commit", Json()).dump(), stated_sources(first_));
    return found_;
  }

 private:
  void refuse(const std::string& what) { found_.inconsistent.push_back(what); }

  bool check_manifest() {
    const auto file = files_.find("manifest.json");
    if (file == files_.end()) {
      refuse("manifest.json is missing");
      return false;
    }
    try {
      manifest_ = json_of(file->second);
      if (manifest_.at("schema") !=
          Json{{"name", "spexbench-submission"}, {"major", 1}, {"minor", 0}})
        refuse("manifest.json has another schema (expected spexbench-submission 1.0)");
      std::set<std::string> listed{"manifest.json"};
      for (const Json& one : manifest_.at("files")) {
        const auto name = one.at("name").get<std::string>();
        listed.insert(name);
        const auto found = files_.find(name);
        if (found == files_.end())
          refuse(name + " is missing, which the manifest lists");
        else if (one.at("sha256") != hash_text(found->second) ||
                 one.at("bytes") != found->second.size())
          refuse(name + " has other bytes than the manifest says");
      }
      for (const auto& [name, text] : files_)
        if (!listed.contains(name)) refuse(name + " is there, which the manifest does not list");
      key_ = manifest_.at("seal_key").get<std::string>();
      static_cast<void>(manifest_.at("commit"));
    } catch (const std::exception& error) {
      refuse(fmt::format("manifest.json: {}", error.what()));
    }
    return found_.inconsistent.empty();
  }

  std::optional<Plan> read_plan_file() {
    const auto file = files_.find("plan.json");
    if (file == files_.end()) {
      refuse("plan.json is missing");
      return std::nullopt;
    }
    try {
      return parse_plan(file->second, "plan.json");
    } catch (const std::exception& error) {
      refuse(error.what());
      return std::nullopt;
    }
  }

  void check_entry(const Plan& plan, const Entry& entry) {
    const std::string name = "results/" + entry.id + ".json";
    const auto file = files_.find(name);
    if (file == files_.end()) {
      found_.incomplete.push_back("the plan's entry " + entry.id + " has no result");
      return;
    }
    try {
      const Json json = json_of(file->second);
      check_alike(name, json);
      Replay replay(plan, entry, json, key_);
      for (const std::string& wrong : replay.inconsistent())
        refuse(fmt::format("{}: {}", name, wrong));
      for (const std::string& lack : replay.incomplete())
        found_.incomplete.push_back(entry.id + ": " + lack);
      found_.not_published[entry.id] = replay.not_published();
      if (json.at("status") != "complete") return;
      check_logs(entry, replay.run());
      if (entry.sustain) check_series(entry, json.at("run_id"), replay.run());
    } catch (const std::exception& error) {
      refuse(name + ": " + error.what());
    }
  }

  // All results are of one build, one system, one set of programs, and the commit that is stated.
  void check_alike(const std::string& name, const Json& json) {
    if (first_.is_null()) first_ = json;
    for (const char* part : {"build", "system", "programs"})
      if (json.at(part) != first_.at(part))
        refuse(fmt::format("{}: '{}' is not that of the other results", name, part));
    if (json.at("build").at("commit") != manifest_.at("commit"))
      refuse(fmt::format("{} is of commit {}, and the manifest of {}", name,
                         json.at("build").at("commit").dump(), manifest_.at("commit").dump()));
  }

  // What is kept of the last run beside the result is what spex-bench wrote.
  void check_written(const std::string& name, const std::optional<std::string>& sha256) {
    if (hash_text(files_.at(name)) != sha256)
      refuse(name + ": is not what was written after the last run");
  }

  // The log of each run is there, and the run log is that of the last.
  void check_logs(const Entry& entry, const EntryRun& run) {
    for (const Sample& sample : run.samples)
      if (const std::string log = fmt::format("logs/{}-{}.log", entry.id, sample.index);
          !files_.contains(log))
        found_.incomplete.push_back(log + " is missing");
    if (run.samples.empty() || run.samples.back().failure) return;
    const std::string name = "results/" + entry.id + ".events.json";
    const auto file = files_.find(name);
    if (file == files_.end()) {
      // That of a long run is kept where it is not too large.
      if (!entry.sustain || run.run_log_sha256) found_.incomplete.push_back(name + " is missing");
      return;
    }
    check_written(name, run.run_log_sha256);
    const Sample& last = run.samples.back();
    const RunLog log = parse_run_log(file->second, name);
    Sample of_log;
    for (const RunLog::Frame& frame : log.frames) {
      of_log.patches += frame.patches;
      of_log.fell_back += frame.fell_back;
      of_log.failed_patches += frame.failed;
    }
    const double seconds = std::max(log.end_s, last.observed_s.value_or(0));
    if (std::abs(seconds - last.extraction_s.value_or(0)) > clock_slack_s)
      refuse(fmt::format("{}: its last event is at {} s, and the last run's extraction took {} s",
                         name, seconds, last.extraction_s.value_or(0)));
    bool same = log.phases.size() == last.phases.size();
    for (const auto& [stage, stated] : last.phases) {
      const auto phase = log.phases.find(stage);
      same = same && phase != log.phases.end() &&
             std::abs(phase->second.sum - stated.sum) <= clock_slack_s;
    }
    if (log.ranks != run.launch.ranks)
      refuse(fmt::format("{}: is of {} ranks (expected {})", name, log.ranks, run.launch.ranks));
    if (!same || of_log.patches != last.patches || of_log.fell_back != last.fell_back ||
        of_log.failed_patches != last.failed_patches)
      refuse(name + ": stages or patches are not those of the last run");
  }

  // How the machine was over a long run: of the last run of this entry, for as long as that took,
  // and with a member for each look in every list.
  void check_series(const Entry& entry, const Json& run_id, const EntryRun& run) {
    const std::string name = "results/" + entry.id + ".series.json";
    const auto file = files_.find(name);
    if (file == files_.end()) {
      found_.incomplete.push_back(name + " is missing");
      return;
    }
    if (run.samples.empty()) return;
    check_written(name, run.series_sha256);
    const Sample& last = run.samples.back();
    try {
      const Json json = json_of(file->second);
      const auto expect = [&](const char* key, const Json& expected) {
        if (json.at(key) != expected)
          refuse(fmt::format("{}: {} is {} (expected {})", name, key, json.at(key).dump(),
                             expected.dump()));
      };
      expect("schema", {{"name", "spexbench-series"}, {"major", 1}, {"minor", 0}});
      expect("run_id", run_id);
      expect("entry", entry.id);
      expect("run", last.index);
      const auto seconds = json.at("seconds").get<std::vector<double>>();
      const auto frames = json.at("frames").get<std::vector<long>>();
      if (seconds.empty() || !std::ranges::is_sorted(seconds) || seconds.front() < 0)
        refuse(name + ": seconds do not go on");
      else if (seconds.back() < last.effective_s - clock_slack_s)
        refuse(fmt::format("{}: ends at {} s, and the run took {} s", name, seconds.back(),
                           last.effective_s));
      if (!std::ranges::is_sorted(frames) ||
          (!frames.empty() && (frames.front() < 0 || frames.back() > run.frames)))
        refuse(fmt::format("{}: frames do not go on to at most {}", name, run.frames));
      const auto of_each_look = [&](const Json& lists) {
        for (const auto& [key, list] : lists.items())
          if (list.is_array() && key != "gpus" && list.size() != seconds.size())
            refuse(fmt::format("{}: {} has {} members for {} looks", name, key, list.size(),
                               seconds.size()));
      };
      of_each_look(json);
      of_each_look(json.at("node"));
      for (const Json& gpu : json.at("gpus")) of_each_look(gpu);
    } catch (const std::exception& error) {
      refuse(fmt::format("{}: {}", name, error.what()));
    }
  }

  void check_results_belong(const Plan& plan) {
    std::set<std::string> known{"manifest.json", "plan.json", "system.json", "description.txt"};
    for (const Entry& entry : plan.entries)
      for (const char* end : {".json", ".events.json", ".series.json"})
        known.insert("results/" + entry.id + end);
    for (const auto& [name, text] : files_)
      if (!known.contains(name) && !name.starts_with("logs/"))
        refuse(name + " is of no entry of the plan");
    const auto system = files_.find("system.json");
    if (system == files_.end() || first_.is_null()) return;
    const Json json = read_json(system->second).value_or(Json());
    for (const char* part : {"build", "system", "programs"})
      if (!json.is_object() || !json.contains(part) || json.at(part) != first_.at(part)) {
        refuse(fmt::format("system.json: '{}' is not that of the results", part));
        return;
      }
  }

  const Files& files_;
  Json manifest_;
  Json first_;  // the first result
  std::string key_;
  SubmissionCheck found_;
};

}  // namespace

SubmissionCheck check_submission(const Files& files) {
  return Checker(files).run();
}

int SubmissionCheck::exit_status() const {
  if (!inconsistent.empty()) return status::incorrect;
  if (!incomplete.empty()) return status::failed;
  const bool any = std::any_of(not_published.begin(), not_published.end(),
                               [](const auto& entry) { return entry.second.empty(); });
  return any ? status::done : status::inconclusive;
}

std::string SubmissionCheck::text() const {
  const auto line = [](const std::string& words) { return printable(words) + "\n"; };
  std::string text = about.empty() ? "" : line(about);
  const auto add = [&](const std::vector<std::string>& reasons) {
    constexpr std::size_t most = 50;
    for (std::size_t i = 0; i < std::min(most, reasons.size()); ++i)
      text += "    " + line(reasons[i]);
    if (reasons.size() > most) text += fmt::format("    and {} more\n", reasons.size() - most);
  };
  text += inconsistent.empty() ? "consistent\n" : "INCONSISTENT: the archive is refused\n";
  add(inconsistent);
  text += incomplete.empty() ? "complete\n" : "INCOMPLETE\n";
  add(incomplete);
  for (const auto& [entry, reasons] : not_published) {
    text += fmt::format("{}: {}\n", entry,
                        reasons.empty() ? "may be published" : "not to be published");
    add(reasons);
  }
  return text;
}

}  // namespace spex::bench
