// Ends a run that makes no progress: a stopped rank, a file system that does not answer.
//
// A timer in each rank is not enough: a rank that is stopped (SIGSTOP) stops its own timer too, so
// the ranks of a node watch each other through shared memory.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mpi/comm/environment.hpp"
#include "mpi/run/event_log.hpp"

namespace spex::mpi {

/// One thread of each rank that sees whether the rank, and the others of its node, go on. The
/// ranks of a node see each other through memory that they share, not by MPI, which waits for those
/// that are stopped.
///
/// A run has come to a halt where, for as long as the limit,
/// - a rank has begun, ended and advanced nothing while it reads, extracts or writes a frame, or
///   makes an extractor; waiting for other ranks does not count;
/// - or the watchdog of another rank of the node gives no sign of life: it is stopped.
/// Time in which the watching process itself is stopped, as when a job is suspended, does not
/// count. A rank that is alone on its node has nobody to see that it is stopped.
class Watchdog {
 public:
  /// Ends the run; told what has come to a halt, in one line. Called at most once, by the
  /// watchdog's thread, and on one rank of those that see the same.
  using GiveUp = std::function<void(const std::string& what)>;
  /// The camera of a frame.
  using NameOf = std::function<std::string(int frame)>;

  /// Begins to watch, if `limit` is more than 0 s. Collective.
  Watchdog(const Communicator& world, std::chrono::duration<double> limit, NameOf camera_of,
           GiveUp give_up);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// The rank needs no more watching, and does not watch others.
  ~Watchdog();

  /// Something has advanced on this rank.
  void advance() noexcept;

  /// A phase of a frame on this rank, from construction to destruction; -1 is no frame.
  class Scope {
   public:
    /// The phase begins now; the watchdog outlives the scope.
    Scope(Watchdog& watchdog, Phase phase, int frame);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Watchdog& watchdog_;
    int place_ = -1;
  };

 private:
  struct Shared;
  struct Seen;
  class Board;
  void watch(const std::stop_token& stop);
  [[nodiscard]] std::string halted(std::vector<Seen>& seen) const;
  [[nodiscard]] std::string doing(const Shared& rank) const;

  int rank_;
  std::chrono::duration<double> limit_;
  std::chrono::duration<double> tick_;
  NameOf camera_of_;
  GiveUp give_up_;
  std::unique_ptr<Board> board_;  // of the ranks of the node; none where nothing is watched
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace spex::mpi
