#include "bench/campaign/owned_folder.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reference/core/error.hpp"

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

}  // namespace

OwnedFolder::OwnedFolder(const std::string& option, const std::string& path)
    : path_(made_or_ours(option, path)), lock_(path_) {}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

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

}  // namespace spex::bench
