#include "reference/core/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace spex {
namespace {

constexpr double redraw_seconds = 0.1;
constexpr double quiet_seconds = 5;
constexpr int bar_width = 30;

std::string clock_text(double seconds) {
  const long s = std::lround(seconds);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

Progress::Progress(std::string title, std::string unit, long total, bool shown, Clock clock)
    : title_(std::move(title)),
      unit_(std::move(unit)),
      total_(total),
      shown_(shown),
      terminal_(isatty(STDERR_FILENO) != 0),
      clock_(std::move(clock)),
      start_(clock_()),
      next_line_(std::max(1L, total / 10)) {
  if (shown_ && terminal_) draw(fmt::format("{}/{} {}", done_, total_, unit_));
}

Progress::~Progress() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

std::string Progress::text(double elapsed) const {
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  const double left = rate > 0 ? static_cast<double>(total_ - done_) / rate : 0;
  return fmt::format("{}/{} {}, {:.3g}/s, {} left", done_, total_, unit_, rate, clock_text(left));
}

void Progress::draw(const std::string& text) const {
  const std::size_t filled = std::min<long>(bar_width, bar_width * done_ / std::max(1L, total_));
  const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
  std::fputs(fmt::format("\r{} [{}] {}\033[K", title_, bar, text).c_str(), stderr);
  std::fflush(stderr);
}

void Progress::advance(long count) {
  const std::lock_guard lock(mutex_);
  done_ += count;
  if (!shown_) return;
  const double elapsed = clock_() - start_;
  if (terminal_) {
    if (done_ < total_ && elapsed - drawn_ < redraw_seconds) return;
    drawn_ = elapsed;
    draw(text(elapsed));
  } else if (done_ >= next_line_) {
    if (elapsed >= quiet_seconds) spdlog::info("{}: {}", title_, text(elapsed));
    while (next_line_ <= done_) next_line_ += std::max(1L, total_ / 10);
  }
}

}  // namespace spex
