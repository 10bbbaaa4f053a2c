# Install and export rules: find_package(spexbench) gives spexbench::reference and its siblings.
include(CMakePackageConfigHelpers)

install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/reference ${PROJECT_SOURCE_DIR}/mpi
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spexbench
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "tests" EXCLUDE
  PATTERN "fuzz" EXCLUDE
  PATTERN "python" EXCLUDE
  PATTERN "programs" EXCLUDE)

set(_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spexbench)
install(EXPORT spexbench NAMESPACE spexbench:: FILE spexbenchTargets.cmake DESTINATION ${_dir})
install(FILES ${PROJECT_SOURCE_DIR}/ci/cmake/FindCFITSIO.cmake
              ${PROJECT_SOURCE_DIR}/ci/cmake/FindERFA.cmake
              ${PROJECT_SOURCE_DIR}/ci/cmake/FindLAPACKE.cmake DESTINATION ${_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/ci/cmake/spexbenchConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/spexbenchConfig.cmake INSTALL_DESTINATION ${_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spexbenchConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spexbenchConfig.cmake
              ${PROJECT_BINARY_DIR}/spexbenchConfigVersion.cmake DESTINATION ${_dir})
