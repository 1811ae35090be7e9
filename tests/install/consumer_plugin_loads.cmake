# The consumer's plugin, built by the installed patchbay_add_plugin, exports its entry alone and
# loads.
execute_process(COMMAND nm -D --defined-only "${work}/patchbay-socket.so" OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "^[0-9a-f]+ [A-Z] patchbay_plugin_v[0-9]+\n$")
  message(FATAL_ERROR "expected the entry alone, got\n${symbols}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E env
                        "PATCHBAY_PLUGIN_PATH=${moved}/${libdir}/patchbay/plugins"
                        "${work}/consumer" "${work}/patchbay-socket.so" WORKING_DIRECTORY /
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
message("${output}")
if(NOT output MATCHES "socket:0")
  message(FATAL_ERROR "expected the device socket:0")
endif()
