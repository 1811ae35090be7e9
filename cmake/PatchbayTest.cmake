# patchbay_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...]
#                   [DEPENDS <target>...] [ENVIRONMENT <NAME=value>...] [ON_EACH_DEVICE]
#                   [EACH_CASE])
#
# A GoogleTest program in <build>/test-bin. Each suite becomes one ctest entry, whose cases share a
# process; with EACH_CASE each case has an entry and a process of its own. Tests reach plugins
# through the loader only, so a plugin they need is a DEPENDS (built before, never linked).
# ON_EACH_DEVICE stands for what tests/support/device_test.h needs: every plugin, the simulated drivers,
# and the environment that shows the devices.
# The label `long` keeps a test out of the usual run.

find_package(GTest REQUIRED)

include("${CMAKE_CURRENT_LIST_DIR}/../tests/support/environment.cmake")

set(PATCHBAY_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
# Of one entry, which may be a suite of a thousand cases, on a machine with other work; sanitizers take
# ten times as long.
set(PATCHBAY_TEST_TIMEOUT_S 600)
if(PATCHBAY_SANITIZE)
  set(PATCHBAY_TEST_TIMEOUT_S 1200)
endif()
# Where tests/sim puts its libraries; the target patchbay_simulations makes them.
set(PATCHBAY_TEST_SIM_DIR "${PROJECT_BINARY_DIR}/tests/sim/lib")
# Where tests/runtime/plugin puts its broken plugins: outside every directory that a loader searches.
set(PATCHBAY_TEST_FIXTURE_DIR "${PROJECT_BINARY_DIR}/tests/runtime/plugin/fixtures")
# What tests compile is kept with the build, not in the user's cache.
set(PATCHBAY_TEST_CACHE "PATCHBAY_CACHE_DIR=${PROJECT_BINARY_DIR}/test-cache")

# The compile options of every test program.
function(patchbay_configure_test_target name)
  patchbay_configure_target(${name})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_include_directories(${name} PRIVATE
    "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE patchbay::patchbay GTest::gtest GTest::gtest_main
                                        Threads::Threads)
endfunction()

# What every test sees. Sanitizers stop at the first report, for a test that goes on hides it.
function(patchbay_test_environment out)
  set(${out}
    "PATCHBAY_TEST_PLUGIN_DIR=${PATCHBAY_TEST_PLUGIN_DIR}"
    "ASAN_OPTIONS=halt_on_error=1:detect_stack_use_after_return=1"
    "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
    ${PATCHBAY_TEST_TSAN}
    ${PATCHBAY_TEST_DRIVERS}
    PARENT_SCOPE)
endfunction()

# What every test includes is parsed once, and -O3 is spared: what is tested is in the library.
if(NOT TARGET patchbay_test_headers)
  add_executable(patchbay_test_headers EXCLUDE_FROM_ALL
    "${CMAKE_CURRENT_LIST_DIR}/../tests/support/test_headers.cpp")
  patchbay_configure_test_target(patchbay_test_headers)
  patchbay_precompile(patchbay_test_headers
    <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <memory> <mutex> <optional> <random>
    <sstream> <string> <string_view> <thread> <vector> <gmock/gmock.h> <gtest/gtest.h>)
endif()

if(NOT TARGET patchbay_skipped_cases)
  add_library(patchbay_skipped_cases OBJECT
    "${CMAKE_CURRENT_LIST_DIR}/../tests/support/skipped_cases.cpp")
  patchbay_configure_test_target(patchbay_skipped_cases)
endif()

function(patchbay_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ON_EACH_DEVICE;EACH_CASE" ""
    "SOURCES;LIBRARIES;LABELS;DEPENDS;ENVIRONMENT")
  if(arg_ON_EACH_DEVICE)
    list(APPEND arg_DEPENDS patchbay-plugins patchbay-fake patchbay_simulations)
    list(APPEND arg_ENVIRONMENT ${PATCHBAY_TEST_EACH_DEVICE} ${PATCHBAY_TEST_CACHE})
  endif()
  add_executable(${name} ${arg_SOURCES})
  patchbay_configure_test_target(${name})
  patchbay_precompile(${name} REUSE_FROM patchbay_test_headers)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} patchbay_skipped_cases)
  target_compile_definitions(${name} PRIVATE
    PATCHBAY_TEST_PLUGIN_DIR="${PATCHBAY_TEST_PLUGIN_DIR}"
    PATCHBAY_TEST_SIM_DIR="${PATCHBAY_TEST_SIM_DIR}"
    PATCHBAY_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PATCHBAY_TEST_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test-bin")
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()

  patchbay_test_environment(environment)
  list(APPEND environment ${arg_ENVIRONMENT})
  set(each_case "")
  if(arg_EACH_CASE)
    set(each_case EACH_CASE)
  endif()
  patchbay_write_registration("${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake"
    NAME ${name} PROGRAM "${PROJECT_BINARY_DIR}/test-bin/${name}" FOLDER "${PROJECT_BINARY_DIR}"
    TIMEOUT ${PATCHBAY_TEST_TIMEOUT_S} ENVIRONMENT ${environment} LABELS ${arg_LABELS} ${each_case})
endfunction()

# patchbay_write_registration(<script> <argument>...): ctest is to call patchbay_register_suites so.
function(patchbay_write_registration script)
  list(TRANSFORM ARGN REPLACE "(.+)" "  [==[\\1]==]")
  list(JOIN ARGN "\n" arguments)
  file(WRITE "${script}" "include(\"${PATCHBAY_CMAKE_DIR}/PatchbaySuites.cmake\")
patchbay_register_suites(
${arguments})
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
