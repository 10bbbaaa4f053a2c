// The MPI library that the programs are linked with.
#pragma once

#include <string>
#include <string_view>

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
/// What the MPI library that this program is linked with says of itself.
[[nodiscard]] std::string mpi_library_version();

}  // namespace spex::bench
