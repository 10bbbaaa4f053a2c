# Writes generated/spex_build_info.hpp, which --version and the results of benchmarks quote. Every build looks the
# commit up again, so that the name is never that of an earlier configuration.
#
# SPEX_COMMIT in the environment names the commit of a copy of the sources, whose own git repository, if any, may be at
# another commit; the suffix `-dirty` says that the copy had changes. SPEX_SOURCES is then the hash of the sources,
# because nothing else shows that they belong to that commit. If the repository is at that commit, git decides on
# changes.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  include(${CMAKE_CURRENT_LIST_DIR}/SpexSources.cmake)
  set(SPEX_SOURCES "")
  set(SPEX_COMMIT "")
  set(SPEX_DIRTY false)
  execute_process(
    COMMAND git -C ${SOURCE} rev-parse HEAD
    OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE status)
  if(DEFINED ENV{SPEX_COMMIT} AND NOT "$ENV{SPEX_COMMIT}" STREQUAL "${commit}")
    string(REGEX REPLACE "-dirty$" "" SPEX_COMMIT "$ENV{SPEX_COMMIT}")
    if(NOT SPEX_COMMIT STREQUAL "$ENV{SPEX_COMMIT}")
      set(SPEX_DIRTY true)
    endif()
    spex_hash_sources(${SOURCE} SPEX_SOURCES)
  elseif(status EQUAL 0)
    set(SPEX_COMMIT ${commit})
    execute_process(
      COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes)
    # New files count only where sources are.
    execute_process(
      COMMAND git -C ${SOURCE} ls-files --others --exclude-standard -- ${SPEX_SOURCE_FOLDERS}
      OUTPUT_VARIABLE new_files)
    if(NOT "${changes}${new_files}" STREQUAL "")
      set(SPEX_DIRTY true)
    endif()
  endif()
  configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
  return()
endif()

set(_type "")
if(CMAKE_BUILD_TYPE)
  string(TOUPPER ${CMAKE_BUILD_TYPE} _type)
endif()
string(STRIP "${CMAKE_BUILD_TYPE}: ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_type}}" _flags)
set(_cuda "")
if(SPEX_GPU)
  set(_cuda "CUDA ${CUDAToolkit_VERSION}")
endif()
add_custom_target(
  spex_build_info
  COMMAND
    ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}
    -DTEMPLATE=${PROJECT_SOURCE_DIR}/ci/cmake/spex_build_info.hpp.in
    -DOUTPUT=${PROJECT_BINARY_DIR}/generated/spex_build_info.hpp
    -DSPEX_VERSION=${PROJECT_VERSION} -DSPEX_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DSPEX_CFITSIO_VERSION=${CFITSIO_VERSION}
    "-DSPEX_BUILD_COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DSPEX_BUILD_FLAGS=${_flags}" "-DSPEX_BUILD_CUDA=${_cuda}"
    "-DSPEX_BUILD_ARCHITECTURES=${CMAKE_CUDA_ARCHITECTURES}" -P
    ${PROJECT_SOURCE_DIR}/ci/cmake/SpexBuildInfo.cmake
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/spex_build_info.hpp
  VERBATIM)
