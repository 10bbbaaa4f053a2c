// The files that a benchmark starts, as they were when it began.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace spex::bench {

/// Programs, with their sha256. Made once, before anything is run.
class ProgramFiles {
 public:
  /// Of `paths`, and of what this program has loaded from the folder of its build. Throws
  /// Error(data) where one cannot be read.
  explicit ProgramFiles(std::vector<std::string> paths);

  /// By the name of the file.
  [[nodiscard]] const std::map<std::string, std::string>& sha256() const { return sha256_; }
  /// The first file whose bytes are no longer those; "" where there is none.
  [[nodiscard]] std::string changed() const;

 private:
  std::vector<std::string> paths_;
  std::map<std::string, std::string> sha256_;
};

/// sha256 of the shared libraries that a program is linked with (ldd), by path; empty where ldd
/// does not say. A script has none.
[[nodiscard]] std::map<std::string, std::string> libraries_of(const std::string& program);

/// The file that a program's name stands for by PATH, all links followed; "" where there is none.
[[nodiscard]] std::string program_on_path(const std::string& name);

/// What a command of the shell writes to stdout.
[[nodiscard]] std::string output_of_shell(const std::string& command);

}  // namespace spex::bench
