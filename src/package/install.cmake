# What `cmake --install` puts where: headers, library, command, and what find_package and pkg-config read.
# Nothing installed holds the prefix, so that the tree can be moved and `--prefix` may differ from the configured one.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/headrace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS headrace EXPORT headrace LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET headrace_command)
  install(TARGETS headrace_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# The library's own dependencies are private to it, so the exported target is the whole of the config file.
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/headrace)
install(EXPORT headrace NAMESPACE headrace:: FILE headraceConfig.cmake DESTINATION ${config_folder})
# ABI rule (version.h): 0.x holds within a minor version.
write_basic_package_version_file(headraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/headraceConfigVersion.cmake DESTINATION ${config_folder})

file(RELATIVE_PATH prefix_folder /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_folder "${prefix_folder}")
file(CONFIGURE OUTPUT headrace.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@prefix_folder@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@

Name: headrace
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Cflags: -I${includedir}
Libs: -L${libdir} -lheadrace
]])
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/headrace.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
