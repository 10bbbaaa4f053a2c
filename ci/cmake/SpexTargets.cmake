# Warnings, sanitizers, and how the project's libraries and programs are made.
add_library(spex_warnings INTERFACE)
set(_gcc_like $<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang,IntelLLVM>)
target_compile_options(
  spex_warnings
  INTERFACE $<${_gcc_like}:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wold-style-cast>
            $<$<AND:${_gcc_like},$<BOOL:${SPEX_WERROR}>>:-Werror>)
# GCC 13 and 14 warn of what they have inlined from libraries: copies within fmt 9, a string within
# std::optional that was not made.
target_compile_options(
  spex_warnings
  INTERFACE $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-error=array-bounds;-Wno-error=maybe-uninitialized>)
# Clang warns of what libstdc++ 12 calls within its own std::stable_sort. GCC still sees to it that we do
# not call what is deprecated.
target_compile_options(
  spex_warnings
  INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-error=deprecated-declarations>)

# No fused multiply-add: one here and not there would break the promise that equal inputs give equal
# bytes whatever code path the compiler chose. Other compilers name it in another way, and icpx has
# to be told besides that sums stay in their order.
add_library(spex_options INTERFACE)
target_compile_options(
  spex_options INTERFACE $<${_gcc_like}:-ffp-contract=off>
                         $<$<COMPILE_LANG_AND_ID:CXX,IntelLLVM>:-fp-model=precise>
                         $<$<COMPILE_LANG_AND_ID:CXX,NVHPC>:-Mnofma;-Kieee>)
# -O2 of GCC 12 and later vectorizes no loop whose length is not known, unless asked to; those over
# the pixels of a spot are of that kind.
target_compile_options(
  spex_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-ftree-vectorize>)
if(SPEX_SANITIZE)
  target_compile_options(
    spex_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SPEX_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(spex_options INTERFACE -fsanitize=${SPEX_SANITIZE})
endif()

# The instruction sets that kernels over lanes are compiled for (reference/core/simd/instructions.hpp), a
# list of names, and the options of each. -O3: loops of known length are unrolled.
set(SPEX_INSTRUCTION_SETS any)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
  set(SPEX_INSTRUCTION_SETS any avx2 avx512)
  target_compile_definitions(spex_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:SPEX_X86_INSTRUCTIONS>)
endif()
set(SPEX_OPTIONS_avx2 -mavx2)
set(SPEX_OPTIONS_avx512 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)

# spex_add_lanes(TARGET sources...): each source is compiled once for each instruction set, with the
# macro SPEX_INSTRUCTION_SET, by a file of the build folder that includes it.
function(spex_add_lanes target)
  foreach(source IN LISTS ARGN)
    get_filename_component(stem ${source} NAME_WE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    foreach(set IN LISTS SPEX_INSTRUCTION_SETS)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/${stem}_${set}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "#include \"@path@\"\n" @ONLY)
      set_source_files_properties(
        ${file} TARGET_DIRECTORY ${target}
        PROPERTIES COMPILE_OPTIONS "${SPEX_OPTIONS_${set}};$<$<NOT:$<CONFIG:Debug>>:-O3>"
                   COMPILE_DEFINITIONS SPEX_INSTRUCTION_SET=${set})
      target_sources(${target} PRIVATE ${file})
    endforeach()
  endforeach()
endfunction()

# For tests that compute much: -O1 builds them a quarter sooner.
add_library(spex_busy_test INTERFACE)
target_compile_options(
  spex_busy_test
  INTERFACE $<$<AND:$<NOT:$<CONFIG:Debug>>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-O1>)
# For other tests, and for what waits for others to work: command lines, spex-bench's own sources. The libraries that
# extract, and micro-benchmarks, never have it. With SPEX_FAST_BUILD it turns optimization off, and _FORTIFY_SOURCE,
# which needs optimization and would only warn.
add_library(spex_quick_build INTERFACE)
if(SPEX_FAST_BUILD)
  target_compile_options(spex_quick_build INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-O0;-U_FORTIFY_SOURCE>)
else()
  target_link_libraries(spex_quick_build INTERFACE spex_busy_test)
endif()

# spex_precompile(TARGET headers...): if SPEX_FAST_BUILD asks for it. A source still includes what it
# uses: builds without SPEX_FAST_BUILD show what is missing.
set(SPEX_USUAL_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory>
                       <optional> <set> <span> <sstream> <stdexcept> <string> <utility> <vector> <fmt/format.h>
                       <fmt/ranges.h>)
function(spex_precompile target)
  if(SPEX_FAST_BUILD)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # Tells ccache what was precompiled.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  endif()
endfunction()

# As many sources of a program of tests, or of a command line, are compiled together (SPEX_FAST_BUILD).
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

# spex_unite_folders(TARGET): if SPEX_FAST_BUILD asks for it, the C++ sources of a folder are compiled together. In
# groups of a fixed size, a new file would change all groups, and names of files that never met before would collide.
function(spex_unite_folders target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SPEX_FAST_BUILD} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "[.]cpp$")
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(GET folder FILENAME folder)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}")
    else()
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# spex_add_library(NAME sources...): static library spex_NAME, spexbench::NAME to others.
function(spex_add_library name)
  add_library(spex_${name} STATIC ${ARGN})
  add_library(spexbench::${name} ALIAS spex_${name})
  set_target_properties(spex_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(
    spex_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/spexbench>)
  target_compile_features(spex_${name} PUBLIC cxx_std_20)
  target_link_libraries(spex_${name} PRIVATE $<BUILD_INTERFACE:spex_warnings>
                                             $<BUILD_INTERFACE:spex_options>)
  install(TARGETS spex_${name} EXPORT spexbench)
endfunction()

# spex_add_program(NAME sources...): program NAME in bin/.
function(spex_add_program name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${SPEX_FAST_BUILD})
  target_link_libraries(${name} PRIVATE spex_warnings spex_options spex_quick_build)
  install(TARGETS ${name})
endfunction()
