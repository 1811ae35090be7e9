# No installed file names the source, the build or the first prefix. Binaries count by their run
# path: sanitizer builds and debug information may well hold source names.
file(GLOB_RECURSE texts "${moved}/*.cmake" "${moved}/*.h" "${moved}/*.hpp")
if(NOT texts)
  message(FATAL_ERROR "nothing is installed in ${moved}")
endif()
# A path begins where no other one goes on: /patchbay is not in "lib/patchbay".
set(paths "${source}" "${build}" "${prefix}")
foreach(path IN LISTS paths)
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${path}")
  list(APPEND patterns "(^|-[IL]|[^A-Za-z0-9_.}>-])${pattern}(/|[^A-Za-z0-9_.-]|$)")
endforeach()
foreach(file IN LISTS texts)
  file(READ "${file}" content)
  foreach(path pattern IN ZIP_LISTS paths patterns)
    if(content MATCHES "${pattern}")
      message(SEND_ERROR "${file} holds the path ${path}")
    endif()
  endforeach()
endforeach()

file(GLOB_RECURSE binaries "${moved}/*.so" "${moved}/*.so.*" "${moved}/${bindir}/*")
foreach(file IN LISTS binaries)
  execute_process(COMMAND readelf -d -W "${file}" OUTPUT_VARIABLE dynamic
                  COMMAND_ERROR_IS_FATAL ANY)
  if(dynamic MATCHES "R(UN)?PATH[^\n]*\\[([^]]*)\\]" AND NOT CMAKE_MATCH_2 MATCHES "^\\$ORIGIN")
    message(SEND_ERROR "${file} has the run path ${CMAKE_MATCH_2}")
  endif()
endforeach()
