# patchbay_add_archive(<target> <objects>... [OUTPUT_DIRECTORY <folder>])
#
# Makes the static library libpatchbay.a of what the targets <objects> compiled. It holds one object
# file, whose hidden symbols are made local: it shows what the shared library shows, and its fmt,
# Boost and nlohmann-json can't be mistaken for those of the program.
function(patchbay_add_archive target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_DIRECTORY" "")
  if(NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "the static library needs objcopy, which is not found: set CMAKE_OBJCOPY")
  endif()
  # A precompiled header counts among the objects of a target.
  list(TRANSFORM arg_UNPARSED_ARGUMENTS REPLACE "(.+)"
       "$<FILTER:$<TARGET_OBJECTS:\\1>,INCLUDE,[.]o$>" OUTPUT_VARIABLE objects)
  set(merged "${CMAKE_CURRENT_BINARY_DIR}/${target}_merged.o")
  add_custom_command(OUTPUT "${merged}"
    # Without groups: one that a program has too would be dropped here, local symbols and all.
    COMMAND "${CMAKE_CXX_COMPILER}" -r -nostdlib -Wl,--force-group-allocation
            -o "${merged}" ${objects}
    # Boost marks its exceptions visible, whatever the compiler is told.
    COMMAND "${CMAKE_OBJCOPY}" --localize-hidden --wildcard "--localize-symbol=_Z*5boost*"
            "--localize-symbol=_Z*3fmt*" "--localize-symbol=_Z*8nlohmann*" "${merged}"
    DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Merging the objects of ${target}")
  add_library(${target} STATIC "${merged}")
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME patchbay)
  if(arg_OUTPUT_DIRECTORY)
    set_target_properties(${target} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
  endif()
endfunction()
