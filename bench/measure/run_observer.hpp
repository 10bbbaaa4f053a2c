// What is seen of a run from outside, whatever it says of itself.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace spex::bench {

/// The first opening of one of some files.
struct Opening {
  double unix_s = 0;  ///< when, seconds since 1970
  std::string path;
};

/// Watches which of some files are opened, and when the first one is, by inotify.
class OpeningWatch {
 public:
  explicit OpeningWatch(const std::vector<std::string>& paths);
  OpeningWatch(const OpeningWatch&) = delete;
  OpeningWatch& operator=(const OpeningWatch&) = delete;
  ~OpeningWatch();

  /// Whether the system watches all of the files.
  [[nodiscard]] bool watches() const { return watches_; }

  /// Ends the watch. Which file was opened first; nothing where none was, or by another node, or
  /// the system cannot watch files.
  [[nodiscard]] std::optional<Opening> stop();

  /// One of the files that was not opened until the watch ended; "" where all were, or the system
  /// does not tell.
  [[nodiscard]] std::string unopened() const;

 private:
  void watch();

  int events_ = -1;                   // a file descriptor
  std::map<int, std::string> paths_;  // those that were not opened, by inotify's number
  bool watches_ = false;
  std::atomic<bool> ended_{false};
  std::optional<Opening> first_;
  std::thread thread_;
};

/// The clock of the file system of `folder`: seconds since 1970, less this machine's. Throws
/// Error(data) where no file can be written there.
[[nodiscard]] double file_clock_offset(const std::string& folder);

/// When the last of the files was last changed, written or renamed, by their file system's clock;
/// nothing where one is missing.
[[nodiscard]] std::optional<double> last_change(const std::vector<std::string>& paths);

}  // namespace spex::bench
