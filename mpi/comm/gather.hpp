// Patch results on their way to rank 0.
#pragma once

#include <vector>

#include "mpi/comm/environment.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/model/patch_result.hpp"

namespace spex::mpi {

/// Rank 0 gets the results of all patches in their order; others get none. `rank_of` is the rank of
/// each patch; `mine` holds the results of this rank's patches in order. `frame` travels with every
/// result: throws std::logic_error where another frame's arrives.
[[nodiscard]] std::vector<PatchResult> gather_results(const Communicator& comm,
                                                      const std::vector<int>& rank_of,
                                                      std::vector<PatchResult>&& mine,
                                                      int frame = 0);

/// Seconds of all ranks, on rank 0; on others their own.
[[nodiscard]] StageTimes gather_times(const Communicator& comm, const StageTimes& mine);

}  // namespace spex::mpi
