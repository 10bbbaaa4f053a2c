# Man pages and completions of shells, made by the programs when the programs are installed. Nothing is made
# where they do not run, as when they are built for another processor.
set(_programs)
foreach(_program spex-cpu spex-gpu spex-sim spex-compare spex-bench)
  if(TARGET ${_program})
    list(APPEND _programs $<TARGET_FILE:${_program}>)
  endif()
endforeach()
if(NOT CMAKE_CROSSCOMPILING AND NOT SKBUILD)
  install(
    CODE
      "foreach(_program ${_programs})
         set(_share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
         execute_process(
           COMMAND \"${PROJECT_SOURCE_DIR}/ci/help-pages\" \${_program}
                   \"\${_share}/${CMAKE_INSTALL_MANDIR}/man1\"
                   \"\${_share}/${CMAKE_INSTALL_DATADIR}\"
           RESULT_VARIABLE _status)
         if(NOT _status EQUAL 0)
           message(WARNING \"no man page and no completion of \${_program}\")
         endif()
       endforeach()")
endif()
