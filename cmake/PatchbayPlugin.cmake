# patchbay_add_plugin(<name> SOURCES <file>... [LIBRARIES <target>...]
#                     [DESTINATION <folder>] [NOT_INSTALLED])
#
# Builds the module patchbay-<name>.so (target patchbay-<name>), which exports only the entry
# symbol. Linking fails if the library would refuse the file (PatchbayPluginLinkage.cmake). This file
# is installed with the package, for plugins outside this repository.
#
#   LIBRARIES      header-only or static libraries, such as patchbay::kit-device; drivers and BLAS
#                  are opened at run time
#   DESTINATION    install folder; default lib/patchbay/plugins in this project, none outside it
#   NOT_INSTALLED  for tests: built into <build>/test-plugins, which no loader searches by default

set(PATCHBAY_PLUGIN_ENTRY patchbay_plugin_v1)
include("${CMAKE_CURRENT_LIST_DIR}/PatchbayEmbedText.cmake")

function(patchbay_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_INSTALLED" "DESTINATION" "SOURCES;LIBRARIES")
  if(NOT name MATCHES "^[a-z][a-z0-9-]*$")
    message(FATAL_ERROR "patchbay_add_plugin: '${name}' is no plugin name; example: my-device")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "patchbay_add_plugin(${name}): expected SOURCES, got '${ARGN}'")
  endif()

  set(target patchbay-${name})
  add_library(${target} MODULE ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    PREFIX "" SUFFIX ".so"
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${target} PRIVATE patchbay::plugin ${arg_LIBRARIES} ${CMAKE_DL_LIBS})
  if(COMMAND patchbay_configure_target)
    patchbay_configure_target(${target})
  endif()

  # Hidden visibility does not cover symbols of static libraries, so a script hides them.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
  file(CONFIGURE OUTPUT "${script}" @ONLY
       CONTENT "{ global: @PATCHBAY_PLUGIN_ENTRY@; local: *; };\n")
  target_link_options(${target} PRIVATE "-Wl,--version-script=${script}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")

  # The library refuses plugins that ask for these, or for a relative path (docs/loading.md).
  target_link_options(${target} PRIVATE -Wl,-z,noexecstack -Wl,-z,text)
  if(CMAKE_READELF)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND "${CMAKE_COMMAND}" -D "FILE=$<TARGET_FILE:${target}>" -D "READELF=${CMAKE_READELF}"
              -D "INSTALL_RPATH=$<TARGET_PROPERTY:${target},INSTALL_RPATH>"
              -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/PatchbayPluginLinkage.cmake")
  endif()

  if(arg_NOT_INSTALLED)
    if(PATCHBAY_TEST_PLUGIN_DIR)
      set_target_properties(${target} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY "${PATCHBAY_TEST_PLUGIN_DIR}")
    endif()
    return()
  endif()
  if(TARGET patchbay-plugins)
    add_dependencies(patchbay-plugins ${target})
  endif()
  if(PATCHBAY_PLUGIN_OUTPUT_DIR)
    set_target_properties(${target} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY "${PATCHBAY_PLUGIN_OUTPUT_DIR}")
  endif()
  if(arg_DESTINATION)
    install(TARGETS ${target} LIBRARY DESTINATION "${arg_DESTINATION}")
  elseif(PATCHBAY_INSTALL)
    # Optional, because a tree may have built only the library.
    install(TARGETS ${target} LIBRARY DESTINATION "${PATCHBAY_INSTALL_PLUGIN_DIR}" OPTIONAL)
  endif()
endfunction()
