# The hash of the sources: of a list of their sha256 and names, sorted by name.
#
# A build whose commit is stated by SPEX_COMMIT names this hash next to the commit. With a checkout of the commit,
# anybody can compare the two:
#     cmake -DSOURCE=FOLDER -P ci/cmake/SpexSources.cmake
cmake_minimum_required(VERSION 3.25)

set(SPEX_SOURCE_FOLDERS reference gpu mpi bench ci/cmake)

function(spex_hash_sources folder hash)
  list(TRANSFORM SPEX_SOURCE_FOLDERS REPLACE "(.+)" "${folder}/\\1/*" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE files RELATIVE ${folder} ${patterns})
  list(FILTER files EXCLUDE REGEX "/__pycache__/")
  list(APPEND files CMakeLists.txt CMakePresets.json)
  list(SORT files COMPARE STRING)
  set(lines "")
  foreach(file IN LISTS files)
    file(SHA256 ${folder}/${file} sha256)
    string(APPEND lines "${sha256}  ${file}\n")
  endforeach()
  string(SHA256 found "${lines}")
  set(${hash} ${found} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  get_filename_component(SOURCE "${SOURCE}" ABSOLUTE)
  if(NOT EXISTS ${SOURCE}/reference)
    message(FATAL_ERROR "${SOURCE} holds no sources of spexbench (expected -DSOURCE=FOLDER)")
  endif()
  spex_hash_sources(${SOURCE} hash)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${hash})
endif()
