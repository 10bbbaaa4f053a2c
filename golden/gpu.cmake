# The GPU's milestones on every golden case: golden.CASE.MILESTONE, and golden.CASE.MILESTONE.RANKS for several
# ranks. Skipped without a GPU. The tests of one rank on the project's own cases are quick; ci/gpu-check runs all.

# Only these milestones solve the flux of the whole frame and reject pixels. The others refuse.
set(frame_flux direct pipeline)

# spex_add_gpu_golden(CASE MILESTONE [OPTION...] CASES FILE RANKS n [LABELS label...]): options of golden_case.
function(spex_add_gpu_golden case milestone)
  cmake_parse_arguments(arg "" "CASES;RANKS" "LABELS" ${ARGN})
  set(name golden.${case}.${milestone})
  set(launcher)
  if(arg_RANKS GREATER 1)
    string(APPEND name .${arg_RANKS})
    set(launcher ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS})
  endif()
  add_test(
    NAME ${name}
    COMMAND golden_case --cases ${arg_CASES} --case ${case} --compare $<TARGET_FILE:spex-compare> --work
            ${CMAKE_CURRENT_BINARY_DIR}/${name} ${arg_UNPARSED_ARGUMENTS} -- ${launcher} $<TARGET_FILE:spex-gpu>
            --loglevel warn --milestone ${milestone})
  set_tests_properties(${name} PROPERTIES LABELS "gpu;golden;${arg_LABELS}" TIMEOUT 600 SKIP_RETURN_CODE 77)
  spex_test_environment(${name} ${SPEX_NO_LEAK_CHECK})
endfunction()

# spex_add_gpu_goldens(CASE FILE FLUX [OPTIONAL] RANKS n...): every milestone on one case.
function(spex_add_gpu_goldens case file flux)
  cmake_parse_arguments(arg "OPTIONAL" "" "RANKS" ${ARGN})
  set(optional)
  if(arg_OPTIONAL)
    set(optional --optional)
  endif()
  foreach(milestone IN LISTS SPEX_GPU_MILESTONES)
    # These milestones solve a patch at a time: they take minutes for the full frame.
    if(case STREQUAL desi-r0 AND milestone MATCHES "^(multi-gpu|batch-eigh)$")
      continue()
    endif()
    if(flux STREQUAL frame AND NOT milestone IN_LIST frame_flux)
      spex_add_gpu_golden(${case} ${milestone} --refused ${optional} CASES ${file} RANKS 1 LABELS slow)
      continue()
    endif()
    foreach(ranks IN LISTS arg_RANKS)
      set(labels slow)
      if(ranks EQUAL 1 AND NOT arg_OPTIONAL)
        set(labels)
      endif()
      spex_add_gpu_golden(${case} ${milestone} ${optional} CASES ${file} RANKS ${ranks} LABELS ${labels})
    endforeach()
  endforeach()
endfunction()

foreach(i RANGE ${last})
  string(JSON case MEMBER ${json} cases ${i})
  string(JSON flux ERROR_VARIABLE none GET ${json} cases ${case} flux)
  spex_add_gpu_goldens(${case} ${cases} ${flux} RANKS 1 2 5)
endforeach()
foreach(case desi-r0-bench desi-r0-edge-lo)
  spex_add_gpu_goldens(${case} ${desi_cases} patch RANKS 1 2 5 OPTIONAL)
endforeach()
spex_add_gpu_goldens(desi-r0 ${desi_cases} patch RANKS 1 OPTIONAL)

# Device buffers are filled with NaN before kernels write them: no value may depend on what was there.
foreach(milestone IN LISTS SPEX_GPU_MILESTONES)
  set(name poison.tiny-z.${milestone})
  add_test(
    NAME ${name}
    COMMAND golden_case --cases ${cases} --case tiny-z --compare $<TARGET_FILE:spex-compare> --work
            ${CMAKE_CURRENT_BINARY_DIR}/${name} -- $<TARGET_FILE:spex-gpu> --loglevel warn --milestone ${milestone})
  set_tests_properties(${name} PROPERTIES LABELS "gpu;poison;slow" TIMEOUT 300 SKIP_RETURN_CODE 77)
  spex_test_environment(${name} ${SPEX_NO_LEAK_CHECK} SPEX_GPU_POISON=1)
endforeach()
