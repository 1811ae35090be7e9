# The installed skeleton, copied and built as it stands, is a plugin that the command lists.
set(folder "${work} skeleton")
file(REMOVE_RECURSE "${folder}")
file(COPY "${moved}/share/patchbay/skeleton" DESTINATION "${folder}")
set(consumer "${folder}/skeleton")
set(work "${folder}/build")
set(optimisation Debug)
include("${CMAKE_CURRENT_LIST_DIR}/consumer_builds.cmake")
execute_process(COMMAND "${moved}/${bindir}/patchbay" plugins --plugin "${work}/patchbay-null.so"
                WORKING_DIRECTORY / OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "null +loaded")
  message(FATAL_ERROR "expected the plugin null, loaded, got\n${output}")
endif()
