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

/// Shows the driver only this rank's GPUs, by CUDA_VISIBLE_DEVICES, because it initializes all
/// visible GPUs one after another, for each process of a node. They are dealt as choose_gpus does.
/// A single process gets only as many GPUs as its frames are worth. All GPUs stay visible if they
/// are unknown without the driver (visible_devices), or with a given device. Must be called before
/// the driver is initialized. Throws CollectiveError (usage) if `gpus` does not fit this run.
/// Collective.
void limit_visible_gpus(const GpuChoice& choice, const mpi::Communicator& world,
                        const mpi::Communicator& node);

/// Initializes the driver and returns the GPUs of this rank of `node`: the requested GPU, or those
/// that no other rank sees, or else the dealt GPUs (deal_devices). They are limited to one unless
/// `several`, and to the requested number. Binds
/// the rank to the CPUs local to them, within the launcher's binding, unless `bind` is false.
/// Throws CollectiveError on every rank if any rank has no GPU (no_gpu), or if there are fewer GPUs
/// than requested (usage). Collective.
[[nodiscard]] std::vector<int> choose_gpus(const GpuChoice& choice, const mpi::Communicator& world,
                                           const mpi::Communicator& node);

}  // namespace spex::gpu
