// The launcher of a run's ranks on this machine: that of the MPI that the programs are linked with,
// or Slurm's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spex::bench {

/// Implementations of MPI that differ in their launcher or in Slurm's PMI type.
enum class MpiFamily {
  open_mpi,
  mpich,       ///< MPICH, and MVAPICH and Intel MPI, which derive from it
  cray_mpich,  ///< started by srun with the site's defaults
  other
};

/// The family of a library by its MPI_Get_library_version.
[[nodiscard]] MpiFamily mpi_family(std::string_view version);

/// Option syntax of a launcher.
enum class LauncherSyntax { open_mpi, hydra, srun };

struct Launcher {
  LauncherSyntax syntax = LauncherSyntax::open_mpi;
  std::string program = "mpirun";  ///< searched on the PATH; empty if no launcher fits
  std::string pmi = {};            ///< srun's --mpi; empty: the site's default or SLURM_MPI_TYPE
  std::vector<std::string> options = {};  ///< more options of the user
  std::string missing = {};               ///< without a program: why, and what was expected

  [[nodiscard]] bool is_srun() const { return syntax == LauncherSyntax::srun; }
};

/// What choose_launcher depends on.
struct LauncherSurroundings {
  MpiFamily mpi = MpiFamily::open_mpi;
  bool in_slurm_job = false;
  bool pmi_is_set = false;  ///< SLURM_MPI_TYPE is set
  /// What `program argument` prints; empty if it cannot be run.
  std::function<std::string(const std::string& program, const std::string& argument)> output_of;

  /// The surroundings of this process.
  [[nodiscard]] static LauncherSurroundings here();
};

/// The launcher `asked`: mpirun, mpiexec, srun, or auto. auto is srun within a job if Slurm can
/// start this MPI, and otherwise the MPI's own launcher: the first on the PATH of mpirun, mpiexec
/// and the names that distributions give them whose --version names that MPI.
[[nodiscard]] Launcher choose_launcher(const std::string& asked,
                                       const LauncherSurroundings& surroundings);

}  // namespace spex::bench
