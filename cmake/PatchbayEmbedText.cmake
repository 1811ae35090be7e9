# patchbay_embed_text(<target> <variable> <file>...)
#
# Embeds texts in a plugin: writes the header <variable>.text.h, which <target> can include and
# which holds `inline constexpr char <variable>[]`, the files one after the other. A file is looked
# for in the current source folder, then in the folder that the package's headers are in:
#
#   patchbay_embed_text(patchbay-my-device kDialectText patchbay/plugin/kernels/dialect.h)

set(PATCHBAY_EMBED_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(patchbay_embed_text target variable)
  if(NOT variable MATCHES "^[A-Za-z_][A-Za-z0-9_]*$" OR NOT ARGN)
    message(FATAL_ERROR "patchbay_embed_text(${target}): expected a variable and files, got "
                        "'${variable}' and '${ARGN}'")
  endif()
  set(code "// Made by patchbay_embed_text; not to be edited.\n#pragma once\n")
  string(APPEND code "inline constexpr char ${variable}[] =")
  foreach(name IN LISTS ARGN)
    set(file "")
    foreach(folder IN ITEMS "${CMAKE_CURRENT_SOURCE_DIR}" "${PATCHBAY_EMBED_MODULE_DIR}/../include"
                            "${PATCHBAY_EMBED_MODULE_DIR}/../../../include")
      cmake_path(ABSOLUTE_PATH name BASE_DIRECTORY "${folder}" NORMALIZE OUTPUT_VARIABLE candidate)
      if(EXISTS "${candidate}" AND NOT file)
        set(file "${candidate}")
      endif()
    endforeach()
    if(NOT file)
      message(FATAL_ERROR "patchbay_embed_text(${target}): no file '${name}' in "
                          "${CMAKE_CURRENT_SOURCE_DIR} nor among the package's headers")
    endif()
    file(READ "${file}" text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    string(APPEND code "\n    R\"patchbay(${text})patchbay\"")
  endforeach()
  string(APPEND code ";\n")

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  set(header "${folder}/${variable}.text.h")
  set(before "")
  if(EXISTS "${header}")
    file(READ "${header}" before)
  endif()
  if(NOT before STREQUAL code)  # don't touch an unchanged header, which would cause a rebuild
    file(WRITE "${header}" "${code}")
  endif()
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
