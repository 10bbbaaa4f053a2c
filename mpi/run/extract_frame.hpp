// One frame, from files to file, over any number of ranks.
#pragma once

#include "mpi/comm/environment.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/frame/assemble_frame.hpp"
#include "reference/frame/frame_job.hpp"

namespace spex::mpi {

/// How the extraction of a frame went.
struct FrameSummary {
  PatchCounts counts;  ///< on rank 0
  StageTimes times;    ///< seconds of all threads of all ranks, on rank 0
};

/// Rank 0 reads and checks, all ranks extract their patches, rank 0 writes. The output is the same,
/// to the byte, for any number of ranks and threads. Throws the same CollectiveError on every rank
/// where any rank fails; nothing is written then.
FrameSummary extract_frame(const Communicator& comm, const FrameJob& job,
                           const PatchExtractor& extract);

}  // namespace spex::mpi
