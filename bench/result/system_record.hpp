// The machine and the build of a result, as plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan/members.hpp"

namespace spex::bench {

/// The build of spex-bench, which the extractors in its folder share.
struct BuildRecord {
  std::string version;
  std::optional<std::string> commit;
  std::optional<bool> dirty;
  std::optional<std::string> sources_sha256;
  std::string compiler, flags, cuda, mpi, blas, lapack, cfitsio;
  std::optional<std::string> gpu_architectures;
  SPEX_ROWS((version), (commit, "null: not built from a clone"),
            (dirty, "sources differ from the commit"), (sources_sha256), (compiler), (flags),
            (cuda), (mpi), (blas), (lapack), (cfitsio), (gpu_architectures))
};

/// Facts about a node that decide its speed.
struct SystemFacts {
  std::optional<int> sockets, cores, threads_per_core, numa_nodes;
  std::optional<double> clock_max_mhz;
  std::optional<std::string> governor;
  std::optional<bool> boost;
  std::optional<std::string> microcode, huge_pages, container;
  std::optional<bool> virtual_machine;
  std::vector<std::string> modules;
  std::string energy;
  SPEX_ROWS((sockets), (cores, "of the node"), (threads_per_core, "hardware threads (SMT)"),
            (numa_nodes, "NUMA domains with CPUs or memory"), (clock_max_mhz, "by cpufreq"),
            (governor, "of cpufreq; those of all CPUs, by comma"),
            (boost, "clocks above the nominal one are allowed"), (microcode, "of the first CPU"),
            (huge_pages, "transparent: always, madvise or never"),
            (container, "docker, podman, apptainer, ..."), (virtual_machine),
            (modules, "environment modules that are loaded"),
            (energy, "counters of the node's energy, or why there are none"))
};

/// Properties of a GPU.
struct GpuDescription {
  int index = 0;
  std::string uuid, name;
  std::optional<double> memory_bytes;
  std::optional<bool> ecc, mig, persistence;
  std::optional<double> power_limit_w, clock_max_sm_mhz, clock_max_memory_mhz, pcie_generation,
      pcie_width;
  SPEX_ROWS((index, "in NVML's order"), (uuid), (name), (memory_bytes), (ecc), (mig),
            (persistence, "the driver stays loaded while nothing runs"), (power_limit_w),
            (clock_max_sm_mhz), (clock_max_memory_mhz), (pcie_generation), (pcie_width))
};

/// The machine of a benchmark.
struct SystemRecord {
  std::string name;
  std::vector<std::string> hosts;
  int nodes_allocated = 1;
  std::string cpu;
  int cpus = 1;
  double memory_bytes = 0;
  std::string os, kernel;
  std::optional<SystemFacts> facts;
  std::optional<std::string> driver, gpus_reason;
  std::vector<GpuDescription> gpus;
  SPEX_ROWS((name, "from --system, or the host name"), (hosts, "this host, or Slurm's node list"),
            (nodes_allocated, "by Slurm, or 1", Minimum{1}), (cpu, "model"),
            (cpus, "CPUs that the program may use on this node", Minimum{1}), (memory_bytes), (os),
            (kernel), (facts, "of the node; null: Linux gives no value here", added_later),
            (driver), (gpus_reason, "why there is no GPU or no NVML"),
            (gpus, "that CUDA shows here; null: the driver has no value"))
};

}  // namespace spex::bench
