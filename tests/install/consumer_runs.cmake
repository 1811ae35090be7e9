# The consumer's program computes with the installed library and its plugins.
execute_process(COMMAND "${work}/consumer" WORKING_DIRECTORY / COMMAND_ERROR_IS_FATAL ANY)
