// What is seen of a run's files from outside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/run/file_events.hpp"

namespace spex::bench {

/// What a user can do where a watch does not see all.
inline constexpr const char* blind_expected =
    "room for more in /proc/sys/user/max_inotify_instances and max_inotify_watches";

/// Watches when the first of some files is opened.
class OpeningWatch {
 public:
  explicit OpeningWatch(const std::vector<std::string>& paths);
  OpeningWatch(const OpeningWatch&) = delete;
  OpeningWatch& operator=(const OpeningWatch&) = delete;
  ~OpeningWatch() = default;

  /// Whether the system watches all of the files, and told of all that happened to them.
  [[nodiscard]] bool watches() const { return all_ && !events_.is_blind(); }

  /// Ends the watch. When the first file was opened, seconds since 1970; nothing where none was, or
  /// by another node.
  [[nodiscard]] std::optional<double> stop();

 private:
  void take(const FileEvent& event);

  bool all_ = true;
  std::optional<double> first_;
  FileEvents events_;
};

/// Watches when a file of a folder was last closed by who had it open for writing, or took its
/// name.
class WritingWatch {
 public:
  explicit WritingWatch(const std::string& folder);
  WritingWatch(const WritingWatch&) = delete;
  WritingWatch& operator=(const WritingWatch&) = delete;
  ~WritingWatch() = default;

  /// As OpeningWatch.
  [[nodiscard]] bool watches() const { return watch_ >= 0 && !events_.is_blind(); }

  /// Ends the watch. The time of that, seconds since 1970; nothing where no file was written, or by
  /// another node.
  [[nodiscard]] std::optional<double> stop();

 private:
  int watch_ = -1;
  std::optional<double> last_;
  FileEvents events_;
};

/// When a file was last changed, written or renamed, by its file system's clock; nothing where it
/// is missing.
[[nodiscard]] std::optional<double> last_change(const std::string& path);

}  // namespace spex::bench
