# ERFA, whose Debian package brings no CMake files. Honors ERFA_ROOT.
# Defines the target ERFA::ERFA.
find_path(ERFA_INCLUDE_DIR erfa.h)
find_library(ERFA_LIBRARY erfa)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ERFA REQUIRED_VARS ERFA_LIBRARY ERFA_INCLUDE_DIR)
if(ERFA_FOUND AND NOT TARGET ERFA::ERFA)
  add_library(ERFA::ERFA UNKNOWN IMPORTED)
  set_target_properties(ERFA::ERFA PROPERTIES IMPORTED_LOCATION ${ERFA_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${ERFA_INCLUDE_DIR})
endif()
mark_as_advanced(ERFA_INCLUDE_DIR ERFA_LIBRARY)
