#include "reference/fits/read_at.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw data_error(path, "cannot be opened", "a readable file");
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(file_); }

  [[nodiscard]] long long read(long long offset, char* to, long long count) const {
    long long done = 0;
    while (done < count) {
      const ssize_t more = pread(file_, to + done, static_cast<std::size_t>(count - done),
                                 static_cast<off_t>(offset + done));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0)
        throw data_error(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
      if (more == 0) break;
      done += more;
    }
    return done;
  }

 private:
  std::string path_;
  int file_;
};

}  // namespace

ReadAt read_file_at(const std::string& path) {
  return [file = std::make_shared<const OpenFile>(path)](
             long long offset, char* to, long long count) { return file->read(offset, to, count); };
}

ReadAt read_memory_at(std::span<const char> bytes) {
  return [bytes](long long offset, char* to, long long count) -> long long {
    const long long there = std::clamp(static_cast<long long>(bytes.size()) - offset, 0LL, count);
    if (there > 0) std::copy_n(bytes.data() + offset, there, to);
    return there;
  };
}

}  // namespace spex
