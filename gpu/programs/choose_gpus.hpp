// Which GPUs a rank takes, and how many of them the driver starts.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::gpu {

/// What is asked for, and what there is to do.
struct GpuChoice {
  std::optional<int> device;  ///< GPU of every rank; those that it is dealt where absent
  std::optional<int> gpus;    ///< of a process alone; as many as its frames are worth where absent
  bool bind = true;           ///< to the CPUs beside them
  bool several = false;       ///< whether a rank extracts on several
  std::size_t frames = 1;     ///< of all ranks
};

/// The driver starts all GPUs that it may see, one after the other: for a process alone,
/// CUDA_VISIBLE_DEVICES becomes the first of them, as many as it is to have. One that may not run
/// on every CPU of its node is left all, to take those beside its own, and so is one that is told
/// which. To be called before the driver is. Throws CollectiveError (usage) where `gpus` is not for
/// this run. Collective.
void limit_visible_gpus(const GpuChoice& choice, const mpi::Communicator& world);

/// Starts the driver. The GPUs of this rank of `node`: that asked for, or those that it is dealt
/// (deal_devices), the first alone but for `several`, and no more than asked for. Binds it to the
/// CPUs beside them, of those that the launcher has left it, unless it is told not to. Throws
/// CollectiveError on every rank where one has no GPU (no_gpu), or where there are fewer than asked
/// for (usage). Collective.
[[nodiscard]] std::vector<int> choose_gpus(const GpuChoice& choice, const mpi::Communicator& world,
                                           const mpi::Communicator& node);

}  // namespace spex::gpu
