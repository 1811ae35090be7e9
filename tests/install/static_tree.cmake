# A tree with BUILD_SHARED_LIBS=OFF, installed and moved. Its archives and plugins are those of this
# build tree, because compiling them again takes minutes.
set(tree "${prefix} build")
file(REMOVE_RECURSE "${tree}" "${prefix}" "${moved}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${source}" -B "${tree}" -DBUILD_SHARED_LIBS=OFF
          -DCMAKE_BUILD_TYPE=Release -DPATCHBAY_BUILD_TOOLS=OFF -DPATCHBAY_BUILD_TESTS=OFF
          -DPATCHBAY_BUILD_EXAMPLES=OFF -DPATCHBAY_BUILD_BENCH=OFF
          "-DCMAKE_INSTALL_LIBDIR=${libdir}" "-DCMAKE_INSTALL_BINDIR=${bindir}"
          "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_C_COMPILER=${c_compiler}"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB archives "${archive}/*.a")
file(COPY ${archives} DESTINATION "${tree}/${libdir}")
file(COPY "${build}/${libdir}/patchbay" DESTINATION "${tree}/${libdir}")
file(GLOB kit "${build}/kit/*.a")
file(COPY ${kit} DESTINATION "${tree}/kit")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${tree}" --prefix "${prefix}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${prefix}" "${moved}")
file(REMOVE_RECURSE "${tree}")
file(GLOB libraries RELATIVE "${moved}/${libdir}" "${moved}/${libdir}/libpatchbay.*")
if(NOT libraries STREQUAL "libpatchbay.a")
  message(FATAL_ERROR "expected libpatchbay.a alone, got '${libraries}'")
endif()
