# The command runs from the moved tree, from another working folder, and finds its plugins there.
set(command "${moved}/${bindir}/patchbay")
if(NOT EXISTS "${command}")
  message(FATAL_ERROR "no command at ${command}")
endif()
foreach(subcommand IN ITEMS version devices plugins)
  execute_process(COMMAND "${command}" ${subcommand} --json WORKING_DIRECTORY /
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  message("${output}")
endforeach()
# The last output is that of `plugins`: paths in it must be those of the moved tree.
string(FIND "${output}" "${moved}/${libdir}/patchbay/plugins/patchbay-" position)
if(position EQUAL -1)
  message(FATAL_ERROR "no plugin of ${moved} in the output")
endif()
