// The machine that a benchmark runs on, and the build that runs.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/machine/nvml.hpp"
#include "bench/machine/visible_gpus.hpp"
#include "bench/plan/members.hpp"

namespace spex::bench {

struct Machine {
  std::string name;                ///< as --system names it; else the host's
  std::vector<std::string> hosts;  ///< this one, or Slurm's list of the job's
  int nodes_allocated = 1;         ///< Slurm's, or one
  std::string cpu;                 ///< model
  int cpus = 1;                    ///< of this node, that this process may use
  double memory_bytes = 0;
  std::string os;
  std::string kernel;
  std::vector<VisibleGpu> gpus;  ///< those that CUDA shows here
  SPEX_MEMBERS(name, hosts, nodes_allocated, cpu, cpus, memory_bytes, os, kernel)
};

/// This machine. `name` may be empty. Throws Error(usage) where CUDA_VISIBLE_DEVICES does not say
/// which GPUs it means.
[[nodiscard]] Machine describe_machine(const Nvml& nvml, const std::string& name);

/// `system` of a result file.
[[nodiscard]] nlohmann::ordered_json system_json(const Machine& machine, const Nvml& nvml);

/// `build` of a result file: this program's, which is that of the extractors beside it.
[[nodiscard]] nlohmann::ordered_json build_json();

/// What the MPI library that this program is linked with says of itself.
[[nodiscard]] std::string mpi_library_version();

/// The kind of the file system that `folder` is on: "tmpfs", "ext4", ...
[[nodiscard]] std::string file_system_of(const std::string& folder);

}  // namespace spex::bench
