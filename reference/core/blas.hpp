// The BLAS and LAPACK library that the build found (ci/cmake/FindLAPACKE.cmake): its name, and how
// to limit it to one thread. reference/core/lapack.hpp declares its functions.
#pragma once

#include <string>

namespace spex {

/// A BLAS library, as it describes itself.
struct BlasLibrary {
  std::string name;           ///< "openblas", "mkl", or "blas" for any other library
  std::string version;        ///< e.g. "0.3.21"
  std::string configuration;  ///< name, version and build options in one line
  std::string core;  ///< the processor type that the library detected; empty if the library does
                     ///< not report it
};

/// The library that this program is linked with.
[[nodiscard]] BlasLibrary blas_library();

/// Limits the library to one thread, because the program runs its own threads over patches. Works
/// for OpenBLAS and MKL; other libraries read only their own environment variables.
void use_single_threaded_blas();

/// Ends the threads that OpenBLAS started before main(), one for each CPU. Each would wait for work
/// in a loop for 30 ms, and keep a CPU busy. For programs alone: in a process of Python others may
/// use the library. No thread may be in the library meanwhile. Does nothing if they may never end.
void end_blas_threads();

/// Whether threads of OpenBLAS may never end: where the process's address space is limited, each
/// may wait forever for 128 MB of it. At exit the library waits for them.
[[nodiscard]] bool blas_threads_may_never_end();

}  // namespace spex
