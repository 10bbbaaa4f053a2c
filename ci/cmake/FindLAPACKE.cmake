# LAPACKE over OpenBLAS. OpenBLAS is linked first, so that LAPACKE's calls reach the LAPACK inside
# it, and openblas_set_num_threads governs all of them. Defines the target LAPACKE::LAPACKE.
find_path(LAPACKE_INCLUDE_DIR lapacke.h)
find_path(LAPACKE_OPENBLAS_INCLUDE_DIR openblas_config.h PATH_SUFFIXES openblas-pthread openblas)
find_library(LAPACKE_LIBRARY lapacke)
find_library(LAPACKE_OPENBLAS_LIBRARY openblas)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  LAPACKE REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_OPENBLAS_LIBRARY LAPACKE_INCLUDE_DIR
                        LAPACKE_OPENBLAS_INCLUDE_DIR)
if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
  set_target_properties(
    LAPACKE::LAPACKE
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
               "${LAPACKE_OPENBLAS_INCLUDE_DIR};${LAPACKE_INCLUDE_DIR}"
               INTERFACE_LINK_LIBRARIES "${LAPACKE_OPENBLAS_LIBRARY};${LAPACKE_LIBRARY}")
endif()
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_OPENBLAS_INCLUDE_DIR LAPACKE_LIBRARY
                 LAPACKE_OPENBLAS_LIBRARY)
