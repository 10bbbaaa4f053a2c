// Gathers patch results on rank 0.
#pragma once

#include <vector>

#include "mpi/comm/environment.hpp"
#include "reference/core/stage_times.hpp"
#include "reference/model/patch_result.hpp"

namespace spex::mpi {

/// Gathers the results of all patches on rank 0, in patch order; other ranks get none. `rank_of` is
/// the rank of each patch; `mine` holds the results of this rank's patches in order. Every message
/// contains `frame`; throws std::logic_error on a mismatch.
[[nodiscard]] std::vector<PatchResult> gather_results(const Communicator& comm,
                                                      const std::vector<int>& rank_of,
                                                      std::vector<PatchResult>&& mine,
                                                      int frame = 0);

/// The sum of all ranks' seconds on rank 0; other ranks get their own seconds.
[[nodiscard]] StageTimes gather_times(const Communicator& comm, const StageTimes& mine);

}  // namespace spex::mpi
