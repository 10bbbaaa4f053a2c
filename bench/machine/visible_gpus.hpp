// Which GPUs of a node CUDA would show to a program that is started here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spex::bench {

/// A GPU of the node, as NVML names it.
struct GpuIdentity {
  std::string uuid;                    ///< GPU-...
  std::string model;                   ///< NVIDIA H200
  std::vector<std::string> mig_uuids;  ///< MIG-..., of its instances
};

struct VisibleGpu {
  int nvml_index = 0;
  std::string cuda_name;  ///< for CUDA_VISIBLE_DEVICES: the UUID of the GPU or of its instance
};

/// What CUDA makes of CUDA_VISIBLE_DEVICES (CUDA C++ Programming Guide, "CUDA Environment
/// Variables"), where `gpus` are those of the node by PCI address:
///
///     absent                 all
///     "", "-1", "none"       none
///     "2,0"                  indices, in this order; the first that is no index ends the list
///     "GPU-4d1f,GPU-9a"      UUIDs or their beginnings, where these fit one GPU only; likewise
///     "MIG-..."              instances of GPUs, of which CUDA shows a program one: the first
///
/// A GPU that is named twice leaves none. Indices count by PCI address where `device_order` (the
/// variable CUDA_DEVICE_ORDER, or empty) is PCI_BUS_ID or the GPUs are all alike. Otherwise CUDA
/// counts the fastest first, which NVML does not tell: throws Error(usage).
[[nodiscard]] std::vector<VisibleGpu> visible_gpus(const std::vector<GpuIdentity>& gpus,
                                                   const std::optional<std::string>& visible,
                                                   const std::string& device_order);

}  // namespace spex::bench
