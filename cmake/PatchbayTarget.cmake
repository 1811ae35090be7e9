# Compile settings of our own targets. They do not affect projects that use the installed package.

# patchbay_configure_target(<target>): C++20 without extensions, hidden symbols, warnings.
function(patchbay_configure_target target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef -Wformat=2
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wextra-semi>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wduplicated-cond -Wlogical-op -Wsuggest-override>
    # g++ 12 warns of overlaps in std::string that do not exist (its bug 105651).
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
    $<$<BOOL:${PATCHBAY_WERROR}>:-Werror>)

  get_target_property(type ${target} TYPE)
  if(type MATCHES "SHARED|MODULE")
    # An undefined symbol must fail here and not for the user. Sanitizers leave some undefined.
    if(NOT PATCHBAY_SANITIZE)
      target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,-z,relro -Wl,-z,now)
  endif()
endfunction()

# patchbay_precompile(<target> <header>... | REUSE_FROM <target>): parses what most files include once.
# Each file still includes what it uses, or what its fixture includes: the sanitizer presets build without
# precompiled headers.
function(patchbay_precompile target)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  # g++ does not treat the precompiled headers as system headers, and so reports its bug 105651.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow -Wno-stringop-overread
                                          -Wno-array-bounds>)
endfunction()

# patchbay_precompile_standard(<target>): parses the standard library's headers once for all static and
# dynamic libraries that call this.
function(patchbay_precompile_standard target)
  if(NOT TARGET patchbay_standard_headers)
    add_library(patchbay_standard_headers OBJECT EXCLUDE_FROM_ALL
      "${PROJECT_SOURCE_DIR}/cmake/standard_headers.cpp")
    patchbay_configure_target(patchbay_standard_headers)
    patchbay_precompile(patchbay_standard_headers
      <algorithm> <array> <atomic> <chrono> <cmath> <cstring> <filesystem> <functional> <map>
      <memory> <mutex> <optional> <span> <string> <string_view> <thread> <utility> <vector>)
  endif()
  patchbay_precompile(${target} REUSE_FROM patchbay_standard_headers)
endfunction()

# patchbay_add_program(<target> SOURCES <file>... [OUTPUT_NAME <name>] [LIBRARIES <target>...]
#                      [INSTALLED])
# Builds a program in <build>/bin that uses the library as any user would.
function(patchbay_add_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INSTALLED" "OUTPUT_NAME" "SOURCES;LIBRARIES")
  add_executable(${target} ${arg_SOURCES})
  patchbay_configure_target(${target})
  target_link_libraries(${target} PRIVATE patchbay::patchbay ${arg_LIBRARIES})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${PATCHBAY_PROGRAM_RPATH}")
  if(arg_OUTPUT_NAME)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME "${arg_OUTPUT_NAME}")
  endif()
  if(arg_INSTALLED AND PATCHBAY_INSTALL)
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" OPTIONAL)
  endif()
endfunction()
