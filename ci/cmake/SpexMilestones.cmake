# The milestones for CMake and for scripts: SPEX_CPU_MILESTONES, SPEX_GPU_MILESTONES, and generated/milestones.json in
# the build folder. They are read from the table in reference/model/milestones.hpp, whose rows begin with .milestone,
# .name and .device.
set(_table ${PROJECT_SOURCE_DIR}/reference/model/milestones.hpp)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_table})
file(READ ${_table} _text)
set(_row "[.]milestone = Milestone::[a-z_]+,[ \n]*[.]name = \"([a-z-]+)\",[ \n]*[.]device = Device::(cpu|gpu)")
string(REGEX MATCHALL "${_row}" _rows "${_text}")
set(SPEX_CPU_MILESTONES)
set(SPEX_GPU_MILESTONES)
foreach(_one IN LISTS _rows)
  string(REGEX REPLACE "${_row}" "\\1" _name "${_one}")
  string(REGEX REPLACE "${_row}" "\\2" _device "${_one}")
  string(TOUPPER ${_device} _device)
  list(APPEND SPEX_${_device}_MILESTONES ${_name})
endforeach()
if(NOT SPEX_CPU_MILESTONES OR NOT SPEX_GPU_MILESTONES)
  message(FATAL_ERROR "${_table}: no milestones of the CPU or of the GPU (expected rows of each)")
endif()

list(JOIN SPEX_CPU_MILESTONES "\", \"" _cpu)
list(JOIN SPEX_GPU_MILESTONES "\", \"" _gpu)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/milestones.json
     CONTENT "{\"cpu\": [\"@_cpu@\"], \"gpu\": [\"@_gpu@\"]}\n" @ONLY)
