# The notices of the libraries that are compiled in, the skeleton and the author's example are there,
# and the libraries are named by their version.
file(STRINGS "${source}/include/patchbay/version.h" numbers REGEX "VERSION_(MAJOR|MINOR) ")
list(TRANSFORM numbers REPLACE "[^0-9]+" "")
list(GET numbers 0 major)
list(GET numbers 1 minor)
set(name "${major}")
if(major EQUAL 0)
  set(name "${major}.${minor}")
endif()
foreach(library IN ITEMS libpatchbay libpatchbay-nn)
  execute_process(COMMAND readelf -d -W "${moved}/${libdir}/${library}.so" OUTPUT_VARIABLE dynamic
                  COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${dynamic}" "soname: [${library}.so.${name}]" position)
  if(position EQUAL -1)
    message(SEND_ERROR "expected the SONAME ${library}.so.${name}, got\n${dynamic}")
  endif()
endforeach()

file(GLOB notices "${moved}/share/doc/*/NOTICES")
list(LENGTH notices count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "expected one file NOTICES in ${moved}/share/doc, got '${notices}'")
endif()
file(READ "${notices}" text)
string(REGEX REPLACE "[ \n]+" " " text "${text}")
foreach(part IN ITEMS "fmt, in the libraries" "Victor Zverovich" "Remotion (Igor Schulz)" "Paul Dreik"
                      "nlohmann-json" "Niels Lohmann" "Florian Loitsch" "Hoehrmann"
                      "CLI11, in the command" "University of Cincinnati"
                      "The above copyright notice and this permission notice shall be included"
                      "Redistributions in binary form must reproduce the above copyright notice")
  string(FIND "${text}" "${part}" position)
  if(position EQUAL -1)
    message(SEND_ERROR "the installed NOTICES lack '${part}'")
  endif()
endforeach()

# All sources of both, and a build file without a word of this repository's own functions.
foreach(pair IN ITEMS "plugins/null;skeleton" "tests/install/author;author")
  list(GET pair 0 from)
  list(GET pair 1 to)
  file(GLOB ours RELATIVE "${source}/${from}" "${source}/${from}/*.cpp" "${source}/${from}/*.hpp")
  list(APPEND ours CMakeLists.txt)
  foreach(file IN LISTS ours)
    if(NOT EXISTS "${moved}/share/patchbay/${to}/${file}")
      message(SEND_ERROR "share/patchbay/${to}/${file} is not installed")
    endif()
  endforeach()
endforeach()
