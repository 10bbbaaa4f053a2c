#include "bench/run/run_observer.hpp"

#include <algorithm>

#include <sys/inotify.h>
#include <sys/stat.h>

namespace spex::bench {

OpeningWatch::OpeningWatch(const std::vector<std::string>& paths)
    : events_([this](const FileEvent& event) { take(event); }) {
  for (const std::string& path : paths) {
    const int watch = events_.add(path, IN_OPEN | IN_ONESHOT);
    all_ = all_ && watch >= 0;
  }
  events_.start();
}

std::optional<double> OpeningWatch::stop() {
  events_.stop();
  return first_;
}

void OpeningWatch::take(const FileEvent& event) {
  if ((event.mask & IN_OPEN) != 0 && !first_) first_ = event.seen_unix;
}

WritingWatch::WritingWatch(const std::string& folder)
    : events_([this](const FileEvent& event) { last_ = event.seen_unix; }) {
  watch_ = events_.add(folder, IN_CLOSE_WRITE | IN_MOVED_TO);
  events_.start();
}

std::optional<double> WritingWatch::stop() {
  events_.stop();
  return last_;
}

std::optional<double> last_change(const std::string& path) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return std::nullopt;
  const auto seconds = [](const timespec& time) {
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  return std::max(seconds(about.st_mtim), seconds(about.st_ctim));
}

}  // namespace spex::bench
