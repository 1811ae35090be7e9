# Run by ctest to find the suites of a test program; patchbay_add_test (PatchbayTest.cmake)
# registers this file. A suite is one ctest entry and one process, because starting a process takes
# longer than most cases.
cmake_minimum_required(VERSION 3.25)

# patchbay_register_suites(NAME <name> PROGRAM <file> FOLDER <folder> TIMEOUT <seconds>
#                          ENVIRONMENT <NAME=value>... [LABELS <label>...] [LOCK <name>] [EACH_CASE]
#                          [PARTS <Suite> <n>])
# Adds the entries <name>.<Suite>, each with all instantiations of the suite; with EACH_CASE the
# entries are <name>.<Suite>.<case>. The suite of PARTS, which would take too long for one entry, has
# n: <name>.<Suite>.0 and so on. <folder>/test-results/<entry>.xml has the result of each case.
function(patchbay_register_suites)
  cmake_parse_arguments(PARSE_ARGV 0 arg "EACH_CASE" "NAME;PROGRAM;FOLDER;TIMEOUT;LOCK"
    "ENVIRONMENT;LABELS;PARTS")
  if(NOT EXISTS "${arg_PROGRAM}")
    add_test("${arg_NAME}.is_not_built" "${arg_PROGRAM}")
    return()
  endif()
  patchbay_list_cases(suites filters "${arg_EACH_CASE}" "${arg_PROGRAM}")
  set(entries ${suites})
  list(REMOVE_DUPLICATES entries)
  foreach(suite filter IN ZIP_LISTS suites filters)
    string(APPEND "filter_of_${suite}" ":${filter}")
  endforeach()
  list(POP_FRONT arg_PARTS parted_suite num_parts)
  if(parted_suite AND NOT parted_suite IN_LIST entries)
    message(FATAL_ERROR "${arg_PROGRAM} has no suite ${parted_suite} to divide into parts")
  endif()
  foreach(entry IN LISTS entries)
    if(entry STREQUAL "${parted_suite}")
      math(EXPR last "${num_parts} - 1")
      foreach(part RANGE ${last})
        patchbay_register_entry("${arg_NAME}.${entry}.${part}" "${filter_of_${entry}}"
          "GTEST_TOTAL_SHARDS=${num_parts}" "GTEST_SHARD_INDEX=${part}")
      endforeach()
    else()
      patchbay_register_entry("${arg_NAME}.${entry}" "${filter_of_${entry}}")
    endif()
  endforeach()
endfunction()

# patchbay_register_entry(<test> <filter> [<NAME=value>...]): for patchbay_register_suites alone,
# whose arguments it uses.
function(patchbay_register_entry test filter)
  string(REPLACE "/" "." file "${test}")
  list(APPEND arg_ENVIRONMENT ${ARGN})
  add_test("${test}" "${arg_PROGRAM}" --gtest_brief=1 "--gtest_filter=${filter}"
           "--gtest_output=xml:${arg_FOLDER}/test-results/${file}.xml")
  set_tests_properties("${test}" PROPERTIES
    WORKING_DIRECTORY "${arg_FOLDER}" TIMEOUT "${arg_TIMEOUT}"
    ENVIRONMENT "${arg_ENVIRONMENT}" LABELS "${arg_LABELS}" RESOURCE_LOCK "${arg_LOCK}"
    SKIP_REGULAR_EXPRESSION "Every case was skipped")
endfunction()

# patchbay_list_cases(<names> <filters> <each case> <program>): lists the entries of the program's
# cases, and the filters that select the cases; an entry may occur several times.
function(patchbay_list_cases out_names out_filters each_case program)
  execute_process(COMMAND "${program}" --gtest_list_tests
    OUTPUT_VARIABLE listing RESULT_VARIABLE result TIMEOUT 60)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${program} can't list its tests: ${result}")
  endif()
  # "Instantiation/Suite/0.  # TypeParam = int" and, below it, "  Case/cpu0  # GetParam() = ...".
  string(REGEX REPLACE " *#[^\n]*" "" listing "${listing}")
  string(REPLACE "\n" ";" lines "${listing}")
  set(names "")
  set(filters "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^  ([^ ]+)$")
      if(each_case)
        list(APPEND names "${name}.${CMAKE_MATCH_1}")
        list(APPEND filters "${suite}.${CMAKE_MATCH_1}")
      endif()
    elseif(line MATCHES "^([^ ]+)\\.$")
      set(suite "${CMAKE_MATCH_1}")
      string(REGEX REPLACE "/[0-9]+$" "" name "${suite}")
      string(REGEX REPLACE "^.*/" "" name "${name}")
      if(NOT each_case)
        list(APPEND names "${name}")
        list(APPEND filters "${suite}.*")
      endif()
    endif()
  endforeach()
  set(${out_names} "${names}" PARENT_SCOPE)
  set(${out_filters} "${filters}" PARENT_SCOPE)
endfunction()
