#include "bench/run/file_events.hpp"

#include <array>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "bench/result/utc.hpp"

namespace spex::bench {
namespace {

constexpr int look_every_ms = 50;
constexpr std::size_t room = 1 << 16;

}  // namespace

FileEvents::FileEvents(std::function<void(const FileEvent&)> take)
    : take_(std::move(take)), descriptor_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (descriptor_ < 0) blind_ = true;
}

FileEvents::~FileEvents() {
  stop();
  if (descriptor_ >= 0) close(descriptor_);
}

int FileEvents::add(const std::string& path, std::uint32_t mask) const {
  return inotify_add_watch(descriptor_, path.c_str(), mask);
}

void FileEvents::start() {
  if (descriptor_ >= 0) thread_ = std::thread([this] { look(); });
}

void FileEvents::stop() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
}

void FileEvents::look() {
  for (bool over = false; !over;) {
    over = ended_;  // what came before the end is still read
    pollfd one{descriptor_, POLLIN, 0};
    if (poll(&one, 1, over ? 0 : look_every_ms) > 0) hand_on();
  }
}

void FileEvents::hand_on() {
  const double now = unix_now();
  alignas(inotify_event) std::array<char, room> bytes;
  const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
  for (ssize_t at = 0; at < count;) {
    inotify_event event{};
    std::memcpy(&event, bytes.data() + at, sizeof(event));
    const char* const name = bytes.data() + at + sizeof(event);
    at += static_cast<ssize_t>(sizeof(event) + event.len);
    if ((event.mask & IN_Q_OVERFLOW) != 0) blind_ = true;
    take_({event.wd, event.mask, event.len == 0 ? "" : name, now});
  }
}

}  // namespace spex::bench
