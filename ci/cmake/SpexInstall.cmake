# Install and export rules: find_package(spexbench) gives spexbench::reference and its siblings. What
# is installed names no folder but relative to itself, so that it can be moved (docs/install.md).
include(CMakePackageConfigHelpers)

install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/reference ${PROJECT_SOURCE_DIR}/mpi
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spexbench
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "tests" EXCLUDE
  PATTERN "python" EXCLUDE
  PATTERN "cli" EXCLUDE
  PATTERN "programs" EXCLUDE)

set(_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spexbench)
install(EXPORT spexbench NAMESPACE spexbench:: FILE spexbenchTargets.cmake DESTINATION ${_dir})
install(FILES ${PROJECT_SOURCE_DIR}/ci/cmake/FindCFITSIO.cmake
              ${PROJECT_SOURCE_DIR}/ci/cmake/FindISAL.cmake
              ${PROJECT_SOURCE_DIR}/ci/cmake/FindERFA.cmake
              ${PROJECT_SOURCE_DIR}/ci/cmake/FindLAPACKE.cmake DESTINATION ${_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/ci/cmake/spexbenchConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/spexbenchConfig.cmake INSTALL_DESTINATION ${_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spexbenchConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spexbenchConfig.cmake
              ${PROJECT_BINARY_DIR}/spexbenchConfigVersion.cmake DESTINATION ${_dir})

# What the programs and scripts use lies in share/spexbench by the repository's paths. The build folder
# has the same by links, so that its programs find it in the same way.
set(_shipped ${CMAKE_INSTALL_DATADIR}/spexbench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/golden DESTINATION ${_shipped}
        FILES_MATCHING PATTERN "*.json" PATTERN "*.fits" PATTERN "README.md" PATTERN "tests" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/reports/spexreports DESTINATION ${_shipped}/reports
        FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "*.j2" PATTERN "*.css" PATTERN "__pycache__"
        EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/reports/requirements.txt DESTINATION ${_shipped}/reports)
install(FILES ${PROJECT_SOURCE_DIR}/bench/result.schema.json ${PROJECT_SOURCE_DIR}/bench/acceptance.schema.json
              ${PROJECT_SOURCE_DIR}/bench/thresholds.json ${PROJECT_SOURCE_DIR}/bench/peers.json
        DESTINATION ${_shipped}/bench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/plans DESTINATION ${_shipped}/bench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/slurm DESTINATION ${_shipped}/bench USE_SOURCE_PERMISSIONS
        PATTERN "CMakeLists.txt" EXCLUDE PATTERN "test-slurm" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/ci/reframe/spexbench.py DESTINATION ${_shipped}/ci/reframe)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/bench/profile/profile DESTINATION ${_shipped}/bench/profile)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bin/${SPEX_SHIPPED_FROM_PROGRAMS})
foreach(_folder golden reports bench)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${_folder}
       ${PROJECT_BINARY_DIR}/bin/${SPEX_SHIPPED_FROM_PROGRAMS}/${_folder} SYMBOLIC)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")

# Scripts that belong on the PATH, beside the programs that they start.
foreach(_script mpi/programs/mps-wrapper reports/spex-reports)
  get_filename_component(_name ${_script} NAME)
  configure_file(${PROJECT_SOURCE_DIR}/${_script} ${PROJECT_BINARY_DIR}/bin/${_name} COPYONLY)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/${_script} TYPE BIN)
endforeach()

# Modules: `module use PREFIX/share/modulefiles`, by Environment Modules or Lmod, which reads Tcl too.
configure_file(${PROJECT_SOURCE_DIR}/ci/cmake/modulefile.in
               ${PROJECT_BINARY_DIR}/modulefiles/${PROJECT_VERSION} @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefiles/${PROJECT_VERSION}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/spexbench)

# Man pages and completions, made by the programs when they are installed; nothing where the programs do not run.
foreach(_program spex-cpu spex-gpu spex-sim spex-compare spex-bench)
  if(TARGET ${_program} AND NOT CMAKE_CROSSCOMPILING AND NOT SKBUILD)
    set(_share "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}")
    install(
      CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/ci/help-pages\" $<TARGET_FILE:${_program}>
                              \"${_share}/${CMAKE_INSTALL_MANDIR}/man1\" \"${_share}/${CMAKE_INSTALL_DATADIR}\")")
  endif()
endforeach()
