#include "reference/fits/write/atomic_write.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reference/core/error.hpp"
#include "reference/fits/bytes.hpp"

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

// Whether CFITSIO would interpret the path beyond a file name: stdin, a URL scheme, a file to be
// removed, a filter or a template. Such files are not created, because other programs would pass
// their names to CFITSIO.
bool is_extended_name(const std::string& path) {
  return path == "-" || path.starts_with("-.") || path.starts_with('!') ||
         path.find("://") != std::string::npos || path.ends_with(']') || path.ends_with(')');
}

std::string temporary_name(const std::string& name, long pid, int attempt) {
  return fmt::format(".{}.tmp-{}-{}", name, pid, attempt);
}

// The final name of a temporary file; empty if `temporary` is not the name of a temporary file.
std::string_view name_of_temporary(std::string_view temporary) {
  constexpr std::string_view mark = ".tmp-";
  const std::size_t at = temporary.rfind(mark);
  if (at == std::string_view::npos || at < 2 || temporary.front() != '.') return {};
  const std::string_view numbers = temporary.substr(at + mark.size());
  const std::size_t dash = numbers.find('-');
  if (dash == 0 || dash == std::string_view::npos || dash + 1 == numbers.size()) return {};
  constexpr std::string_view digits = "0123456789";
  if (numbers.substr(0, dash).find_first_not_of(digits) != std::string_view::npos ||
      numbers.substr(dash + 1).find_first_not_of(digits) != std::string_view::npos)
    return {};
  return temporary.substr(1, at - 1);
}

enum class Lock { taken, held_by_another, unknown };

// A file lock (flock) that lasts until the last descriptor of the file is closed.
Lock try_lock(int file) {
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return Lock::taken;
  return errno == EWOULDBLOCK ? Lock::held_by_another : Lock::unknown;
}

bool is_linked(int file) {
  struct stat state {};
  return fstat(file, &state) == 0 && state.st_nlink > 0;
}

// A file beside `path` that is removed unless it is renamed. It stays locked until the rename, so
// that remove_abandoned() ignores it.
class Temporary {
 public:
  static constexpr int max_attempts = 1000;

  explicit Temporary(const std::string& path) : path_(path) {
    const std::string name = fs::path(path).filename().string();
    for (int attempt = 0; file_ < 0; ++attempt) {
      temporary_ = (folder_of(path) / temporary_name(name, getpid(), attempt)).string();
      file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ < 0 && (errno != EEXIST || attempt == max_attempts)) {
        temporary_.clear();
        throw cannot_write(path, errno);
      }
      // Before the lock was taken, another process may have removed the file as abandoned.
      if (file_ >= 0 && attempt < max_attempts &&
          (try_lock(file_) == Lock::held_by_another || !is_linked(file_)))
        close(std::exchange(file_, -1));
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (file_ >= 0) close(file_);
    if (locked_ >= 0) close(locked_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  // Appends.
  void write(const char* data, std::size_t size) {
    write_by(data, size, [&](std::size_t /*at*/, const char* left, std::size_t count) {
      return ::write(file_, left, count);
    });
  }

  // Thread-safe.
  void write_at(std::size_t offset, const char* data, std::size_t size) const {
    write_by(data, size, [&](std::size_t at, const char* left, std::size_t count) {
      return ::pwrite(file_, left, count, static_cast<off_t>(offset + at));
    });
  }

  void rename() {
    if (fsync(file_) != 0) throw cannot_write(path_, errno);
    // Some file systems report write errors only on close. The second descriptor keeps the lock.
    locked_ = fcntl(file_, F_DUPFD_CLOEXEC, 0);
    if (locked_ < 0) throw cannot_write(path_, errno);
    if (close(std::exchange(file_, -1)) != 0) throw cannot_write(path_, errno);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw cannot_write(path_, errno);
    temporary_.clear();
  }

 private:
  template <class Call>
  void write_by(const char* data, std::size_t size, const Call& call) const {
    for (std::size_t done = 0; done < size;) {
      const ssize_t written = call(done, data + done, std::min(size - done, std::size_t{1} << 30));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw cannot_write(path_, errno);
      done += static_cast<std::size_t>(written);
    }
  }

  std::string path_;
  std::string temporary_;
  int file_ = -1;
  int locked_ = -1;  // a second descriptor of the file, which keeps the lock
};

// Removes a temporary file unless a process still writes it. Returns whether it was removed.
bool remove_if_abandoned(const std::string& temporary) {
  const int file = open(temporary.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  struct stat state {
  }, named{};
  // Check again after locking: the name may now belong to a newer file.
  const bool removed = fstat(file, &state) == 0 && S_ISREG(state.st_mode) &&
                       try_lock(file) == Lock::taken && lstat(temporary.c_str(), &named) == 0 &&
                       named.st_ino == state.st_ino && named.st_dev == state.st_dev &&
                       unlink(temporary.c_str()) == 0;
  close(file);
  return removed;
}

bool is_packed(const std::string& path) {
  return path.ends_with(".gz");
}

}  // namespace

void atomic_write(const std::string& path, std::span<const char> bytes,
                  const GzipSettings& settings) {
  if (is_packed(path)) {
    atomic_write_gzip(path, {{bytes}}, settings);
    return;
  }
  check_writable(path);
  Temporary file(path);
  file.write(bytes.data(), bytes.size());
  file.rename();
}

void atomic_write_gzip(const std::string& path, const std::vector<GzipPart>& parts,
                       const GzipSettings& settings) {
  if (!is_packed(path)) throw std::logic_error("parts of a gzip stream for a plain file");
  check_writable(path);
  Temporary file(path);
  gzip(parts, settings,
       [&](std::span<const char> packed) { file.write(packed.data(), packed.size()); });
  file.rename();
}

void atomic_write(const std::string& path, std::size_t size,
                  const std::function<void(const PutPart&)>& put_all,
                  const GzipSettings& settings) {
  if (is_packed(path)) {
    // gzip() needs the whole content in order.
    Bytes whole(size);
    put_all([&](std::size_t offset, std::span<const char> bytes) {
      std::copy(bytes.begin(), bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset));
    });
    atomic_write(path, whole, settings);
    return;
  }
  check_writable(path);
  Temporary file(path);
  put_all([&](std::size_t offset, std::span<const char> bytes) {
    file.write_at(offset, bytes.data(), bytes.size());
  });
  file.rename();
}

std::vector<std::string> remove_abandoned(const std::vector<std::string>& paths) {
  std::map<fs::path, std::set<std::string, std::less<>>> names;  // by folder
  for (const std::string& path : paths)
    names[folder_of(path)].insert(fs::path(path).filename().string());
  std::vector<std::string> removed;
  for (const auto& [folder, wanted] : names) {
    std::error_code code;  // ignored: writing to the folder will report the error
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
         entry.increment(code)) {
      const std::string name = entry->path().filename().string();
      const std::string_view of = name_of_temporary(name);
      if (!of.empty() && wanted.contains(of) && remove_if_abandoned(entry->path().string()))
        removed.push_back(entry->path().string());
    }
  }
  return removed;
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
  // A rename would replace a device such as /dev/null by a file.
  if (fs::exists(path, code) && !fs::is_regular_file(path, code))
    throw data_error(path, "is a device or a pipe", "a file name");
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw cannot_write(path, errno);
}

}  // namespace spex
