#include "bench/campaign/folders.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/machine/memory.hpp"
#include "bench/plan/read_json.hpp"
#include "bench/result/check_archive.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".spex-bench-lock";

// Makes the folder, or checks that an earlier run made it; returns its path.
std::string claim_folder(const std::string& option, const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  const bool empty = !error && fs::is_empty(path, error);
  if (error) throw data_error(path, error.message(), "a folder that can be written");
  // In a folder that everybody may write to, another user may have made it, with a lock file.
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) throw data_error(path, std::strerror(errno), "a folder");
  if (about.st_uid != geteuid())
    throw usage_error(option, path + " belongs to another user", "a folder of your own");
  if (!empty && !fs::exists(fs::path(path) / lock_name))
    throw usage_error(option, path + " holds files that are not spex-bench's",
                      "a new or empty folder, or one that spex-bench made");
  return path;
}

// Free bytes below which a disk counts as full.
constexpr std::uintmax_t min_free_bytes = 64 * 1024;

// spex-bench empties these folders, so none may contain another. Inputs and references may be
// inside the results, which are never removed.
void check_apart(const CampaignSettings& settings) {
  const auto whole = [](const std::string& path) {
    return (fs::weakly_canonical(fs::absolute(path)) / "").string();
  };
  const std::string out = whole(settings.out), data = whole(settings.data),
                    references = whole(settings.references);
  const auto refuse = [](const char* option, const std::string& inner, const std::string& outer) {
    if (inner.starts_with(outer))
      throw usage_error(option, inner + " is in " + outer, "a folder of its own");
  };
  refuse("--out", out, data);
  refuse("--out", out, references);
  refuse("--references", references, data);
  refuse("--data", data, references);
}

// Paths must not contain blanks: --list separates words by blanks.
void check_list_paths(const CampaignSettings& settings) {
  for (const auto& [option, path] :
       {std::pair{"--data", settings.data}, {"--references", settings.references}})
    if (path.starts_with("-") || path.find_first_of(" \t\r\n\v\f#") != std::string::npos)
      throw usage_error(option, fmt::format("'{}' cannot be a word of a list", path),
                        "no blank or '#' in it, and no '-' first");
}

// The folder must not hold results of another plan or files of others.
void check_out(const CampaignSettings& settings, const Plan& plan) {
  const std::string kept = kept_plan_path(settings.out);
  const bool has_plan = fs::exists(kept);
  if (has_plan && read_written(kept, "a plan") != plan.text)
    throw usage_error("--out", settings.out + " holds results of another plan",
                      "a folder for each plan");
  const auto refuse = [&](const std::string& name) {
    if (fs::exists(fs::symlink_status(fs::path(settings.out) / name)))
      throw usage_error("--out", fmt::format("{} holds {} already", settings.out, name),
                        "--resume, or another folder");
  };
  if (!has_plan) refuse("logs");
  for (const Entry& entry : plan.entries) {
    if (!settings.resume) refuse(entry.id + ".json");
    if (!has_plan)
      for (const char* end : {".events.json", ".series.json"}) refuse(entry.id + end);
  }
}

// Checks the settings and makes the folder of results.
std::string folder_for_results(const CampaignSettings& settings, const Plan& plan) {
  check_apart(settings);
  check_list_paths(settings);
  check_out(settings, plan);
  std::error_code error;
  fs::create_directories(settings.out, error);
  if (error) throw data_error(settings.out, error.message(), "a folder that can be written");
  return settings.out;
}

}  // namespace

void fill_folders(CampaignSettings& settings) {
  if (settings.data.empty()) settings.data = fs::path(settings.out) / "data";
  if (settings.references.empty()) settings.references = fs::path(settings.out) / "references";
}

OwnedFolder::OwnedFolder(const std::string& option, const std::string& path)
    : path_(claim_folder(option, path)), lock_(path_) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
}

FolderLock::FolderLock(const std::string& folder) {
  const std::string name = fs::path(folder) / lock_name;
  // Do not follow symbolic links.
  file_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0) throw data_error(name, std::strerror(errno), "a folder that can be written");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    close(std::exchange(file_, -1));
    std::string holder;
    std::ifstream in(name);
    std::getline(in, holder);
    if (error == EWOULDBLOCK)
      throw data_error(folder, "is in use by " + (holder.empty() ? "another run" : holder),
                       "one run at a time in a folder");
    spdlog::warn("{}: cannot be locked ({}); no other run may use it", folder,
                 std::strerror(error));
    return;
  }
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const std::string text = fmt::format("process {} on {}\n", getpid(), host.data());
  if (ftruncate(file_, 0) != 0 ||
      pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    throw data_error(name, std::strerror(errno), "room for a line");
}

CampaignFolders::CampaignFolders(const CampaignSettings& settings, const Plan& plan)
    : out_(folder_for_results(settings, plan)), out_lock_(out_), data_("--data", settings.data) {
  fs::create_directories(logs());
  // The plan is kept with its results, because they are submitted together.
  atomic_write(kept_plan_path(out_), plan.text);
  if (!settings.resume) fs::remove_all(outputs());
  fs::create_directories(outputs());
}

std::string CampaignFolders::log_of_run(const std::string& entry, int index) const {
  return fmt::format("{}/{}-{}.log", logs(), entry, index);
}

std::string CampaignFolders::outputs_of(const std::string& entry, int index) const {
  return fmt::format("{}/{}-{}", outputs(), entry, index);
}

std::string CampaignFolders::new_outputs_of(const std::string& entry, int index) const {
  const std::string folder = outputs_of(entry, index);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

bool CampaignFolders::has_room_for(double bytes) const {
  return free_space(outputs()) >= bytes;
}

bool CampaignFolders::is_full() const {
  return fs::space(outputs()).available < min_free_bytes ||
         fs::space(logs()).available < min_free_bytes;
}

}  // namespace spex::bench
