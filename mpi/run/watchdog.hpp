// Aborts a run that makes no progress: a stopped rank, a file system that does not answer.
//
// A timer in each rank is not enough: a stopped rank (SIGSTOP) stops its own timer too. So the
// ranks of a node watch each other through shared memory.
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

/// A thread in each rank that observes the progress of its rank and of the other ranks of its node.
/// The ranks of a node share memory instead of using MPI, which would wait for stopped ranks.
/// that are stopped.
/// A run is stalled if for the duration of the limit
/// - a rank has started, ended and advanced nothing while it reads, extracts or writes a frame, or
///   makes an extractor (waiting for other ranks does not count),
/// - or the watchdog of another rank of the node shows no beat, because it is stopped.
/// Time in which the observing process itself is stopped does not count, as when a job is
/// suspended. If a rank is alone on its node, nobody observes that it is stopped.
class Watchdog {
 public:
  /// Ends the run; gets a line about the stall. Called at most once, by the watchdog's thread, on
  /// one of the ranks that observe the stall.
  using GiveUp = std::function<void(const std::string& what)>;
  /// The camera of a frame.
  using NameOf = std::function<std::string(int frame)>;

  /// Starts watching if `limit` is above 0 s. Collective.
  Watchdog(const Communicator& world, std::chrono::duration<double> limit, NameOf camera_of,
           GiveUp give_up);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  /// Ends watching of and by this rank.
  ~Watchdog();

  /// Records progress of this rank.
  void advance() noexcept;

  /// A phase of a frame on this rank, from construction to destruction; frame -1: no frame.
  class Scope {
   public:
    /// Starts the phase; the watchdog must outlive the scope.
    Scope(Watchdog& watchdog, Phase phase, int frame);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Watchdog& watchdog_;
    int slot_ = -1;
  };

 private:
  struct RankState;
  struct Observation;
  class NodeMemory;
  void watch(const std::stop_token& stop);
  [[nodiscard]] std::string find_stall(std::vector<Observation>& observations) const;
  [[nodiscard]] std::string describe_work(const RankState& rank) const;

  int rank_;
  std::chrono::duration<double> limit_;
  std::chrono::duration<double> tick_;
  NameOf camera_of_;
  GiveUp give_up_;
  std::unique_ptr<NodeMemory> node_;  // state of the node's ranks; null if nothing is watched
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace spex::mpi
