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

#include "bench/plan/read_json.hpp"
#include "bench/result/check_archive.hpp"
#include "reference/core/error.hpp"
#include "reference/fits/write/atomic_write.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_name = ".spex-bench-lock";

// Makes the folder, or finds the lock of an earlier run in it; its path.
std::string made_or_ours(const std::string& option, const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  const bool empty = !error && fs::is_empty(path, error);
  if (error) throw data_error(path, error.message(), "a folder that can be written");
  // In a folder that all may write to, another user may have made it, lock and all.
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) throw data_error(path, std::strerror(errno), "a folder");
  if (about.st_uid != geteuid())
    throw usage_error(option, path + " belongs to another user", "a folder of your own");
  if (!empty && !fs::exists(fs::path(path) / lock_name))
    throw usage_error(option, path + " holds files that are not spex-bench's",
                      "a new or empty folder, or one that spex-bench made");
  return path;
}

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

// Nothing of another plan, or of somebody else, may be where results will be written.
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

// The folder of results, which is there then.
std::string folder_for_results(const CampaignSettings& settings, const Plan& plan) {
  check_apart(settings);
  check_words(settings);
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
    : path_(made_or_ours(option, path)), lock_(path_) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) close(file_);
}

FolderLock::FolderLock(const std::string& folder) {
  const std::string name = fs::path(folder) / lock_name;
  // What a link names is not ours to write to.
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
  // The plan is kept with its results, which are handed in with it.
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

bool CampaignFolders::is_full() const {
  return fs::space(outputs()).available < least_room || fs::space(logs()).available < least_room;
}

}  // namespace spex::bench
