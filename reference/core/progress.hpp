// Progress of long work: a bar on a terminal, plain log lines elsewhere.
#pragma once

#include <mutex>
#include <string>

#include "reference/core/clock.hpp"

namespace spex {

/// Thread-safe. On a terminal (stderr) one line with done/total, rate and time left is drawn from
/// the start on; elsewhere a log line is written at every tenth of the work, and none for work of
/// under 5 s.
class Progress {
 public:
  /// `unit` is what is counted, in the plural: "patches".
  Progress(std::string title, std::string unit, long total, bool shown,
           Clock clock = steady_seconds);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// `count` more are done.
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
  double drawn_ = -1;  // seconds since start_, of the last drawing
  long next_line_;     // done_ at which the next log line is due
};

}  // namespace spex
