# spex_add_test(NAME [ALONE] SOURCES a.cpp... LIBRARIES lib... [PROGRAMS program...] [LABELS label...] [RANKS n...]
#               [TIMEOUT s])
#
# GoogleTest tests, and their entry in CTest: one entry, or one for each number in RANKS, run under mpirun. Tests
# without a label are labeled cpu; those with RANKS also mpi. PROGRAMS are built before.
#
# The tests of a folder are one program, of which an entry of CTest runs those of its own test_*.cpp: the compiler reads
# headers once for many tests (SPEX_FAST_BUILD). The program of reference/tests/linalg is tests/test_reference_linalg;
# tests with RANKS, or labeled gpu, are in another, such as test_mpi_run_on_ranks and test_gpu_on_gpu. ALONE gives a
# test a program of its own, NAME.
configure_file(${PROJECT_SOURCE_DIR}/ci/cmake/spex_test_paths.hpp.in
               ${PROJECT_BINARY_DIR}/generated/spex_test_paths.hpp @ONLY)

set(SPEX_MPI_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
    # The same for Open MPI 5, whose launcher is another.
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe)
if(MPI_CXX_LIBRARIES MATCHES mpich)
  # Ranks let each other run where there are more than cores. UCX takes shared memory of System V alone: by
  # itself it begins with a file, which tests that stand for a full disk do not let it write, and over TCP
  # MPI_Finalize of MPICH 4.0 may wait for ever. Nor is it to take SIGHUP for itself, which a parent has
  # ignored (docs/portability.md).
  list(APPEND SPEX_MPI_ENVIRONMENT MPIR_CVAR_POLLS_BEFORE_YIELD=1 UCX_TLS=self,sysv
              UCX_DEBUG_SIGNO=0)
endif()

# Open MPI leaves some of its memory, and unloads its modules before a leak checker could tell
# whose that was: tests that start MPI are not checked for leaks.
set(SPEX_NO_LEAK_CHECK)
if(SPEX_SANITIZE)
  set(SPEX_NO_LEAK_CHECK ASAN_OPTIONS=detect_leaks=0)
endif()

# spex_test_environment(TEST [NAME=VALUE...]): the environment of a test that may start MPI.
#
# Open MPI 4 keeps the session folders of all runs of a user in one folder. An mpirun that ends removes that folder, and
# another one that starts at that moment fails. So each test has its own.
function(spex_test_environment test)
  set_property(TEST ${test} PROPERTY ENVIRONMENT ${SPEX_MPI_ENVIRONMENT}
                                     OMPI_MCA_orte_tmpdir_base=${PROJECT_BINARY_DIR}/tests/sessions/${test} ${ARGN})
endfunction()

# All tests are compiled alike: one program has the headers precompiled, and the others take these.
if(SPEX_FAST_BUILD)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp CONTENT "int main() {}\n")
  add_executable(spex_test_headers ${PROJECT_BINARY_DIR}/generated/test_headers.cpp)
  target_link_libraries(spex_test_headers PRIVATE fmt::fmt spdlog::spdlog GTest::gtest GTest::gmock spex_warnings
                                                  spex_options spex_quick_build)
  spex_precompile(spex_test_headers ${SPEX_USUAL_HEADERS} <gtest/gtest.h> <gmock/gmock.h>)
endif()

# The main function of tests that need neither MPI nor a GPU.
add_library(spex_test_main STATIC ${PROJECT_SOURCE_DIR}/reference/tests/main.cpp)
target_include_directories(spex_test_main PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(spex_test_main PUBLIC GTest::gtest PRIVATE spex_warnings spex_options)

# Builds what `ctest -L gpu` runs, without the rest.
add_custom_target(gpu_tests)

# spex_add_test_program(NAME MAIN): the program tests/NAME, without sources, where there is none of that name.
function(spex_add_test_program name main)
  if(TARGET ${name})
    return()
  endif()
  add_executable(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests UNITY_BUILD
                                           ${SPEX_FAST_BUILD})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock ${main} spex_warnings spex_options spex_quick_build)
  target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR}/generated)
  if(SPEX_FAST_BUILD)
    target_precompile_headers(${name} REUSE_FROM spex_test_headers)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  endif()
endfunction()

function(spex_add_test name)
  cmake_parse_arguments(arg "ALONE" "TIMEOUT" "SOURCES;LIBRARIES;PROGRAMS;LABELS;RANKS" ${ARGN})
  if(NOT arg_LABELS)
    set(arg_LABELS cpu)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/(tests(/|$))?" "_" program test_${folder})
  string(REGEX REPLACE "_$" "" program ${program})
  set(main spex_test_main)
  if(arg_RANKS)
    set(main spex_mpi_test_main)
    string(APPEND program _on_ranks)
  elseif("gpu" IN_LIST arg_LABELS)
    set(main spex_gpu_test_main)
    string(APPEND program _on_gpu)
  endif()
  if(arg_ALONE)
    set(program ${name})
  endif()
  spex_add_test_program(${program} ${main})
  target_sources(${program} PRIVATE ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES})
  if(arg_PROGRAMS)
    add_dependencies(${program} ${arg_PROGRAMS})
  endif()
  if("gpu" IN_LIST arg_LABELS)
    add_dependencies(gpu_tests ${program})
  endif()

  list(FILTER arg_SOURCES INCLUDE REGEX "^test_")
  list(JOIN arg_SOURCES , sources)
  set(command $<TARGET_FILE:${program}> --sources=${sources})
  if(arg_RANKS)
    list(APPEND arg_LABELS mpi)
    foreach(n IN LISTS arg_RANKS)
      set(processors 2)
      if(n EQUAL 1)
        set(processors 1)
      endif()
      add_test(NAME ${name}.${n} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${n} ${command})
      set_tests_properties(
        ${name}.${n} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} PROCESSORS ${processors})
      spex_test_environment(${name}.${n} ${SPEX_NO_LEAK_CHECK})
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${command})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
    # One thread of BLAS a call, as in the programs: those of several extracting threads take each other's CPUs.
    spex_test_environment(${name} OPENBLAS_NUM_THREADS=1)
    if("gpu" IN_LIST arg_LABELS)
      set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
  endif()
endfunction()
