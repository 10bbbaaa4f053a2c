#include "bench/measure/run_observer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/measure/sample.hpp"
#include "reference/core/error.hpp"

namespace spex::bench {
namespace {

namespace fs = std::filesystem;

constexpr int look_every_ms = 50;  // whether the watch is over; an event is seen at once
// Two clocks are read one after the other. What the machine does in between counts as their
// difference, so they are read again unless that was short.
constexpr double close_together_s = 0.002;
constexpr int most_readings = 20;

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

OpeningWatch::OpeningWatch(const std::vector<std::string>& paths)
    : events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (events_ < 0) return;
  for (const std::string& path : paths) {
    const int number = inotify_add_watch(events_, path.c_str(), IN_OPEN);
    if (number < 0) return;
    paths_[number] = path;
  }
  watches_ = true;
  thread_ = std::thread([this] { watch(); });
}

OpeningWatch::~OpeningWatch() {
  static_cast<void>(stop());
  if (events_ >= 0) close(events_);
}

std::optional<Opening> OpeningWatch::stop() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
  return first_;
}

void OpeningWatch::watch() {
  while (true) {
    const bool over = ended_;  // what came before the end is still read
    pollfd one{events_, POLLIN, 0};
    if (poll(&one, 1, over ? 0 : look_every_ms) <= 0) {
      if (over) return;
      continue;
    }
    const double now = unix_now();
    // Of files that are watched, and not of folders, an event has no name behind it.
    inotify_event event{};
    if (read(events_, &event, sizeof(event)) != sizeof(event)) return;
    // A file that is deleted gives an event too, of another kind.
    const auto found = paths_.find(event.wd);
    if ((event.mask & IN_OPEN) == 0 || found == paths_.end()) continue;
    if (!first_) first_ = {now, found->second};
    // Once is enough, and the system's list of events stays short.
    inotify_rm_watch(events_, event.wd);
    paths_.erase(found);
  }
}

std::string OpeningWatch::unopened() const {
  return !watches_ || paths_.empty() ? "" : paths_.begin()->second;
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
