// Describes the machine that a benchmark runs on, and the build.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/machine/nvml.hpp"
#include "bench/machine/visible_gpus.hpp"
#include "bench/plan/members.hpp"

namespace spex::bench {

struct Machine {
  std::string name;                ///< from --system, or the host name
  std::vector<std::string> hosts;  ///< this host, or Slurm's node list
  int nodes_allocated = 1;         ///< by Slurm, or 1
  std::string cpu;                 ///< model
  int cpus = 1;                    ///< CPUs of this node that this process may use
  double memory_bytes = 0;
  std::string os;
  std::string kernel;
  std::vector<VisibleGpu> gpus;        ///< GPUs that CUDA shows here
  std::vector<std::string> gpu_names;  ///< their models
  SPEX_MEMBERS(name, hosts, nodes_allocated, cpu, cpus, memory_bytes, os, kernel)
};

/// Describes this machine. `name` may be empty. Throws Error(usage) if CUDA_VISIBLE_DEVICES is
/// ambiguous.
[[nodiscard]] Machine describe_machine(const Nvml& nvml, const std::string& name);

/// The object `system` of a result file.
[[nodiscard]] nlohmann::ordered_json system_json(const Machine& machine, const Nvml& nvml);

/// The object `build` of a result file: this program's build, which the extractors in its folder
/// share.
[[nodiscard]] nlohmann::ordered_json build_json();

/// The version text of the MPI library that this program is linked with.
[[nodiscard]] std::string mpi_library_version();

/// The type of the file system of `folder`: "tmpfs", "ext4", ...
[[nodiscard]] std::string file_system_of(const std::string& folder);

}  // namespace spex::bench
