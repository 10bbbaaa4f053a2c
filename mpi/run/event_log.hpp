// A log of what each rank did to which frame, with times.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// The phases of a rank's work.
enum class Phase { start, read, extract, gather, write };

/// "start" (the driver; then an extractor: CUDA context, handles, workspaces), "read", ...
[[nodiscard]] const char* to_string(Phase phase);

/// A logged phase; trivially copyable, so that it can be sent. Seconds since the log's start.
struct Event {
  int rank = 0;               ///< rank in the world
  int frame = 0;              ///< index in the job's list; -1 for start
  int bundle = -1;            ///< bundle of the rank's patches if they are in one bundle; else -1
  Phase phase = Phase::read;  ///< the phase
  double start = 0;           ///< s
  double end = 0;             ///< s
};

/// The events of one rank. Thread-safe, except `gather`.
class EventLog {
 public:
  /// Starts the clock on all ranks at once: nodes synchronize by a barrier, and the ranks of a node
  /// share one reading of the clock. Collective.
  explicit EventLog(const Communicator& world);

  /// Seconds since the start.
  [[nodiscard]] double now() const;
  /// The start of the log by this node's wall clock, seconds since 1970.
  [[nodiscard]] double origin_unix() const { return origin_unix_; }
  /// Adds a phase from `start` (seconds since the log's start) until now.
  void add(int frame, int bundle, Phase phase, double start);

  /// The events of all ranks, sorted by rank and start, on rank 0; empty on other ranks.
  /// Collective.
  [[nodiscard]] std::vector<Event> gather(const Communicator& world) const;

 private:
  int rank_;
  std::chrono::steady_clock::time_point origin_;
  double origin_unix_ = 0;
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

/// Logs an event from construction to destruction.
class EventTimer {
 public:
  /// Starts the event; the log must outlive the timer.
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
