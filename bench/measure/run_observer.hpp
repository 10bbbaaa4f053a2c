// What is seen of a run from outside, whatever it says of itself.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/file_events.hpp"

namespace spex::bench {

/// What a user can do where a watch does not see all.
inline constexpr const char* blind_expected =
    "room for more in /proc/sys/user/max_inotify_instances and max_inotify_watches";

/// The first opening of one of some files.
struct Opening {
  double unix_s = 0;           ///< when it was seen, seconds since 1970
  double not_before_unix = 0;  ///< it was not open before (FileEvent)
  std::string path;
};

/// Watches which of some files are opened, and when the first one is.
class OpeningWatch {
 public:
  explicit OpeningWatch(const std::vector<std::string>& paths);
  OpeningWatch(const OpeningWatch&) = delete;
  OpeningWatch& operator=(const OpeningWatch&) = delete;
  ~OpeningWatch() = default;

  /// Whether the system watches all of the files, and told of all that happened to them.
  [[nodiscard]] bool watches() const { return all_ && !events_.is_blind(); }

  /// Ends the watch. Which file was opened first; nothing where none was, or by another node.
  [[nodiscard]] std::optional<Opening> stop();

  /// One of the files that was not opened until the watch ended; "" where all were.
  [[nodiscard]] std::string unopened() const;

 private:
  void take(const FileEvent& event);

  std::map<int, std::string> paths_;  // those that were not opened, by their watch
  bool all_ = true;
  std::optional<Opening> first_;
  FileEvents events_;
};

/// The last closing of one of some files, by this machine's clock.
struct Closing {
  double unix_s = 0;           ///< when it was seen, seconds since 1970
  double not_before_unix = 0;  ///< it was open until then (FileEvent)
};

/// Watches when the files of a folder were last closed by who had them open for writing, which is
/// when memory that is mapped to them goes too: a file's own times stay as they are where it is
/// written through memory. Files by whatever name they were opened.
class WritingWatch {
 public:
  explicit WritingWatch(const std::string& folder);
  WritingWatch(const WritingWatch&) = delete;
  WritingWatch& operator=(const WritingWatch&) = delete;
  ~WritingWatch() = default;

  /// As OpeningWatch.
  [[nodiscard]] bool watches() const { return all_ && !events_.is_blind(); }

  /// Ends the watch. When a file was last closed; nothing where none was, or by another node.
  [[nodiscard]] std::optional<Closing> stop();

 private:
  void take(const FileEvent& event);

  std::string folder_;
  int watch_ = -1;  // of the folder
  std::atomic<bool> all_{true};
  std::optional<Closing> last_;
  FileEvents events_;
};

/// The clock of the file system of `folder`: seconds since 1970, less this machine's. Throws
/// Error(data) where no file can be written there.
[[nodiscard]] double file_clock_offset(const std::string& folder);

/// When the last of the files was last changed, written or renamed, by their file system's clock;
/// nothing where one is missing.
[[nodiscard]] std::optional<double> last_change(const std::vector<std::string>& paths);

}  // namespace spex::bench
