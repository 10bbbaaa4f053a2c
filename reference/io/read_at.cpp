#include "reference/io/read_at.hpp"

#include <algorithm>
#include <fstream>
#include <memory>

namespace spex {

ReadAt read_file_at(const std::string& path) {
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  return [file](long long offset, char* to, long long count) -> long long {
    file->clear();
    file->seekg(offset);
    file->read(to, count);
    return file->gcount();
  };
}

ReadAt read_memory_at(std::span<const char> bytes) {
  return [bytes](long long offset, char* to, long long count) -> long long {
    const long long there = std::clamp(static_cast<long long>(bytes.size()) - offset, 0LL, count);
    if (there > 0) std::copy_n(bytes.data() + offset, there, to);
    return there;
  };
}

}  // namespace spex
