// The GPUs of each rank, found without starting the driver.
#pragma once

#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// A GPU that the driver shows a process.
struct LocatedGpu {
  std::string name;    ///< its UUID, for CUDA_VISIBLE_DEVICES
  std::string bus_id;  ///< PCI address, "0000:c1:00.0"
};

/// The GPUs that the driver would show this process, in CUDA's order. `visible` is the value of
/// CUDA_VISIBLE_DEVICES (null: not set), `proc` the driver's folder, and `dev` that of the device
/// files; a GPU whose file this process may not open is left out. Empty if they cannot be found:
/// without `proc`, or with GPUs of several models, divided by MIG, or without UUIDs.
[[nodiscard]] std::vector<LocatedGpu> locate_gpus(const char* visible,
                                                  const std::string& proc = "/proc/driver/nvidia",
                                                  const std::string& dev = "/dev");

/// The GPUs of `all` that are dealt to this rank of `node` (deal_devices), at most `most`, as a
/// value of CUDA_VISIBLE_DEVICES; empty if there are none, or if the ranks have different `all`.
/// Collective.
[[nodiscard]] std::string dealt_gpus(const std::vector<LocatedGpu>& all, int most,
                                     const Communicator& node);

}  // namespace spex::mpi
