# patchbay_add_archive(<target> <objects>... OUTPUT_NAME <name> [OUTPUT_DIRECTORY <folder>])
#
# Creates the static library lib<name>.a from the object libraries <objects>. It contains one
# object file whose hidden symbols are local, so it exports the same symbols as the shared library,
# and its fmt, Boost and nlohmann-json do not conflict with those of the program.
function(patchbay_add_archive target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT_NAME;OUTPUT_DIRECTORY" "")
  if(NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "the static library needs objcopy, which is not found: set CMAKE_OBJCOPY")
  endif()
  # The objects of a target include precompiled headers.
  list(TRANSFORM arg_UNPARSED_ARGUMENTS REPLACE "(.+)"
       "$<FILTER:$<TARGET_OBJECTS:\\1>,INCLUDE,[.]o$>" OUTPUT_VARIABLE objects)
  set(merged "${CMAKE_CURRENT_BINARY_DIR}/${target}_merged.o")
  add_custom_command(OUTPUT "${merged}"
    # Without groups: a group that a program has too would be dropped here, with its local symbols.
    COMMAND "${CMAKE_CXX_COMPILER}" -r -nostdlib -Wl,--force-group-allocation
            -o "${merged}" ${objects}
    # Boost makes its exceptions visible in spite of the compiler options.
    COMMAND "${CMAKE_OBJCOPY}" --localize-hidden --wildcard "--localize-symbol=_Z*5boost*"
            "--localize-symbol=_Z*3fmt*" "--localize-symbol=_Z*8nlohmann*" "${merged}"
    DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Merging the objects of ${target}")
  add_library(${target} STATIC "${merged}")
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME "${arg_OUTPUT_NAME}")
  if(arg_OUTPUT_DIRECTORY)
    set_target_properties(${target} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}")
  endif()
endfunction()
