// Writes the log of a run to a file, for benchmarks and plots.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mpi/run/event_log.hpp"
#include "mpi/run/exposure.hpp"

namespace spex::mpi {

/// A rank's report at the end of a run; trivially copyable, so that it can be sent.
struct RankReport {
  std::array<char, 256> host{};  ///< name of the node, zero-terminated
  double max_rss_bytes = 0;      ///< peak memory of the process
  StageTimes times;              ///< seconds of the rank's threads
};

/// The report of this process with `times`.
[[nodiscard]] RankReport describe_rank(const StageTimes& times);

/// The reports of all ranks, by rank, on rank 0; empty on other ranks. Collective.
[[nodiscard]] std::vector<RankReport> gather_reports(const Communicator& world,
                                                     const RankReport& mine);

/// Writes the run log (docs/results.md) to `path`: the job's frames with their outcomes, the ranks,
/// and the events. `origin_unix` is the start of the events' clock. Throws Error(data).
void write_run_log(const std::string& path, const ExposureJob& job, double origin_unix,
                   const std::vector<FrameOutcome>& outcomes, const std::vector<RankReport>& ranks,
                   const std::vector<Event>& events);

}  // namespace spex::mpi
