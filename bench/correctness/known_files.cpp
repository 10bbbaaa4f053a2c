#include "bench/correctness/known_files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include "reference/core/error.hpp"

namespace spex::bench {

namespace fs = std::filesystem;

namespace {

// The mark and the lock of a folder, which another spex-bench opens to say who is there.
bool is_mark(const fs::path& path) {
  return path.filename().string().starts_with(".spex-bench");
}

}  // namespace

void KnownFiles::look(const std::vector<std::string>& folders) {
  files_.clear();
  for (const std::string& folder : folders) {
    std::error_code error;
    if (!fs::exists(folder, error) && !error) continue;
    for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
      if (error) break;
      if (!it->is_regular_file(error) || is_mark(*it)) continue;
      const std::string path = it->path();
      if (!identify(path, files_[path]))
        throw data_error(path, std::strerror(errno), "a file of spex-bench");
    }
    if (error) throw data_error(folder, error.message(), "folders that can be read, all of them");
  }
}

std::vector<std::string> KnownFiles::paths() const {
  std::vector<std::string> all;
  all.reserve(files_.size());
  for (const auto& [path, identity] : files_) all.push_back(path);
  return all;
}

std::string KnownFiles::moved() const {
  for (const auto& [path, identity] : files_)
    if (Identity now; !identify(path, now) || now != identity) return path;
  return {};
}

bool KnownFiles::identify(const std::string& path, Identity& identity) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return false;
  identity = {about.st_dev, about.st_ino};
  return true;
}

}  // namespace spex::bench
