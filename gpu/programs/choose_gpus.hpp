// Selects the GPUs of each rank, and the number of GPUs that the driver initializes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::gpu {

/// The requested GPUs and the work.
struct GpuChoice {
  std::optional<int> device;  ///< GPU of every rank; if absent, GPUs are dealt to ranks
  std::optional<int> gpus;  ///< GPUs of a single process; if absent, chosen by the number of frames
  bool bind = true;         ///< bind ranks to the CPUs local to their GPUs
  bool several = false;     ///< a rank may use several GPUs
  std::size_t frames = 1;   ///< frames of all ranks
};

/// Shows the driver only this rank's GPUs, by CUDA_VISIBLE_DEVICES: it initializes all visible GPUs
/// of all processes of a node one after another. GPUs are dealt to ranks (deal_devices); a single
/// process gets as many as its frames are worth. All GPUs stay visible if `device` is given, or if
/// locate_gpus finds none. Must be called before the driver is initialized. Throws CollectiveError
/// (usage) if `gpus` does not fit this run. Collective.
void limit_visible_gpus(const GpuChoice& choice, const mpi::Communicator& world,
                        const mpi::Communicator& node);

/// Initializes the driver and returns the GPUs of this rank of `node`: `device`, or those that no
/// other rank sees, or else those dealt to it; one unless `several`; of a single process at most
/// `gpus`, or what its frames are worth. Binds the rank to the CPUs local to them, within the
/// launcher's binding, unless `bind` is false. Throws CollectiveError on every rank if any rank has
/// no GPU (no_gpu), or if there are fewer than `gpus` (usage). Collective.
[[nodiscard]] std::vector<int> choose_gpus(const GpuChoice& choice, const mpi::Communicator& world,
                                           const mpi::Communicator& node);

}  // namespace spex::gpu
