// Files like those of /sys and /proc, for tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace spex::bench {

/// Writes a file, and makes its folders.
inline void write_below(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

}  // namespace spex::bench
