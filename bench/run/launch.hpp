// The command line and environment of an entry on a machine.
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

  /// The programs in the folder of the running program, present or not.
  [[nodiscard]] static Programs in_own_folder();
  [[nodiscard]] std::vector<std::string> present() const;
  /// Throws Error(data) if a program is missing that these entries need: the extractors and
  /// mps-wrapper, or those that make inputs and reference frames.
  void require_for(const std::vector<Entry>& entries) const;
};

struct LaunchSettings {
  Launcher launcher;
  int nodes = 1;  ///< nodes to use, at most those allocated
};

/// The launch of an entry; `options` follow the entry's own options of the extraction program. A
/// single rank needs no launcher, except under srun. LaunchRecord::launcher is "none", "srun" or
/// "mpirun", which stands for the launcher of any MPI.
[[nodiscard]] LaunchRecord make_launch(const Entry& entry, const Machine& machine,
                                       const LaunchSettings& settings, const Programs& programs,
                                       const std::vector<std::string>& options);

/// Variables of every launch: CUDA's order of GPUs, Open MPI's permission to run as root (as in
/// containers), and one that keeps hwloc from initializing the GPUs.
[[nodiscard]] std::map<std::string, std::string> launch_environment();

/// The GPUs that the entry uses on this node: the first of the machine.
[[nodiscard]] std::vector<mpi::VisibleGpu> gpus_of(const Entry& entry, const Machine& machine);

}  // namespace spex::bench
