# Each example, copied to a folder of its own, builds against the installed tree and needs nothing
# else. The headers are parsed once for all.
set(folder "${work} examples")
file(REMOVE_RECURSE "${folder}")
set(options -std=c++20 -O0 "-I${moved}/include")
if(sanitize)
  list(JOIN sanitize "," sanitizers)
  list(APPEND options "-fsanitize=${sanitizers}")
endif()
file(WRITE "${folder}/headers.h" "#include <patchbay/nn.h>\n#include <patchbay/patchbay.h>\n")
execute_process(COMMAND "${compiler}" ${options} -x c++-header "${folder}/headers.h"
                        -o "${folder}/headers.h.gch" COMMAND_ERROR_IS_FATAL ANY)

file(GLOB examples "${source}/examples/*")
list(FILTER examples EXCLUDE REGEX "/(tests|CMakeLists[.]txt|README[.]md)$")
list(LENGTH examples count)
if(count LESS 13)
  message(FATAL_ERROR "expected 13 examples or more in ${source}/examples, got '${examples}'")
endif()
foreach(example IN LISTS examples)
  cmake_path(GET example STEM name)
  file(COPY "${example}" DESTINATION "${folder}/${name}")
  file(GLOB_RECURSE sources "${folder}/${name}/*.cpp")
  execute_process(
    COMMAND "${compiler}" ${options} -include "${folder}/headers.h" ${sources} -o "${folder}/${name}/run"
            "-L${moved}/${libdir}" -lpatchbay-nn -lpatchbay "-Wl,-rpath,${moved}/${libdir}" -pthread
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

execute_process(COMMAND "${folder}/tour/run" WORKING_DIRECTORY / OUTPUT_VARIABLE output
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "x is on cpu:0, x \\+ x is on cpu:0\n")
  message(FATAL_ERROR "the tour prints\n${output}")
endif()
