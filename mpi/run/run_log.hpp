// The log of a run over many frames, as a file: what a benchmark and its pictures are made from.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mpi/run/event_log.hpp"
#include "mpi/run/exposure.hpp"

namespace spex::mpi {

/// What a rank says of itself at the end of a run; plain, so that it can travel.
struct RankReport {
  std::array<char, 256> host{};  ///< name of its node, ended by 0
  double max_rss_bytes = 0;      ///< the most memory that the process held
  StageTimes times;              ///< seconds of its threads
};

/// This process, with `times`.
[[nodiscard]] RankReport describe_rank(const StageTimes& times);

/// The reports of all ranks by rank, on rank 0; none on others. Collective.
[[nodiscard]] std::vector<RankReport> gather_reports(const Communicator& world,
                                                     const RankReport& mine);

/// Writes the run log (docs/results.md) to `path`: the job's frames with their outcomes, the ranks,
/// and the events; `origin_unix` is when the events' clock began. Throws Error(data).
void write_run_log(const std::string& path, const ExposureJob& job, double origin_unix,
                   const std::vector<FrameOutcome>& outcomes, const std::vector<RankReport>& ranks,
                   const std::vector<Event>& events);

}  // namespace spex::mpi
