#include "reference/io/atomic_write.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "reference/core/error.hpp"

namespace spex {
namespace {

namespace fs = std::filesystem;

Error cannot_write(const std::string& path, int code) {
  return data_error(path, fmt::format("cannot be written: {}", std::strerror(code)));
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Whether CFITSIO, or a program that gives it the name, would take more from it than a file's name:
// stdin, a scheme, a file to be removed, a filter or a template. Such files are not made, so that
// nobody is surprised by them later.
bool is_extended_name(const std::string& path) {
  return path == "-" || path.starts_with("-.") || path.starts_with('!') ||
         path.find("://") != std::string::npos || path.ends_with(']') || path.ends_with(')');
}

// A file beside `path` that vanishes unless it is renamed.
class Temporary {
 public:
  explicit Temporary(const std::string& path) : path_(path) {
    const std::string name = fs::path(path).filename().string();
    for (int attempt = 0; file_ < 0; ++attempt) {
      temporary_ =
          (folder_of(path) / fmt::format(".{}.tmp-{}-{}", name, getpid(), attempt)).string();
      file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ < 0 && (errno != EEXIST || attempt == 1000)) {
        temporary_.clear();
        throw cannot_write(path, errno);
      }
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (file_ >= 0) close(file_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  void write(const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::write(file_, data, std::min(size, std::size_t{1} << 30));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw cannot_write(path_, errno);
      data += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  void rename() {
    if (fsync(file_) != 0) throw cannot_write(path_, errno);
    if (close(std::exchange(file_, -1)) != 0) throw cannot_write(path_, errno);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw cannot_write(path_, errno);
    temporary_.clear();
  }

 private:
  std::string path_;
  std::string temporary_;
  int file_ = -1;
};

// Level 1: on noisy float32 data higher levels take several times longer for a few per cent.
constexpr int gzip_level = 1;

// gzip stream (RFC 1952) of `bytes` in pieces; zlib's own header carries no time stamp.
class Gzip {
 public:
  Gzip() {
    constexpr int window_bits = 15 + 16;  // 16: gzip header
    if (deflateInit2(&stream_, gzip_level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip() { deflateEnd(&stream_); }

  void write(std::span<const char> bytes, Temporary& file) {
    constexpr std::size_t piece = 1U << 26;
    std::vector<unsigned char> out(1U << 20);
    std::size_t first = 0;
    do {
      const std::size_t count = std::min(piece, bytes.size() - first);
      stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data() + first));
      stream_.avail_in = static_cast<unsigned>(count);
      first += count;
      do {
        stream_.next_out = out.data();
        stream_.avail_out = static_cast<unsigned>(out.size());
        deflate(&stream_, first == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
        file.write(reinterpret_cast<const char*>(out.data()), out.size() - stream_.avail_out);
      } while (stream_.avail_out == 0);
    } while (first < bytes.size());
  }

 private:
  z_stream stream_{};
};

}  // namespace

void atomic_write(const std::string& path, std::span<const char> bytes) {
  check_writable(path);
  Temporary file(path);
  if (path.ends_with(".gz"))
    Gzip().write(bytes, file);
  else
    file.write(bytes.data(), bytes.size());
  file.rename();
}

void check_writable(const std::string& path) {
  if (is_extended_name(path))
    throw data_error(path, "is an extended file name of CFITSIO", "the name of a file");
  const fs::path folder = folder_of(path);
  std::error_code code;
  if (!fs::exists(folder, code))
    throw data_error(path, "its folder does not exist", "an existing folder");
  if (!fs::is_directory(folder, code))
    throw data_error(path, folder.string() + " is not a folder", "an existing folder");
  if (fs::is_directory(path, code)) throw data_error(path, "is a folder", "a file name");
  // A rename would put a file in the place of /dev/null.
  if (fs::exists(path, code) && !fs::is_regular_file(path, code))
    throw data_error(path, "is a device or a pipe", "a file name");
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw cannot_write(path, errno);
}

}  // namespace spex
