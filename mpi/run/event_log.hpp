// When which rank did what to which frame.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// What a rank does in a span of its time.
enum class Phase { start, read, extract, gather, write };

/// "start" (an extractor: CUDA context, handles, workspaces), "read", ...
[[nodiscard]] const char* to_string(Phase phase);

/// Plain, so that it can travel; seconds from the log's start.
struct Event {
  int rank = 0;               ///< of the world
  int frame = 0;              ///< index in the job's list; -1 for start
  int bundle = -1;            ///< where the rank's share lies within one bundle; else -1
  Phase phase = Phase::read;  ///< what was done
  double start = 0;           ///< s
  double end = 0;             ///< s
};

/// The events of one rank. Thread-safe, but for `gather`.
class EventLog {
 public:
  /// Starts the clock on all ranks at once: on all nodes by a barrier, and within a node by one
  /// rank's reading of the clock that they share. Collective.
  explicit EventLog(const Communicator& world);

  /// Seconds since the start.
  [[nodiscard]] double now() const;
  /// The log's start by this node's wall clock, seconds since 1970.
  [[nodiscard]] double origin_unix() const { return origin_unix_; }
  /// Notes a phase that began at `start` (seconds since the log's start) and ends now.
  void add(int frame, int bundle, Phase phase, double start);

  /// The events of all ranks by rank and start, on rank 0; none on others. Collective.
  [[nodiscard]] std::vector<Event> gather(const Communicator& world) const;

 private:
  int rank_;
  std::chrono::steady_clock::time_point origin_;
  double origin_unix_ = 0;
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

/// An event from construction to destruction.
class EventTimer {
 public:
  /// The event begins now; the log outlives the timer.
  EventTimer(EventLog& log, int frame, Phase phase, int bundle = -1)
      : log_(log), frame_(frame), phase_(phase), bundle_(bundle), start_(log.now()) {}
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;
  ~EventTimer() { log_.add(frame_, bundle_, phase_, start_); }

 private:
  EventLog& log_;
  int frame_;
  Phase phase_;
  int bundle_;
  double start_;
};

}  // namespace spex::mpi
