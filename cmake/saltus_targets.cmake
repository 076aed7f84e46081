# Compiler settings shared by every target, and the two functions that define targets.

# For programs that see the public headers only.
add_library(saltus_warnings INTERFACE)
target_compile_features(saltus_warnings INTERFACE cxx_std_20)
# For the library and its tests.
add_library(saltus_settings INTERFACE)
target_include_directories(saltus_settings INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(saltus_settings INTERFACE saltus_warnings)
# No fused multiply-add and no fast-math: the same source gives the same numbers on every machine (DESIGN 6).
target_compile_options(saltus_warnings INTERFACE -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                 -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
if(SALTUS_WERROR)
  target_compile_options(saltus_warnings INTERFACE -Werror)
endif()
if(SALTUS_ENABLE_ASSERTS)
  target_compile_definitions(saltus_settings INTERFACE SALTUS_ENABLE_ASSERTS)
endif()

# With SALTUS_UNITY: more together would leave cores without work at the end of a build (measured on two).
set(SALTUS_FILES_TOGETHER 12)

# Headers of the standard library and of fmt that most files read: a third of the time of a file by itself. Compiled once, for the folder
# base, and shared by all. SALTUS_PRECOMPILED is off in the preset clang, where every file must include what it uses.
set(SALTUS_COMMON_HEADERS <fmt/format.h> <algorithm> <array> <cmath> <complex> <cstdint> <functional> <limits> <map> <memory> <mutex>
                          <numeric> <optional> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <vector>)
function(saltus_precompile target)
  if(NOT SALTUS_PRECOMPILED)
    return()
  elseif(target STREQUAL saltus_base)
    target_precompile_headers(saltus_base PRIVATE ${SALTUS_COMMON_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM saltus_base)
  endif()
endfunction()

# saltus_library(NAME [SELDOM] [DEPENDS folder...] [LINK library...]): the folder src/NAME as one target. DEPENDS are other folders (the
# same edges as in scripts/layers.toml); LINK are third-party libraries beside fmt, private to the .cpp files. Releases are compiled with
# -O2 (with vectors as in -O3), folders that work SELDOM, once for a model or for an event, with -O1 (docs/decisions/0008-optimisation-levels.md).
function(saltus_library name)
  cmake_parse_arguments(ARG "SELDOM" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    add_library(saltus_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(saltus_${name} STATIC ${sources})
    target_link_libraries(saltus_${name} PRIVATE fmt::fmt ${ARG_LINK})
    set_target_properties(saltus_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${SALTUS_UNITY}
                                                    UNITY_BUILD_BATCH_SIZE ${SALTUS_FILES_TOGETHER})
    saltus_precompile(saltus_${name})
    if(ARG_SELDOM)
      target_compile_options(saltus_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    else()
      target_compile_options(saltus_${name} PRIVATE $<$<CONFIG:Release>:-O2>
                             $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fvect-cost-model=dynamic>)
    endif()
    set_property(GLOBAL APPEND PROPERTY saltus_folder_targets saltus_${name})
    set(scope PUBLIC)
  endif()
  target_link_libraries(saltus_${name} ${scope} saltus_settings)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(saltus_${name} ${scope} saltus_${dependency})
  endforeach()
endfunction()

# saltus_kernels(file...): files of the time loop, in the folder src, that are compiled with -O3 and by themselves; without the common
# headers, because those are compiled for -O2.
function(saltus_kernels)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3> SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# saltus_test(NAME FOLDER path LINK targets... [LABEL label]): every *_test.cpp of a folder as one program.
function(saltus_test name)
  cmake_parse_arguments(ARG "" "FOLDER;LABEL" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${ARG_FOLDER}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} saltus_source_folder fmt::fmt GTest::gtest GTest::gmock GTest::gtest_main)
  # A quarter of the time that tests take to compile is these headers: they are read once, by the first of the programs.
  if(TARGET unit_base AND NOT name STREQUAL unit_base)
    target_precompile_headers(${name} REUSE_FROM unit_base)
  else()
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <array> <cmath> <functional> <map>
                              <memory> <optional> <span> <string> <vector>)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 300)
endfunction()
