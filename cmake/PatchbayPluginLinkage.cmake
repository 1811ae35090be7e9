# cmake -D FILE=<plugin> -D READELF=<readelf> [-D INSTALL_RPATH=<list>] -P PatchbayPluginLinkage.cmake
#
# Fails if the library would refuse the plugin for what it asks of the dynamic linker: an executable
# stack, relocations of code, or a relative path. patchbay_add_plugin runs it after linking; the rules
# are in docs/loading.md.

execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${READELF}" -lWd "${FILE}"
                OUTPUT_VARIABLE text ERROR_VARIABLE errors RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(WARNING "${READELF} can't read ${FILE}: ${errors}")
  return()
endif()

set(wrong "")
if(NOT text MATCHES "GNU_STACK[^\n]* RW " )
  list(APPEND wrong "its stack would be executable: link it with -z noexecstack")
endif()
if(text MATCHES "\\(TEXTREL\\)|Flags:[^\n]*TEXTREL|\\(FLAGS\\)[^\n]*TEXTREL")
  list(APPEND wrong "its code would be changed when it is loaded (TEXTREL): compile it with -fPIC")
endif()

set(absolute "^(/|[$]ORIGIN(/|$)|[$]{ORIGIN}(/|$))")
function(check_run_path name path)
  set(rest "${path}:")
  while(rest MATCHES "^([^:]*):(.*)$")
    set(element "${CMAKE_MATCH_1}")
    set(rest "${CMAKE_MATCH_2}")
    if(NOT element MATCHES "${absolute}")
      list(APPEND wrong "its ${name} '${path}' has the relative or empty element '${element}': write \
absolute folders, or such that begin with $ORIGIN/. Where CMake pads the path with colons, set the \
target's property BUILD_WITH_INSTALL_RPATH")
      set(wrong "${wrong}" PARENT_SCOPE)
      return()
    endif()
  endwhile()
endfunction()

string(REGEX MATCHALL "Library r(un)?path: \\[[^\n]*\\]" paths "${text}")
foreach(path IN LISTS paths)
  string(REGEX REPLACE "^Library r(un)?path: \\[(.*)\\]$" "\\2" path "${path}")
  check_run_path("RUNPATH" "${path}")
endforeach()
if(INSTALL_RPATH)
  string(REPLACE ";" ":" path "${INSTALL_RPATH}")
  check_run_path("INSTALL_RPATH" "${path}")
endif()
string(REGEX MATCHALL "(Shared|Auxiliary|Filter) library: \\[[^\n]*\\]" libraries "${text}")
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "^[A-Za-z]+ library: \\[(.*)\\]$" "\\1" library "${library}")
  if(library MATCHES "[/$]" AND NOT library MATCHES "${absolute}")
    list(APPEND wrong "it asks for the library '${library}', a relative path: give that library a \
SONAME")
  endif()
endforeach()

if(wrong)
  list(JOIN wrong "\n  " wrong)
  message(FATAL_ERROR "The library would refuse ${FILE}:\n  ${wrong}")
endif()
