#include "bench/measure/run_observer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <sys/inotify.h>
#include <sys/stat.h>

#include "bench/measure/sample.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

// Two clocks are read one after the other. What the machine does in between counts as their
// difference, so they are read again unless that was short.
constexpr double close_together_s = 0.002;
constexpr int most_readings = 20;

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

OpeningWatch::OpeningWatch(const std::vector<std::string>& paths)
    : events_([this](const FileEvent& event) { take(event); }) {
  for (const std::string& path : paths) {
    const int watch = events_.add(path, IN_OPEN);
    if (watch >= 0) paths_[watch] = path;
    all_ = all_ && watch >= 0;
  }
  events_.start();
}

std::optional<Opening> OpeningWatch::stop() {
  events_.stop();
  return first_;
}

void OpeningWatch::take(const FileEvent& event) {
  // A file that is deleted gives an event too, of another kind.
  const auto found = paths_.find(event.watch);
  if ((event.mask & IN_OPEN) == 0 || found == paths_.end()) return;
  if (!first_) first_ = {event.seen_unix, event.not_before_unix, found->second};
  // Once is enough, and the system's list of events stays short.
  events_.remove(event.watch);
  paths_.erase(found);
}

std::string OpeningWatch::unopened() const {
  return paths_.empty() ? "" : paths_.begin()->second;
}

WritingWatch::WritingWatch(const std::string& folder)
    : folder_(folder), events_([this](const FileEvent& event) { take(event); }) {
  watch_ = events_.add(folder, IN_CREATE | IN_MOVED_TO);
  all_ = watch_ >= 0;
  events_.start();
}

std::optional<Closing> WritingWatch::stop() {
  events_.stop();
  return last_;
}

void WritingWatch::take(const FileEvent& event) {
  if (event.watch != watch_) {
    if ((event.mask & IN_CLOSE_WRITE) != 0) last_ = {event.seen_unix, event.not_before_unix};
    return;
  }
  if (event.name.empty()) return;
  // The file itself, and not its name here: it may be open by another. One that is gone again, as
  // it was renamed, is met by its next name.
  const std::string path = fs::path(folder_) / event.name;
  if (events_.add(path, IN_CLOSE_WRITE | IN_DONT_FOLLOW) < 0 && errno != ENOENT) all_ = false;
}

double file_clock_offset(const std::string& folder) {
  const std::string path = fs::path(folder) / ".clock";
  double offset = 0;
  double closest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_readings && closest > close_together_s; ++i) {
    const double before = unix_now();
    std::ofstream(path) << "x";
    const double took = unix_now() - before;
    struct stat about {};
    if (stat(path.c_str(), &about) != 0)
      throw data_error(path, std::strerror(errno), "a file that can be written");
    fs::remove(path);
    if (took >= closest) continue;
    closest = took;
    offset = seconds(about.st_mtim) - before;
  }
  return offset;
}

std::optional<double> last_change(const std::vector<std::string>& paths) {
  std::optional<double> last;
  for (const std::string& path : paths) {
    struct stat about {};
    if (lstat(path.c_str(), &about) != 0) return std::nullopt;
    last = std::max({last.value_or(0), seconds(about.st_mtim), seconds(about.st_ctim)});
  }
  return last;
}

}  // namespace spex::bench
