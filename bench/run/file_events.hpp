// What happens to files, as Linux tells it (inotify).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace spex::bench {

/// Something that happened to a watched file, or to one in a watched folder.
struct FileEvent {
  int watch = -1;          ///< as add() numbered it
  std::uint32_t mask = 0;  ///< inotify's
  std::string name;        ///< of the file in a watched folder
  /// When it was seen, seconds since 1970: as soon as it is there, unless the thread that looks is
  /// held up.
  double seen_unix = 0;
};

/// Events of files, which a thread hands on one after the other.
class FileEvents {
 public:
  /// `take` gets each event, on the thread.
  explicit FileEvents(std::function<void(const FileEvent&)> take);
  FileEvents(const FileEvents&) = delete;
  FileEvents& operator=(const FileEvents&) = delete;
  ~FileEvents();

  /// Watches a file or a folder for the events of `mask`: its number; -1 and errno where that
  /// cannot be, as it is not there or too many are watched.
  [[nodiscard]] int add(const std::string& path, std::uint32_t mask) const;

  void start();
  /// What came before is still handed on.
  void stop();

  /// Whether there are no events, as the user has too many such lists, or some were lost.
  [[nodiscard]] bool is_blind() const { return blind_; }

 private:
  void look();
  void hand_on();

  std::function<void(const FileEvent&)> take_;
  int descriptor_ = -1;
  std::atomic<bool> ended_{false};
  std::atomic<bool> blind_{false};
  std::thread thread_;
};

}  // namespace spex::bench
