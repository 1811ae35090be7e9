# The author's program computes on the author's device.
execute_process(COMMAND "${author_work}/author" "${author_work}/patchbay-toy.so" WORKING_DIRECTORY /
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "a product is right\na gradient is right\na copy is right\n")
  message(FATAL_ERROR "got\n${output}")
endif()
