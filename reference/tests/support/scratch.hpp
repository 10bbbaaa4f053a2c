// A temporary folder for a test's files, removed with its content.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace spex::test {

class ScratchFolder {
 public:
  ScratchFolder() : path_(testing::TempDir() + "/spex-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error(path_ + ": cannot be created");
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Names of all files in the folder, including hidden files.
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      found.insert(entry.path().filename().string());
    return found;
  }
  /// Copies a file into the folder and returns the new path.
  [[nodiscard]] std::string copy_of(const std::string& path, const std::string& name) const {
    std::filesystem::copy_file(path, file(name));
    return file(name);
  }

 private:
  std::string path_;
};

/// The bytes of a file; throws if the file cannot be read.
inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return std::move(bytes).str();
}

/// Writes a file, and makes its folders; throws if it cannot be written.
inline void write_file(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::absolute(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.flush();
  if (!out) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace spex::test
