# cmake --install: the libraries with their public headers and package files (CMake, pkg-config), the program, the example models.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/saltus)
install(TARGETS saltus_combined saltus_shared EXPORT saltusTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/saltus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT saltusTargets NAMESPACE saltus:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/saltusConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/saltusConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break what uses the old one.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/saltusConfig.cmake ${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake
        DESTINATION ${package_dir})
# Of a library that is linked statically; the shared one knows its own.
set(SALTUS_PRIVATE_LIBRARIES -lfmt)
if(SALTUS_WITH_KLU)
  list(APPEND SALTUS_PRIVATE_LIBRARIES -lklu -lbtf -lamd -lcolamd -lsuitesparseconfig)
endif()
list(JOIN SALTUS_PRIVATE_LIBRARIES " " SALTUS_PRIVATE_LIBRARIES)
configure_file(${PROJECT_SOURCE_DIR}/cmake/saltus.pc.in ${PROJECT_BINARY_DIR}/saltus.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/saltus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(TARGETS saltus RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# To be read: the program has it inside.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/library/Saltus DESTINATION ${CMAKE_INSTALL_DATADIR}/saltus/library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/saltus/examples
        FILES_MATCHING PATTERN "*.mo" PATTERN "*.saltus" PATTERN "cpp" EXCLUDE)
