# The author's plugin exports its entry alone, and passes every check; what is waived is optional.
execute_process(COMMAND nm -D --defined-only "${author_work}/patchbay-toy.so" OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "^[0-9a-f]+ [A-Z] patchbay_plugin_v[0-9]+\n$")
  message(FATAL_ERROR "expected the entry alone, got\n${symbols}")
endif()
execute_process(
  COMMAND "${moved}/${bindir}/patchbay" check "${author_work}/patchbay-toy.so" --json
  WORKING_DIRECTORY / OUTPUT_VARIABLE output RESULT_VARIABLE result)
message("${output}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "patchbay check ends with ${result}")
endif()
