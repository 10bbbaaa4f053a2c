// The library of linear algebra that the build has found (ci/cmake/FindLAPACKE.cmake): what it is
// called, and how it is kept to one thread. Its own functions are in reference/core/lapack.hpp.
#pragma once

#include <string>

namespace spex {

/// A library of linear algebra, as it states itself.
struct BlasLibrary {
  std::string name;           ///< "openblas", "mkl", or "blas" where it is another
  std::string version;        ///< e.g. "0.3.21"
  std::string configuration;  ///< name, version and how it was built, in a line
  std::string core;  ///< the processor that it takes this one for; empty where it does not say
};

/// The one that this program is linked with.
[[nodiscard]] BlasLibrary blas_library();

/// Sets the library to one thread: the program's own threads run over patches. Of another library
/// than OpenBLAS and MKL the threads cannot be set, but by its own environment variables.
void use_single_threaded_blas();

}  // namespace spex
