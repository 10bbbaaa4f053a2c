// What starts the ranks of a run on this machine: the launcher of the MPI that the programs are
// linked with, or Slurm's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace spex::bench {

/// Implementations of MPI, by what their launchers and Slurm are to be told.
enum class MpiFamily {
  open_mpi,
  mpich,       ///< and those made of it: MVAPICH, Intel MPI
  cray_mpich,  ///< started by srun in the site's own way
  other
};

/// The family of a library that says `version` of itself (MPI_Get_library_version).
[[nodiscard]] MpiFamily mpi_family(std::string_view version);

/// By what words a launcher is to be told what to do.
enum class LauncherWords { open_mpi, hydra, srun };

struct Launcher {
  LauncherWords words = LauncherWords::open_mpi;
  std::string program = "mpirun";  ///< found by PATH; empty where there is none that fits
  std::string wire_up = {};        ///< srun's --mpi; empty: as the site or SLURM_MPI_TYPE has it
  std::vector<std::string> options = {};  ///< more words, as they are
  std::string missing = {};               ///< where there is no program: why, and what was expected

  [[nodiscard]] bool is_srun() const { return words == LauncherWords::srun; }
};

/// What choose_launcher looks at.
struct LauncherSurroundings {
  MpiFamily mpi = MpiFamily::open_mpi;
  bool in_slurm_job = false;
  bool wire_up_is_set = false;  ///< SLURM_MPI_TYPE is there
  /// What `program argument` prints; empty where it cannot be run.
  std::function<std::string(const std::string& program, const std::string& argument)> output_of;

  /// Those of this process.
  [[nodiscard]] static LauncherSurroundings here();
};

/// The launcher that `asked` names: mpirun, mpiexec or srun, or with auto the one that suits. That
/// is srun within a job of a Slurm that can start this MPI, else the MPI's own: of mpirun, mpiexec
/// and what distributions call them, the first on PATH that says that it is of that MPI.
[[nodiscard]] Launcher choose_launcher(const std::string& asked,
                                       const LauncherSurroundings& surroundings);

}  // namespace spex::bench
