# patchbay_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...]
#                   [DEPENDS <target>...] [ENVIRONMENT <NAME=value>...] [LOCK <name>]
#                   [ON_EACH_DEVICE] [EACH_CASE] [OPTIMISED] [PARTS <Suite> <n>])
#
# Builds a GoogleTest program in <build>/test-bin. Each suite becomes one ctest entry, whose cases
# share a process; with EACH_CASE each case has its own entry and process, and the suite that PARTS
# names has n entries. Tests use plugins only through the loader, so list the plugins that they need
# in DEPENDS (built before, never linked). ON_EACH_DEVICE adds everything that
# tests/support/device_test.h needs: all plugins, the simulated drivers, and the environment that
# makes the devices visible. OPTIMISED is for tests that compute much themselves. The label `long`
# excludes a test from the usual run. Tests with the same LOCK run one after the other.

find_package(GTest REQUIRED)

include("${CMAKE_CURRENT_LIST_DIR}/../tests/support/environment.cmake")

set(PATCHBAY_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
# Ends an entry that hangs. It is far above what any entry takes, because other programs may have the
# processor most of the time.
set(PATCHBAY_TEST_TIMEOUT_S 3600)
# The folder of the simulated libraries in tests/sim; the target patchbay_simulations builds them.
set(PATCHBAY_TEST_SIM_DIR "${PROJECT_BINARY_DIR}/tests/sim/lib")
# The folder of the broken plugins in tests/runtime/plugin, which no loader searches.
set(PATCHBAY_TEST_FIXTURE_DIR "${PROJECT_BINARY_DIR}/tests/runtime/plugin/fixtures")
# Instead of the user's cache. The presets share it, because sanitizers do not change kernels. A
# driver's compiled kernels do not tell with which options of the driver they were compiled.
set(PATCHBAY_TEST_CACHE_DIR "${PROJECT_BINARY_DIR}/test-cache" CACHE PATH
  "Where tests keep compiled kernels")
set(PATCHBAY_TEST_CACHE "PATCHBAY_CACHE_DIR=${PATCHBAY_TEST_CACHE_DIR}")
if(PATCHBAY_TEST_OPTIMISED_KERNELS)
  string(APPEND PATCHBAY_TEST_CACHE "-optimised")
endif()

# Of a test with OPTIMISED, after the options of every test program.
set(PATCHBAY_OPTIMISED_TEST $<$<CONFIG:Release>:-O1>)

# The compile options of every test program. The tested code is optimised, in the library.
function(patchbay_configure_test_target name)
  patchbay_configure_target(${name})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  target_include_directories(${name} PRIVATE
    "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE patchbay::patchbay GTest::gtest GTest::gtest_main
                                        Threads::Threads)
endfunction()

# Sanitizers stop at the first report, which could be overlooked. They leave signal stacks alone: a
# driver's compiler sets one for the thread that first calls it, and the sanitizer would unmap it as
# its own at the end of that thread.
set(PATCHBAY_TEST_SANITIZERS
  "ASAN_OPTIONS=halt_on_error=1:detect_stack_use_after_return=1:use_sigaltstack=0"
  "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1"
  ${PATCHBAY_TEST_TSAN})

# The environment of every test. Own loops multiply: a measurement would depend on other programs.
function(patchbay_test_environment out)
  set(${out}
    "PATCHBAY_CPU_PRODUCTS=own"
    "PATCHBAY_TEST_PLUGIN_DIR=${PATCHBAY_TEST_PLUGIN_DIR}"
    "${PATCHBAY_TEST_CACHE}"
    ${PATCHBAY_TEST_SANITIZERS}
    ${PATCHBAY_TEST_DRIVERS}
    ${PATCHBAY_TEST_KERNELS}
    PARENT_SCOPE)
endfunction()

# Parses the common headers of tests once with each of the two sets of options.
if(NOT TARGET patchbay_test_headers)
  add_executable(patchbay_test_headers EXCLUDE_FROM_ALL
    "${CMAKE_CURRENT_LIST_DIR}/../tests/support/test_headers.cpp")
  patchbay_configure_test_target(patchbay_test_headers)
  add_executable(patchbay_optimised_test_headers EXCLUDE_FROM_ALL
    "${CMAKE_CURRENT_LIST_DIR}/../tests/support/test_headers.cpp")
  patchbay_configure_test_target(patchbay_optimised_test_headers)
  target_compile_options(patchbay_optimised_test_headers PRIVATE ${PATCHBAY_OPTIMISED_TEST})
  foreach(headers IN ITEMS patchbay_test_headers patchbay_optimised_test_headers)
    patchbay_precompile(${headers}
      <algorithm> <array> <chrono> <filesystem> <fstream> <functional> <memory> <mutex> <optional> <random>
      <sstream> <string> <string_view> <thread> <vector> <gmock/gmock.h> <gtest/gtest.h>
      <patchbay/patchbay.h>)
  endforeach()
endif()

# Parts of every test program.
if(NOT TARGET patchbay_test_support)
  add_library(patchbay_test_support OBJECT
    "${CMAKE_CURRENT_LIST_DIR}/../tests/support/paths.cpp"
    "${CMAKE_CURRENT_LIST_DIR}/../tests/support/skipped_cases.cpp")
  patchbay_configure_test_target(patchbay_test_support)
  target_compile_definitions(patchbay_test_support PRIVATE
    PATCHBAY_TEST_PLUGIN_DIR="${PATCHBAY_TEST_PLUGIN_DIR}"
    PATCHBAY_TEST_SIM_DIR="${PATCHBAY_TEST_SIM_DIR}"
    PATCHBAY_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    PATCHBAY_TEST_BINARY_DIR="${PROJECT_BINARY_DIR}")
endif()

function(patchbay_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ON_EACH_DEVICE;EACH_CASE;OPTIMISED" "LOCK"
    "SOURCES;LIBRARIES;LABELS;DEPENDS;ENVIRONMENT;PARTS")
  if(arg_ON_EACH_DEVICE)
    list(APPEND arg_DEPENDS patchbay-plugins patchbay-fake patchbay_simulations)
    list(APPEND arg_ENVIRONMENT ${PATCHBAY_TEST_EACH_DEVICE})
  endif()
  add_executable(${name} ${arg_SOURCES})
  patchbay_configure_test_target(${name})
  if(arg_OPTIMISED)
    target_compile_options(${name} PRIVATE ${PATCHBAY_OPTIMISED_TEST})
    patchbay_precompile(${name} REUSE_FROM patchbay_optimised_test_headers)
  else()
    patchbay_precompile(${name} REUSE_FROM patchbay_test_headers)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} patchbay_test_support)
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
    TIMEOUT ${PATCHBAY_TEST_TIMEOUT_S} ENVIRONMENT ${environment} LABELS ${arg_LABELS}
    LOCK ${arg_LOCK} PARTS ${arg_PARTS} ${each_case})
endfunction()

# patchbay_write_registration(<script> <argument>...): lets ctest call patchbay_register_suites.
function(patchbay_write_registration script)
  list(TRANSFORM ARGN REPLACE "(.+)" "  [==[\\1]==]")
  list(JOIN ARGN "\n" arguments)
  file(WRITE "${script}" "include(\"${PATCHBAY_CMAKE_DIR}/PatchbaySuites.cmake\")
patchbay_register_suites(
${arguments})
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
