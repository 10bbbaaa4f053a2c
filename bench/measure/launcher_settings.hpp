// What a user has told MPI's launcher in files.
#pragma once

#include <map>
#include <string>

namespace spex::bench {

/// The settings of Open MPI, PMIx and PRRTE in files of a home folder (.openmpi/mca-params.conf and
/// the like), by the names of the variables that say the same: OMPI_MCA_btl; an option that stands
/// there is a name itself. Components in .openmpi/components are OMPI_MCA_mca_component_path. Files
/// that are not there, or cannot be read, say nothing.
[[nodiscard]] std::map<std::string, std::string> settings_of_open_mpi(const std::string& home);

}  // namespace spex::bench
