#include "bench/machine/mpi_library.hpp"

#include <array>

#include <mpi.h>

namespace spex::bench {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

MpiFamily mpi_family(std::string_view version) {
  if (contains(version, "Open MPI")) return MpiFamily::open_mpi;
  if (contains(version, "CRAY MPICH")) return MpiFamily::cray_mpich;
  if (contains(version, "MPICH") || contains(version, "MVAPICH") ||
      contains(version, "Intel(R) MPI"))
    return MpiFamily::mpich;
  return MpiFamily::other;
}

std::string mpi_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);  // allowed before MPI_Init
  return text.data();
}

}  // namespace spex::bench
