# A program that holds the core finds the plugins of its prefix from bin/, those of its own folder
# from any other, and those of a directory that it is told.
function(expect_devices program expected)
  execute_process(COMMAND ${ARGN} "${program}" WORKING_DIRECTORY / OUTPUT_VARIABLE output
                  ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(expected AND NOT (result EQUAL 0 AND output MATCHES "cpu:0"))
    message(FATAL_ERROR "${program}: expected cpu:0, got ${result}\n${output}${errors}")
  elseif(NOT expected AND NOT errors MATCHES "no plugin|no backend|no device")
    message(FATAL_ERROR "${program}: expected no backend, got ${result}\n${output}${errors}")
  endif()
endfunction()

set(plugins "${moved}/${libdir}/patchbay/plugins")
file(COPY "${work}/consumer" DESTINATION "${moved}/bin")
expect_devices("${moved}/bin/consumer" TRUE)
# The first argument is whatever the caller says.
expect_devices("${moved}/bin/consumer" TRUE bash -c "exec -a /nowhere \"$0\"")

file(REMOVE_RECURSE "${work}/app")
file(COPY "${work}/consumer" DESTINATION "${work}/app")
expect_devices("${work}/app/consumer" FALSE)
expect_devices("${work}/app/consumer" TRUE
               "${CMAKE_COMMAND}" -E env "PATCHBAY_PLUGIN_PATH=${plugins}")
file(COPY "${plugins}" DESTINATION "${work}/app/patchbay")
expect_devices("${work}/app/consumer" TRUE)

execute_process(COMMAND readelf -d -W "${work}/consumer" OUTPUT_VARIABLE dynamic
                COMMAND_ERROR_IS_FATAL ANY)
if(dynamic MATCHES "libpatchbay")
  message(FATAL_ERROR "the program needs the shared library:\n${dynamic}")
endif()
