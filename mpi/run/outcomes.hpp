// Sends frame outcomes to rank 0.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "mpi/run/exposure.hpp"
#include "reference/core/progress.hpp"

namespace spex::mpi {

/// Collects one outcome per frame from the rank that finished it. Only the thread that calls MPI
/// may use this class.
class Outcomes {
 public:
  /// Collective.
  Outcomes(const Communicator& world, const ExposureJob& job);

  /// Sends the outcome to rank 0 without waiting. Also reports a failure on stderr if the job
  /// requests it.
  void report(FrameOutcome outcome);
  /// On rank 0, receives pending outcomes and shows progress; no effect on other ranks.
  void poll();
  /// Waits until rank 0 has all outcomes and returns them there, in the frames' order.
  [[nodiscard]] std::vector<FrameOutcome> finish();

 private:
  struct Message {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void receive(const MPI_Status& status);
  void accept(FrameOutcome outcome);

  const ExposureJob& job_;
  Communicator comm_;
  std::list<Message> sent_;  // a message must not move until it is sent
  std::vector<FrameOutcome> arrived_;
  Progress progress_;
};

}  // namespace spex::mpi
