// The GPUs of a node that the driver shows a process, found without starting the driver.
#pragma once

#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// A GPU that a process may use.
struct VisibleDevice {
  std::string name;    ///< as in CUDA_VISIBLE_DEVICES: an index, or the start of a UUID
  std::string bus_id;  ///< PCI address, "0000:c1:00.0"

  /// Compares both.
  bool operator==(const VisibleDevice&) const = default;
};

/// The visible GPUs in CUDA's order. `variable` is the value of CUDA_VISIBLE_DEVICES (null: not
/// set), `proc` the driver's folder, and `dev` that of the device files. A GPU whose device file
/// this process may not open is not visible. Empty if the GPUs are unknown: without that folder,
/// with MIG instances or GPUs of several models, and for other values of the variable than a list
/// of indices or UUIDs of different GPUs.
/// Source: CUDA C++ Programming Guide, "CUDA Environment Variables".
[[nodiscard]] std::vector<VisibleDevice> visible_devices(
    const char* variable, const std::string& proc = "/proc/driver/nvidia",
    const std::string& dev = "/dev");

/// The `visible` GPUs dealt to this rank of `node` (deal_devices), at most `most`, as a value of
/// CUDA_VISIBLE_DEVICES; empty if there are none, or if the ranks see different GPUs. Collective.
[[nodiscard]] std::string names_of_dealt(const std::vector<VisibleDevice>& visible, int most,
                                         const Communicator& node);

}  // namespace spex::mpi
