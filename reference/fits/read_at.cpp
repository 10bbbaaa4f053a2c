#include "reference/fits/read_at.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "reference/core/error.hpp"

namespace spex {

ReadAt read_file_at(const std::string& path) {
  const auto file = std::make_shared<std::ifstream>(path, std::ios::binary);
  if (!*file) throw data_error(path, "cannot be opened", "a readable file");
  return [file, path](long long offset, char* to, long long count) -> long long {
    file->clear();
    file->seekg(offset);
    errno = 0;
    file->read(to, count);
    if (file->bad())
      throw data_error(path,
                       fmt::format("cannot be read: {}", std::strerror(errno == 0 ? EIO : errno)));
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
