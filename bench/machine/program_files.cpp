#include "bench/machine/program_files.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <unistd.h>

#include "bench/result/file_hash.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {

namespace fs = std::filesystem;

ProgramFiles::ProgramFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const std::string build = program.parent_path().parent_path().string() + "/";
  for (const auto& [path, hash] : libraries_of(program))
    if (path.starts_with(build)) paths_.push_back(path);
  for (const std::string& path : paths_) {
    const std::optional<std::string> hash = hash_file(path);
    if (!hash) throw data_error(path, "cannot be read", "one of the project's programs");
    sha256_[fs::path(path).filename().string()] = *hash;
  }
}

std::string ProgramFiles::changed() const {
  for (const std::string& path : paths_)
    if (hash_file(path) != sha256_.at(fs::path(path).filename().string())) return path;
  return {};
}

std::string output_of_shell(const std::string& command) {
  struct ClosePipe {
    void operator()(std::FILE* pipe) const noexcept { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, ClosePipe> pipe(
      popen(command.c_str(), "r"));  // NOLINT(cert-env33-c)
  std::string text;
  std::array<char, 4096> part{};
  while (pipe != nullptr) {
    const std::size_t count = std::fread(part.data(), 1, part.size(), pipe.get());
    if (count == 0) break;
    text.append(part.data(), count);
  }
  return text;
}

std::map<std::string, std::string> libraries_of(const std::string& program) {
  std::map<std::string, std::string> found;
  // as a variable, so that the shell does not interpret the path
  setenv("SPEX_LDD_OF", program.c_str(), 1);
  std::istringstream output(output_of_shell("ldd \"$SPEX_LDD_OF\" 2>/dev/null"));
  unsetenv("SPEX_LDD_OF");
  for (std::string word; output >> word;)
    if (word.starts_with("/") && !word.ends_with(":"))
      if (const std::optional<std::string> hash = hash_file(word)) found[word] = *hash;
  return found;
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
