# Installs the build tree to a prefix and moves it, so that nothing can lean on where it was made.
file(REMOVE_RECURSE "${prefix}" "${moved}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${build}" --prefix "${prefix}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${prefix}" "${moved}")
