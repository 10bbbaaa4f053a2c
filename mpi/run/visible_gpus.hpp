// The GPUs of a node that CUDA shows to a program started here.
#pragma once

#include <string>
#include <vector>

namespace spex::mpi {

/// A GPU of the node, as NVML or the driver describes it.
struct GpuIdentity {
  std::string uuid;                    ///< GPU-...
  std::string model;                   ///< NVIDIA H200
  std::vector<std::string> mig_uuids;  ///< MIG-..., of its instances
};

/// A GPU that CUDA shows.
struct VisibleGpu {
  int index = 0;     ///< among the node's GPUs
  std::string name;  ///< for CUDA_VISIBLE_DEVICES: UUID of the GPU or its instance
};

/// How CUDA interprets CUDA_VISIBLE_DEVICES (CUDA C++ Programming Guide, "CUDA Environment
/// Variables"). `gpus` are the node's GPUs by PCI address.
///
///     null: not set          all
///     "", "-1", "none"       none
///     "2,0"                  indices in this order; the list ends at the first invalid index
///     "GPU-4d1f,GPU-9a"      UUIDs or unique prefixes of them; ends likewise
///     "MIG-..."              instances of GPUs; CUDA shows a program only the first
///
/// A GPU that is named twice leaves no GPU. Indices count by PCI address if `device_order` (the
/// variable CUDA_DEVICE_ORDER, or empty) is PCI_BUS_ID or all GPUs are of the same model. Otherwise
/// CUDA counts the fastest GPU first, which programs cannot know: throws Error(usage).
[[nodiscard]] std::vector<VisibleGpu> visible_gpus(const std::vector<GpuIdentity>& gpus,
                                                   const char* visible,
                                                   const std::string& device_order);

}  // namespace spex::mpi
