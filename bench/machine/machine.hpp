// Describes the machine that a benchmark runs on, and the build.
#pragma once

#include <string>
#include <vector>

#include "bench/machine/nvml.hpp"
#include "bench/result/system_record.hpp"
#include "mpi/run/visible_gpus.hpp"

namespace spex::bench {

/// This machine, as results describe it.
struct Machine : SystemRecord {
  std::vector<mpi::VisibleGpu> visible;  ///< where to find `gpus`, in the same order
};

/// Describes this machine. `name` may be empty. Throws Error(usage) if CUDA_VISIBLE_DEVICES is
/// ambiguous.
[[nodiscard]] Machine describe_machine(const Nvml& nvml, const std::string& name);

/// This program's build, which the extractors in its folder share.
[[nodiscard]] BuildRecord describe_build();

/// The version text of the MPI library that this program is linked with.
[[nodiscard]] std::string mpi_library_version();

/// The type of the file system of `folder`: "tmpfs", "ext4", ...
[[nodiscard]] std::string file_system_of(const std::string& folder);

}  // namespace spex::bench
