// Facts about a node that decide its speed, as Linux gives them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan/members.hpp"

namespace spex::bench {

/// Absent: Linux gives no value here.
struct SystemFacts {
  std::optional<int> sockets, cores;      ///< of the node
  std::optional<int> threads_per_core;    ///< hardware threads (SMT)
  std::optional<int> numa_nodes;          ///< NUMA domains with CPUs or memory
  std::optional<double> clock_max_mhz;    ///< by cpufreq
  std::optional<std::string> governor;    ///< of cpufreq; those of all CPUs, by comma
  std::optional<bool> boost;              ///< clocks above the nominal one are allowed
  std::optional<std::string> microcode;   ///< of the first CPU
  std::optional<std::string> huge_pages;  ///< transparent: always, madvise or never
  std::optional<std::string> container;   ///< docker, podman, apptainer, ...
  std::optional<bool> virtual_machine;
  std::vector<std::string> modules;  ///< environment modules that are loaded
  std::string energy;                ///< counters of the node's energy, or why there are none
  SPEX_MEMBERS(sockets, cores, threads_per_core, numa_nodes, clock_max_mhz, governor, boost,
               microcode, huge_pages, container, virtual_machine, modules, energy)
};

/// Reads them below `root`, which is "" outside tests: /sys, /proc, /run and /.dockerenv. Modules
/// and some containers are known by the environment.
[[nodiscard]] SystemFacts read_system_facts(const std::string& root = "");

}  // namespace spex::bench
