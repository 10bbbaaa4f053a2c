#include "bench/correctness/program_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/correctness/file_hash.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// A rename, a write and a change of the times all show in it.
std::string state_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return {};
  return fmt::format("{} {} {}.{:09}", about.st_dev, about.st_ino, about.st_ctim.tv_sec,
                     about.st_ctim.tv_nsec);
}

int add_library(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/')
    static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
  return 0;
}

std::vector<std::string> libraries_of_the_build() {
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  std::vector<std::string> all, ours;
  dl_iterate_phdr(add_library, &all);
  for (const std::string& path : all)
    if (path.starts_with(build.string() + "/")) ours.push_back(path);
  return ours;
}

}  // namespace

ProgramFiles::ProgramFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> all = paths;
  for (std::string& path : libraries_of_the_build()) all.push_back(std::move(path));
  for (const std::string& path : all) {
    const std::optional<std::string> hash = hash_file(path);
    if (!hash) throw data_error(path, "cannot be read", "one of the project's programs");
    sha256_[fs::path(path).filename().string()] = *hash;
    files_.push_back({path, state_of(path)});
  }
}

std::string ProgramFiles::changed() const {
  for (const File& file : files_)
    if (state_of(file.path) != file.state ||
        hash_file(file.path) != sha256_.at(fs::path(file.path).filename().string()))
      return file.path;
  return {};
}

std::string program_on_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error))
      return fs::canonical(candidate, error).string();
  }
  return {};
}

}  // namespace spex::bench
