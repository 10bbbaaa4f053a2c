// Hashes of the programs under test at the start of a benchmark.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace spex::bench {

/// Programs with their sha256. Construct it before anything is run.
class ProgramFiles {
 public:
  /// Hashes `paths` and the libraries that this program loaded from its build folder. Throws
  /// Error(data) if a file cannot be read.
  explicit ProgramFiles(std::vector<std::string> paths);

  /// By file name.
  [[nodiscard]] const std::map<std::string, std::string>& sha256() const { return sha256_; }
  /// The first file whose bytes changed; "" if none did.
  [[nodiscard]] std::string changed() const;

 private:
  std::vector<std::string> paths_;
  std::map<std::string, std::string> sha256_;
};

/// sha256 of the shared libraries that a program is linked with (ldd), by path; empty if ldd prints
/// none, as for a script.
[[nodiscard]] std::map<std::string, std::string> libraries_of(const std::string& program);

/// The canonical path of a program on the PATH; "" if there is none.
[[nodiscard]] std::string program_on_path(const std::string& name);

/// What a shell command writes to stdout.
[[nodiscard]] std::string output_of_shell(const std::string& command);

}  // namespace spex::bench
