# What cmake/PatchbaySuites.cmake makes of a program's cases. ctest's commands are replaced by records.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/PatchbaySuites.cmake")

function(add_test name program)
  string(REGEX REPLACE ".*--gtest_filter=:([^;]*).*" "\\1" filter "${ARGN}")
  set_property(GLOBAL APPEND PROPERTY made "${name} ${filter}")
endfunction()
function(set_tests_properties name)
  set_property(GLOBAL PROPERTY properties "${ARGN}")
endfunction()

# expect(<what> <expected> <got>)
function(expect what expected got)
  if(NOT expected STREQUAL got)
    message(SEND_ERROR "${what}: expected\n  ${expected}\ngot\n  ${got}")
  endif()
endfunction()

# made_of(<out> <argument>...): the entries and their filters
function(made_of out program)
  set_property(GLOBAL PROPERTY made "")
  patchbay_register_suites(NAME p PROGRAM "${CMAKE_CURRENT_LIST_DIR}/${program}" FOLDER /build
    TIMEOUT 7 ENVIRONMENT "A=1 2" "B=3" LABELS ${ARGN})
  get_property(made GLOBAL PROPERTY made)
  set(${out} "${made}" PARENT_SCOPE)
endfunction()

made_of(made listed_program.sh)
expect("suites"
  "p.Plain Plain.*;p.OnDevices OnDevices.*:Large/OnDevices.*;p.OfType OfType/0.*:OfType/1.*" "${made}")
get_property(properties GLOBAL PROPERTY properties)
expect("properties" "PROPERTIES;WORKING_DIRECTORY;/build;TIMEOUT;7;ENVIRONMENT;A=1 2;B=3;LABELS;;RESOURCE_LOCK;;\
SKIP_REGULAR_EXPRESSION;Every case was skipped" "${properties}")

made_of(made listed_program.sh EACH_CASE)
expect("each case" "p.Plain.IsOne Plain.IsOne;p.Plain.IsAnother Plain.IsAnother;\
p.OnDevices.Adds/cpu0 OnDevices.Adds/cpu0;p.OnDevices.Adds/fake0 OnDevices.Adds/fake0;\
p.OnDevices.Adds/0 Large/OnDevices.Adds/0;p.OfType.Sorts OfType/0.Sorts:OfType/1.Sorts" "${made}")

made_of(made listed_program.sh PARTS OfType 2)
expect("parts" "p.Plain Plain.*;p.OnDevices OnDevices.*:Large/OnDevices.*;\
p.OfType.0 OfType/0.*:OfType/1.*;p.OfType.1 OfType/0.*:OfType/1.*" "${made}")
get_property(properties GLOBAL PROPERTY properties)
expect("the environment of the last part" "PROPERTIES;WORKING_DIRECTORY;/build;TIMEOUT;7;ENVIRONMENT;A=1 2;B=3;\
GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=1;LABELS;;RESOURCE_LOCK;;\
SKIP_REGULAR_EXPRESSION;Every case was skipped" "${properties}")

set_property(GLOBAL PROPERTY made "")
patchbay_register_suites(NAME p PROGRAM /no/such/program FOLDER /build TIMEOUT 7 ENVIRONMENT A=1)
get_property(made GLOBAL PROPERTY made)
expect("a program that is not built" "p.is_not_built " "${made}")
