// How frames ended, on their way to rank 0.
#pragma once

#include <list>
#include <string>
#include <vector>

#include "mpi/run/exposure.hpp"
#include "reference/core/progress.hpp"

namespace spex::mpi {

/// Collects one outcome for each frame, from whichever rank finished it. Only the thread that
/// speaks MPI may call it.
class Outcomes {
 public:
  /// Collective.
  Outcomes(const Communicator& world, const ExposureJob& job);

  /// Tells rank 0, without waiting for it. A failure is also a line on stderr, where the
  /// job asks for it.
  void report(FrameOutcome outcome);
  /// On rank 0, takes what has arrived, and shows progress; nothing on others.
  void poll();
  /// Waits until rank 0 has all outcomes; they are returned there, in the frames' order.
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
  std::list<Message> sent_;  // a message stays where it is until it has left
  std::vector<FrameOutcome> arrived_;
  Progress progress_;
};

}  // namespace spex::mpi
