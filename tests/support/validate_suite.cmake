# patchbay_validate_suite(<test program> [<pattern of cases>...])
# Runs the suite again with validation, except the cases that match the patterns. Cases that need a
# vendor's driver take longer, so they belong to the long runs.
function(patchbay_validate_suite suite)
  patchbay_test_environment(every_test)
  math(EXPR timeout "3 * ${PATCHBAY_TEST_TIMEOUT_S}")  # of a whole program, where others are suites
  foreach(name IN ITEMS validated.${suite} validated.${suite}.everywhere)
    set(left_out ${ARGN})
    if(NOT name MATCHES "everywhere$")
      list(APPEND left_out "*opencl*" "*cuda*" "*hip*")
    endif()
    list(JOIN left_out ":" left_out)
    add_test(NAME ${name} COMMAND ${suite} --gtest_brief=1 "--gtest_filter=-${left_out}")
    set_tests_properties(${name} PROPERTIES TIMEOUT "${timeout}" ENVIRONMENT
      "${every_test};${PATCHBAY_TEST_EACH_DEVICE};PATCHBAY_VALIDATE=1;PATCHBAY_TEST_VALIDATE=1")
  endforeach()
  set_tests_properties(validated.${suite}.everywhere PROPERTIES LABELS long)
endfunction()

# patchbay_suite_with_simd(<test program> <instruction set>)
# Runs the suite's cases of cpu:0 again with the loops of a lesser instruction set (cpu_simd), which
# most processors have.
function(patchbay_suite_with_simd suite simd)
  patchbay_test_environment(every_test)
  add_test(NAME ${simd}.${suite} COMMAND ${suite} --gtest_brief=1 "--gtest_filter=*cpu0*")
  set_tests_properties(${simd}.${suite} PROPERTIES TIMEOUT "${PATCHBAY_TEST_TIMEOUT_S}" ENVIRONMENT
    "${every_test};${PATCHBAY_TEST_EACH_DEVICE};PATCHBAY_CPU_SIMD=${simd}")
endfunction()
