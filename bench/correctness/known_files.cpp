#include "bench/correctness/known_files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include "reference/core/error.hpp"

namespace spex::bench {

namespace fs = std::filesystem;

void KnownFiles::look(const std::vector<std::string>& folders) {
  known_.clear();
  for (const std::string& folder : folders) {
    std::error_code error;
    if (!fs::exists(folder, error) && !error) continue;
    take(folder);
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      const bool is_folder = it->is_directory(error);
      if (it->path().filename().string().starts_with(".")) {
        if (is_folder) it.disable_recursion_pending();
        continue;
      }
      // Its files would not be met, and not be watched.
      if (is_folder && it->is_symlink(error))
        throw data_error(it->path(), "is a link", "folders that are spex-bench's own");
      if (is_folder || it->is_regular_file(error)) take(it->path());
    }
    if (error) throw data_error(folder, error.message(), "folders that can be read, all of them");
  }
}

std::vector<std::string> KnownFiles::paths() const {
  std::vector<std::string> all;
  for (const auto& [path, identity] : known_)
    if (!identity.is_folder) all.push_back(path);
  return all;
}

std::string KnownFiles::moved() const {
  for (const auto& [path, identity] : known_)
    if (Identity now; !identify(path, now) || now != identity) return path;
  return {};
}

void KnownFiles::take(const std::string& path) {
  if (!identify(path, known_[path]))
    throw data_error(path, std::strerror(errno), "a file or folder of spex-bench");
}

bool KnownFiles::identify(const std::string& path, Identity& identity) {
  struct stat name {
  }, target{};
  if (lstat(path.c_str(), &name) != 0 || stat(path.c_str(), &target) != 0) return false;
  identity = {name.st_dev, name.st_ino, target.st_dev, target.st_ino, S_ISDIR(target.st_mode)};
  return true;
}

}  // namespace spex::bench
