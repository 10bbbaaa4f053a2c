// Progress of long work: a bar on a terminal, log lines elsewhere.
#pragma once

#include <mutex>
#include <string>

#include "reference/core/clock.hpp"

namespace spex {

/// Thread-safe. If stderr is a terminal, draws one line with done/total, rate and remaining time.
/// Otherwise writes a log line at every tenth of the work, unless the work takes less than 5 s.
class Progress {
 public:
  /// `unit` is the plural of the counted item, such as "patches".
  Progress(std::string title, std::string unit, long total, bool shown,
           Clock clock = steady_seconds);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Adds `count` finished items.
  void advance(long count = 1);

 private:
  [[nodiscard]] std::string text(double elapsed) const;
  void draw(const std::string& text) const;

  std::string title_;
  std::string unit_;
  long total_;
  bool shown_;
  bool terminal_;
  std::mutex mutex_;
  long done_ = 0;
  Clock clock_;
  double start_;
  double drawn_ = -1;  // time of the last drawing, seconds since start_
  long next_line_;     // value of done_ at which the next log line is due
};

}  // namespace spex
