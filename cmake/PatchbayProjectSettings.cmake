# Settings of our own build tree: compiler launcher, sanitizers, run paths. They apply to this
# project's folders, and most of them only if it is the top-level project.

set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Programs find the library relative to their own location, so both trees can be moved.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
file(RELATIVE_PATH from_bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set(PATCHBAY_PROGRAM_RPATH "$ORIGIN/${from_bin_to_lib}")

find_package(Threads REQUIRED)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()

  find_program(PATCHBAY_CCACHE ccache)
  mark_as_advanced(PATCHBAY_CCACHE)
  if(PATCHBAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # ccache caches precompiled headers only with the first setting. With the second, checkouts in
    # other folders share what it has.
    set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                 "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${PATCHBAY_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  endif()
endif()

if(PATCHBAY_SANITIZE)
  list(JOIN PATCHBAY_SANITIZE "," sanitizers)
  # Instrument everything in the process, plugins too; otherwise sanitizers report false errors.
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  # g++ 12 reports uninitialised variables in the standard library if code is instrumented.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
