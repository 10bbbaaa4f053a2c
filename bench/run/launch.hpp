// How an entry is started on a machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/machine/machine.hpp"
#include "bench/plan/entry.hpp"
#include "bench/result/record.hpp"
#include "bench/run/command.hpp"
#include "bench/run/launcher.hpp"

namespace spex::bench {

struct Programs {
  std::string spex_cpu, spex_gpu, spex_sim;
  std::string mps_wrapper;

  /// Those beside the running program, whether they are there or not.
  [[nodiscard]] static Programs beside_this_one();
  [[nodiscard]] std::vector<std::string> present() const;
  /// Throws Error(data) where one is missing that these entries are run with: the extractors and
  /// mps-wrapper that they ask for, and those that make all inputs and reference frames.
  void require_for(const std::vector<Entry>& entries) const;
};

struct LaunchSettings {
  Launcher launcher;
  int nodes = 1;  ///< to use, of those allocated
};

/// How an entry is started, with the program's own options `options` after those of the entry. One
/// rank on one node needs no launcher, but in srun's job. The launcher is none, srun, or mpirun,
/// which is that of any MPI.
[[nodiscard]] LaunchRecord make_launch(const Entry& entry, const Machine& machine,
                                       const LaunchSettings& settings, const Programs& programs,
                                       const std::vector<std::string>& options);

/// Variables of every launch: the order of CUDA's GPUs, those that Open MPI asks for where it is
/// root that runs it, as in containers, and one that keeps hwloc from starting the GPUs.
[[nodiscard]] std::map<std::string, std::string> launch_environment();

/// The GPUs that the entry uses on this node: the machine's first.
[[nodiscard]] std::vector<VisibleGpu> gpus_of(const Entry& entry, const Machine& machine);

}  // namespace spex::bench
