// When files were opened or written, by inotify.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace spex::bench {

/// Times of the first and the last event, seconds since 1970. Empty if there were no events on this
/// node.
struct EventTimes {
  std::optional<double> first, last;
};

/// Watches files, or the files in folders, from construction to `stop`.
class FileWatch {
 public:
  /// `mask` is a set of inotify's events, such as IN_OPEN.
  FileWatch(const std::vector<std::string>& paths, std::uint32_t mask);
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch();

  /// Whether all paths were watched and no event was lost.
  [[nodiscard]] bool sees_all() const { return sees_all_; }
  /// Ends the watch.
  [[nodiscard]] EventTimes stop();

 private:
  void read_events();

  std::uint32_t mask_;
  int descriptor_ = -1;
  std::atomic<bool> sees_all_{true};
  EventTimes times_;
  std::jthread thread_;
};

}  // namespace spex::bench
