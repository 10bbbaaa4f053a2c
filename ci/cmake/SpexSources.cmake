# A hash of what is compiled: of each source, in the order of their names, its sha256 and name.
#
# Where a commit is stated and git does not say it, a build names this hash beside it, and who has
# the commit holds the two to each other:
#     cmake -DSOURCE=FOLDER -P ci/cmake/SpexSources.cmake
cmake_policy(SET CMP0009 NEW)

function(spex_hash_sources folder hash)
  set(patterns ${folder}/reference/* ${folder}/gpu/* ${folder}/mpi/* ${folder}/bench/* ${folder}/ci/cmake/*)
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
