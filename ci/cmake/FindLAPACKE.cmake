# CBLAS and LAPACKE. Defines the target LAPACKE::LAPACKE, which says by SPEX_BLAS_MKL or SPEX_BLAS_OTHER
# where they are not OpenBLAS's (reference/core/lapack.hpp).
#
# LAPACKE_VENDOR chooses:
#   Auto      OpenBLAS, or MKL where there is none
#   OpenBLAS  LAPACKE is inside (Spack, conda, its own sources) or beside it (Debian, Fedora)
#   MKL       libmkl_rt, by MKLROOT or on the usual paths
#   Other     what LAPACKE_LIBRARIES names, with cblas.h and lapacke.h; nothing where the compiler
#             links them by itself. OMP_NUM_THREADS=1 must keep such a library to one thread
set(LAPACKE_VENDOR Auto CACHE STRING "Linear algebra: Auto, OpenBLAS, MKL or Other")
set_property(CACHE LAPACKE_VENDOR PROPERTY STRINGS Auto OpenBLAS MKL Other)
set(LAPACKE_LIBRARIES "" CACHE STRING "Libraries to link with LAPACKE_VENDOR=Other")
include(CheckFunctionExists)
include(FindPackageHandleStandardArgs)
if(NOT LAPACKE_VENDOR MATCHES "^(Auto|OpenBLAS|MKL|Other)$")
  message(FATAL_ERROR "LAPACKE_VENDOR=${LAPACKE_VENDOR} (expected Auto, OpenBLAS, MKL or Other)")
endif()

set(_found "")
set(_includes "")
set(_libraries "")
set(_definitions "")
set(_reason "LAPACKE_VENDOR=${LAPACKE_VENDOR}: expected OpenBLAS with LAPACKE (libopenblas-dev liblapacke-dev, openblas-devel), or MKL")

if(LAPACKE_VENDOR MATCHES "^(Auto|OpenBLAS)$")
  find_path(LAPACKE_OPENBLAS_INCLUDE_DIR openblas_config.h PATH_SUFFIXES openblas-pthread openblas)
  find_path(LAPACKE_INCLUDE_DIR lapacke.h HINTS ${LAPACKE_OPENBLAS_INCLUDE_DIR} PATH_SUFFIXES lapacke)
  find_library(LAPACKE_OPENBLAS_LIBRARY NAMES openblas openblasp)
  set(_includes ${LAPACKE_OPENBLAS_INCLUDE_DIR} ${LAPACKE_INCLUDE_DIR})
  if(LAPACKE_OPENBLAS_LIBRARY AND LAPACKE_OPENBLAS_INCLUDE_DIR AND LAPACKE_INCLUDE_DIR)
    set(CMAKE_REQUIRED_LIBRARIES ${LAPACKE_OPENBLAS_LIBRARY})
    set(CMAKE_REQUIRED_QUIET TRUE)
    check_function_exists(LAPACKE_dsyevd LAPACKE_IS_IN_OPENBLAS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_QUIET)
    if(LAPACKE_IS_IN_OPENBLAS)
      set(_libraries ${LAPACKE_OPENBLAS_LIBRARY})
      set(_found OpenBLAS)
    else()
      find_library(LAPACKE_LIBRARY lapacke)
      set(_reason "${LAPACKE_OPENBLAS_LIBRARY} has no LAPACKE inside: expected liblapacke beside it (liblapacke-dev, lapack-devel)")
      if(LAPACKE_LIBRARY)
        # OpenBLAS is linked first, so that LAPACKE's calls reach the LAPACK inside it.
        set(_libraries ${LAPACKE_OPENBLAS_LIBRARY} ${LAPACKE_LIBRARY})
        set(_found OpenBLAS)
      endif()
    endif()
  endif()
endif()

if(NOT _found AND LAPACKE_VENDOR MATCHES "^(Auto|MKL)$")
  find_path(LAPACKE_MKL_INCLUDE_DIR mkl_lapacke.h HINTS ENV MKLROOT PATH_SUFFIXES include mkl)
  # What pip and conda install for running programs has no link without a version.
  find_library(
    LAPACKE_MKL_LIBRARY
    NAMES mkl_rt libmkl_rt.so.3 libmkl_rt.so.2
    HINTS ENV MKLROOT
    PATH_SUFFIXES lib lib/intel64)
  if(LAPACKE_MKL_INCLUDE_DIR AND LAPACKE_MKL_LIBRARY)
    set(_includes ${LAPACKE_MKL_INCLUDE_DIR})
    set(_libraries ${LAPACKE_MKL_LIBRARY})
    set(_definitions SPEX_BLAS_MKL)
    set(_found MKL)
  endif()
endif()

if(LAPACKE_VENDOR STREQUAL Other)
  # A message with semicolons would be taken apart.
  list(JOIN LAPACKE_LIBRARIES ", " _names)
  set(_reason "LAPACKE_VENDOR=Other: LAPACKE_LIBRARIES (${_names}) have no cblas_dgemm and LAPACKE_dsyevd")
  set(CMAKE_REQUIRED_LIBRARIES ${LAPACKE_LIBRARIES})
  check_function_exists(cblas_dgemm LAPACKE_OTHER_HAS_CBLAS)
  check_function_exists(LAPACKE_dsyevd LAPACKE_OTHER_HAS_LAPACKE)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(LAPACKE_OTHER_HAS_CBLAS AND LAPACKE_OTHER_HAS_LAPACKE)
    find_path(LAPACKE_OTHER_INCLUDE_DIR lapacke.h)
    if(LAPACKE_OTHER_INCLUDE_DIR)
      set(_includes ${LAPACKE_OTHER_INCLUDE_DIR})
    endif()
    set(_libraries ${LAPACKE_LIBRARIES})
    set(_definitions SPEX_BLAS_OTHER)
    set(_found "the compiler's own ${_names}")
  endif()
endif()

find_package_handle_standard_args(
  LAPACKE
  REQUIRED_VARS _found
  REASON_FAILURE_MESSAGE "${_reason}")
if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
  set_target_properties(
    LAPACKE::LAPACKE
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_includes}"
               INTERFACE_LINK_LIBRARIES "${_libraries}"
               INTERFACE_COMPILE_DEFINITIONS "${_definitions}")
endif()
foreach(_name INCLUDE_DIR LIBRARY OPENBLAS_INCLUDE_DIR OPENBLAS_LIBRARY MKL_INCLUDE_DIR MKL_LIBRARY
              OTHER_INCLUDE_DIR)
  mark_as_advanced(LAPACKE_${_name})
endforeach()
