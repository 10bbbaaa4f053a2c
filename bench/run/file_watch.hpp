// When files were opened or written, as Linux tells it (inotify).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace spex::bench {

/// When the first and the last event were seen, seconds since 1970; nothing where there was none,
/// or by another node alone.
struct EventTimes {
  std::optional<double> first, last;
};

/// Watches files, or what happens in folders, from its construction to `stop`.
class FileWatch {
 public:
  /// `mask` has inotify's events, such as IN_OPEN.
  FileWatch(const std::vector<std::string>& paths, std::uint32_t mask);
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;
  ~FileWatch();

  /// Whether the system watches all of the paths, and told of all that happened.
  [[nodiscard]] bool sees_all() const { return sees_all_; }
  [[nodiscard]] EventTimes stop();

 private:
  void take_events();

  std::uint32_t mask_;
  int descriptor_ = -1;
  std::atomic<bool> sees_all_{true};
  EventTimes times_;
  std::jthread thread_;
};

}  // namespace spex::bench
