# Cross-compiles for 64-bit Arm by Debian's cross compiler, with the libraries of an unpacked root tree of
# Debian for arm64, which CMAKE_SYSROOT names (ci/portability-check makes the tree).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# An unpacked tree has no links of update-alternatives, so OpenBLAS and MPICH are named by where they lie;
# MPI's wrapper and pkg-config of this machine would name its own.
set(_libraries ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(CMAKE_LIBRARY_PATH /usr/lib/aarch64-linux-gnu/openblas-pthread)
set(ENV{PKG_CONFIG_LIBDIR} ${_libraries}/pkgconfig)
set(MPI_CXX_SKIP_MPICXX TRUE)
set(MPI_CXX_LIB_NAMES mpich)
set(MPI_mpich_LIBRARY ${_libraries}/libmpich.so)
set(MPI_CXX_COMPILER_INCLUDE_DIRS ${CMAKE_SYSROOT}/usr/include/aarch64-linux-gnu/mpich)
