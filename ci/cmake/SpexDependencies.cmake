# What the project is built with. All of it is in Debian 12 and Ubuntu 24.04 (ci/install-dependencies).
find_package(Threads REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(CFITSIO REQUIRED)
find_package(LAPACKE REQUIRED)
find_package(ZLIB REQUIRED)
find_package(ERFA REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
if(SPEX_GPU)
  # CMake 3.25 of Debian 12 does not know that nvcc has C++20 (since 12.0).
  if(CMAKE_VERSION VERSION_LESS 3.26)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
endif()
if(SPEX_TESTS)
  find_package(GTest REQUIRED)
endif()
if(SPEX_BENCH)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
  find_package(benchmark REQUIRED)
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
