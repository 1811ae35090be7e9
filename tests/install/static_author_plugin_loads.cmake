# The very file that was built against the tree with the shared core.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env
                        "PATCHBAY_PLUGIN_PATH=${moved}/${libdir}/patchbay/plugins"
                        "${work}/consumer" "${author_work}/patchbay-toy.so" WORKING_DIRECTORY /
                OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT output MATCHES "toy:0\ntoy:1")
  message(FATAL_ERROR "expected toy:0 and toy:1, got\n${output}${errors}")
endif()
