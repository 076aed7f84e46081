# cmake --install: the library with its public headers and package files, the program, the example models.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/saltus)
install(TARGETS saltus_combined EXPORT saltusTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/saltus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT saltusTargets NAMESPACE saltus:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/saltusConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/saltusConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break what uses the old one.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/saltusConfig.cmake ${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake
        DESTINATION ${package_dir})
install(TARGETS saltus RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/saltus/examples
        FILES_MATCHING PATTERN "*.mo" PATTERN "*.saltus" PATTERN "cpp" EXCLUDE)
