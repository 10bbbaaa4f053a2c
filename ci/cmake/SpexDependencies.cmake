# What the project is built with. All of it is in Debian 12 and Ubuntu 24.04 (ci/install-dependencies).

# spex_need(PACKAGE THING ...): find_package(PACKAGE ...), whose failure names what to install on this
# system: the package of THING in ci/packages.
macro(spex_need package thing)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    execute_process(
      COMMAND ${PROJECT_SOURCE_DIR}/ci/install-dependencies --name "${thing}"
      OUTPUT_VARIABLE _package OUTPUT_STRIP_TRAILING_WHITESPACE)
    message(FATAL_ERROR "${thing} is not here (expected ${_package}; ci/install-dependencies installs all "
                        "that is needed, and CMAKE_PREFIX_PATH names folders of other installations)")
  endif()
endmacro()

spex_need(Threads "C++20 compiler")
if(SPEX_WHEEL_PROGRAMS)
  spex_need(MPI MPI COMPONENTS CXX)
endif()
spex_need(CFITSIO CFITSIO)
spex_need(LAPACKE LAPACKE)
spex_need(ZLIB zlib)
# Reads .gz files twice as fast as zlib, and writes them several times as fast.
find_package(ISAL QUIET)
if(ISAL_FOUND)
  message(STATUS "gzip files are read by ISA-L")
else()
  message(STATUS "gzip files are read by zlib, which is slow: ISA-L is not here")
endif()
if(SPEX_BARYCENTRIC)
  spex_need(ERFA ERFA)
endif()
spex_need(fmt fmt)
spex_need(spdlog spdlog)
spex_need(nlohmann_json nlohmann-json)
spex_need(CLI11 CLI11)
if(SPEX_GPU)
  # CMake 3.25 of Debian 12 does not know that nvcc has C++20.
  if(CMAKE_VERSION VERSION_LESS 3.26)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  # nvcc's own default lacks FP64 tensor cores.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # nvcc has C++20 since 12.0.
  if(CUDAToolkit_VERSION VERSION_LESS 12.0 OR CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
    message(FATAL_ERROR "CUDA Toolkit ${CUDAToolkit_VERSION} with nvcc ${CMAKE_CUDA_COMPILER_VERSION} "
                        "(${CMAKE_CUDA_COMPILER}) is too old (expected 12.0 or later, for C++20)")
  endif()
endif()
if(SPEX_TESTS)
  spex_need(GTest GoogleTest)
endif()
if(SPEX_BENCH)
  if(SPEX_BENCH_CAMPAIGN)
    spex_need(OpenSSL OpenSSL COMPONENTS Crypto)
  endif()
  spex_need(benchmark "Google Benchmark")
endif()
if(SPEX_PYTHON)
  # scikit-build-core names its Python; else it is that of .venv, where ci/venv has made it.
  if(NOT SKBUILD AND NOT DEFINED Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE SPEX_NANOBIND_DIR
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE _status)
  if(NOT _status EQUAL 0)
    message(FATAL_ERROR "${Python_EXECUTABLE} has no nanobind (ci/venv --dev installs it; "
                        "SPEX_PYTHON=OFF builds without the Python package)")
  endif()
endif()
