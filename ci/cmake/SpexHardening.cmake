# What makes a fault in a program harder to use against its user, and costs no time that can be
# measured (docs/install.md): frames come from elsewhere. SPEX_HARDENING=OFF leaves it to the
# flags of the caller, such as those of a distribution.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
option(SPEX_HARDENING "Protect the stack, check the sizes of buffers, link read-only" ON)

if(SPEX_HARDENING)
  check_pie_supported(LANGUAGES CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(_flags -fstack-protector-strong -fstack-clash-protection)
  # Clang takes the other processor's too, and warns of it in every file.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND _flags -mbranch-protection=standard)
  else()
    list(APPEND _flags -fcf-protection=full)
  endif()
  foreach(_flag IN LISTS _flags)
    string(MAKE_C_IDENTIFIER "SPEX_HAS${_flag}" _has)
    check_cxx_compiler_flag(${_flag} ${_has})
    if(${_has})
      target_compile_options(spex_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${_flag}>)
    endif()
  endforeach()
  # The C library checks sizes in optimized code alone. Sanitizers do so by themselves, and would not
  # see the calls that it replaces.
  if(NOT SPEX_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(
      spex_options
      INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>)
  endif()
  target_link_options(
    spex_options INTERFACE
    $<$<AND:$<LINK_LANG_AND_ID:CXX,GNU,Clang>,$<PLATFORM_ID:Linux>>:LINKER:-z,relro,-z,now,-z,noexecstack>)
endif()

# Files are named from the repository's root, in messages and in debug information: what is installed
# tells nothing of the folder that it was built in. nvcc hands the options to its host compiler.
set(_maps -ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
list(JOIN _maps "," _maps_of_nvcc)
target_compile_options(
  spex_options
  INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:${_maps}>"
            "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-Xcompiler=${_maps_of_nvcc}>")
