# Fails where a cases.json has a case that ctest does not run.
#
# usage: cmake -DCASES=FILE -DKNOWN=CASE,... -P known_cases.cmake
cmake_minimum_required(VERSION 3.25)
if(NOT EXISTS "${CASES}")
  message("skipped: ${CASES} does not exist; golden/README.md says where its cases come from")
  return()
endif()
string(REPLACE "," ";" known "${KNOWN}")
file(READ "${CASES}" json)
string(JSON count LENGTH "${json}" cases)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON case MEMBER "${json}" cases ${i})
  if(NOT case IN_LIST known)
    message(FATAL_ERROR "${CASES}: ctest does not run the case ${case} (expected: a new build, which adds the "
                        "tests of golden/cases.json, or a line in golden/CMakeLists.txt)")
  endif()
endforeach()
message("ctest runs all ${count} cases of ${CASES}")
