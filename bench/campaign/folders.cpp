#include "bench/campaign/folders.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "bench/result/check_archive.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Less than this, and a disk is full.
constexpr std::uintmax_t least_room = 64 * 1024;

// Each of the folders is emptied, or written, with no regard for another within it. Inputs and
// reference frames may be below the results, which are never removed.
void check_apart(const CampaignSettings& settings) {
  const auto whole = [](const std::string& path) {
    return (fs::weakly_canonical(fs::absolute(path)) / "").string();
  };
  const std::string out = whole(settings.out), data = whole(settings.data),
                    references = whole(settings.references);
  const auto refuse = [](const char* option, const std::string& one, const std::string& other) {
    if (one.starts_with(other))
      throw usage_error(option, one + " lies in " + other, "a folder of its own");
  };
  refuse("--out", out, data);
  refuse("--out", out, references);
  refuse("--references", references, data);
  refuse("--data", data, references);
}

// Their files are words of lists (--list), with blanks between, and of command lines.
void check_words(const CampaignSettings& settings) {
  for (const auto& [option, path] :
       {std::pair{"--data", settings.data}, {"--references", settings.references}})
    if (path.starts_with("-") || path.find_first_of(" \t\r\n\v\f#") != std::string::npos)
      throw usage_error(option, fmt::format("'{}' cannot be a word of a list", path),
                        "no blank or '#' in it, and no '-' first");
}

// The plan is kept beside its results, by which they are known to be consistent when they are
// handed in.
bool holds_another_plan(const std::string& out, const Plan& plan) {
  std::ifstream kept(kept_plan_path(out), std::ios::binary);
  if (!kept || plan.text == std::string(std::istreambuf_iterator<char>(kept), {})) return false;
  const auto is_result_of = [&](const Entry& entry) {
    return fs::exists(fs::path(out) / (entry.id + ".json"));
  };
  // Which of a plan's own is another's is told by the result.
  if (std::any_of(plan.entries.begin(), plan.entries.end(), is_result_of)) return false;
  std::error_code error;
  fs::directory_iterator files(out, error);
  return !error && std::any_of(begin(files), end(files), [](const fs::directory_entry& file) {
    return file.path().extension() == ".json";
  });
}

// A file in the place of one of spex-bench's, where it has kept no plan yet; empty: none.
std::string file_of_another(const std::string& out, const Plan& plan) {
  if (fs::exists(kept_plan_path(out))) return {};
  for (const Entry& entry : plan.entries)
    for (const char* end : {".events.json", ".series.json"})
      if (fs::exists(fs::symlink_status(fs::path(out) / (entry.id + end)))) return entry.id + end;
  const fs::path logs = fs::path(out) / "logs";
  std::error_code error;
  const bool ours = !fs::exists(fs::symlink_status(logs)) ||
                    (fs::is_directory(logs) && fs::is_empty(logs, error));
  return ours && !error ? "" : "logs";
}

// The folder of results, which is there then.
std::string folder_for_results(const CampaignSettings& settings, const Plan& plan) {
  check_apart(settings);
  check_words(settings);
  for (const Entry& entry : plan.entries)
    if (const std::string id = entry.id + ".json";
        !settings.resume && fs::exists(fs::path(settings.out) / id))
      throw usage_error("--out", settings.out + " holds " + id + " already",
                        "--resume, or another folder");
  if (holds_another_plan(settings.out, plan))
    throw usage_error("--out", settings.out + " holds results of another plan",
                      "a folder for each plan");
  if (const std::string file = file_of_another(settings.out, plan); !file.empty())
    throw usage_error("--out", fmt::format("{} holds {}, and no plan", settings.out, file),
                      "a new folder, or one of spex-bench's");
  std::error_code error;
  fs::create_directories(settings.out, error);
  if (error) throw data_error(settings.out, error.message(), "a folder that can be written");
  return settings.out;
}

}  // namespace

CampaignFolders::CampaignFolders(const CampaignSettings& settings, const Plan& plan)
    : out_(folder_for_results(settings, plan)), out_lock_(out_), data_("--data", settings.data) {
  fs::create_directories(logs());
  if (!settings.resume) fs::remove_all(outputs());
  fs::create_directories(outputs());
}

std::string CampaignFolders::outputs() const {
  return fs::path(data()) / "outputs";
}

std::string CampaignFolders::logs() const {
  return fs::path(out_) / "logs";
}

std::string CampaignFolders::result(const std::string& entry) const {
  return fs::path(out_) / (entry + ".json");
}

std::string CampaignFolders::run_log(const std::string& entry) const {
  return fs::path(out_) / (entry + ".events.json");
}

std::string CampaignFolders::series(const std::string& entry) const {
  return fs::path(out_) / (entry + ".series.json");
}

std::string CampaignFolders::log_of_run(const std::string& entry, int index) const {
  return fs::path(logs()) / fmt::format("{}-{}.log", entry, index);
}

std::string CampaignFolders::events() const {
  return fs::path(outputs()) / "events.json";
}

std::string CampaignFolders::list() const {
  return fs::path(outputs()) / "frames.txt";
}

std::string CampaignFolders::outputs_of(const std::string& entry, int index) const {
  return fs::path(outputs()) / fmt::format("{}-{}", entry, index);
}

std::string CampaignFolders::new_outputs_of(const std::string& entry, int index) const {
  const std::string folder = outputs_of(entry, index);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

bool CampaignFolders::is_full() const {
  return fs::space(outputs()).available < least_room || fs::space(logs()).available < least_room;
}

}  // namespace spex::bench
