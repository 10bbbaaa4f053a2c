#include "bench/run/file_watch.hpp"

#include <array>
#include <cstring>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "bench/result/utc.hpp"

namespace spex::bench {
namespace {

constexpr int poll_interval_ms = 50;
constexpr std::size_t buffer_bytes = 1 << 16;

}  // namespace

FileWatch::FileWatch(const std::vector<std::string>& paths, std::uint32_t mask)
    : mask_(mask), descriptor_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  for (const std::string& path : paths)
    if (inotify_add_watch(descriptor_, path.c_str(), mask) < 0) sees_all_ = false;
  if (descriptor_ < 0) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested())
      if (pollfd file{descriptor_, POLLIN, 0}; poll(&file, 1, poll_interval_ms) > 0) read_events();
  });
}

FileWatch::~FileWatch() {
  thread_ = {};
  if (descriptor_ >= 0) close(descriptor_);
}

EventTimes FileWatch::stop() {
  thread_ = {};   // waits for the end of the thread
  read_events();  // events since the thread's last read
  return times_;
}

void FileWatch::read_events() {
  const double now = unix_now();
  alignas(inotify_event) std::array<char, buffer_bytes> bytes;
  const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
  for (ssize_t at = 0; at < count;) {
    inotify_event event{};
    std::memcpy(&event, bytes.data() + at, sizeof(event));
    at += static_cast<ssize_t>(sizeof(event) + event.len);
    if ((event.mask & IN_Q_OVERFLOW) != 0) sees_all_ = false;
    if ((event.mask & mask_) == 0) continue;
    if (!times_.first) times_.first = now;
    times_.last = now;
  }
}

}  // namespace spex::bench
