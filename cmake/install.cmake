# What `cmake --install` puts where: headers, libraries, program, manual, completions, pkg-config, CMake package.
# Everything finds its neighbours relative to itself, so the installed tree may be moved.
include(CMakePackageConfigHelpers)

install(FILES include/stemma.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/stemma DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS stemma_shared stemma_static EXPORT stemma)

set(STEMMA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/stemma)
install(EXPORT stemma NAMESPACE stemma:: FILE stemma-targets.cmake DESTINATION ${STEMMA_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stemma-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/stemma-config.cmake ${PROJECT_BINARY_DIR}/stemma-config-version.cmake
        DESTINATION ${STEMMA_PACKAGE_DIR})

file(RELATIVE_PATH PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/stemma.pc.in stemma.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stemma.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(section 1 3 5 7)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

if(TARGET stemma)
  install(TARGETS stemma)

  # The program knows its own commands and options, so it writes the completions itself.
  set(COMPLETIONS ${PROJECT_BINARY_DIR}/completions)
  file(MAKE_DIRECTORY ${COMPLETIONS})
  set(COMPLETION_FILES "")
  foreach(pair bash:stemma zsh:_stemma fish:stemma.fish)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 shell)
    list(GET pair 1 file)
    add_custom_command(OUTPUT ${COMPLETIONS}/${file} COMMAND stemma completion ${shell} > ${COMPLETIONS}/${file}
                       DEPENDS stemma COMMENT "Completion for ${shell}")
    list(APPEND COMPLETION_FILES ${COMPLETIONS}/${file})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${COMPLETION_FILES})
  install(FILES ${COMPLETIONS}/stemma DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${COMPLETIONS}/_stemma DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${COMPLETIONS}/stemma.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
