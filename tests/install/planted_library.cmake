# A file that the linker would take from the working directory does not get into a kernel.
set(folder "${work} planted")
file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${folder}/here" "${folder}/program")
file(MAKE_DIRECTORY "${folder}/cache")
file(CHMOD "${folder}/cache" DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

set(flags "")
if(sanitize)
  list(JOIN sanitize "," sanitizers)
  set(flags "-fsanitize=${sanitizers}")
endif()
execute_process(COMMAND "${compiler}" -std=c++20 ${flags} "${source}/tests/process/children_program.cpp"
                        "-I${moved}/include" "-L${moved}/${libdir}" -lpatchbay "-Wl,-rpath,${moved}/${libdir}"
                        -o "${folder}/program/use"
                COMMAND_ERROR_IS_FATAL ANY)

file(WRITE "${folder}/planted.c" "#include <stdio.h>
__attribute__((constructor)) static void ran(void) { puts(\"ran\"); fflush(stdout); }
")
execute_process(COMMAND "${c_compiler}" -fPIC -c "${folder}/planted.c" -o "${folder}/here/libgcc_s.so.1"
                COMMAND_ERROR_IS_FATAL ANY)
foreach(name IN ITEMS libm.so.6 libc.so.6 libstdc++.so.6 libgcc.a)
  file(COPY_FILE "${folder}/here/libgcc_s.so.1" "${folder}/here/${name}")
endforeach()

set(ENV{PATCHBAY_CACHE_DIR} "${folder}/cache")
execute_process(COMMAND "${folder}/program/use" cpu:0 WORKING_DIRECTORY "${folder}/here"
                OUTPUT_VARIABLE output RESULT_VARIABLE result)
file(GLOB_RECURSE kept "${folder}/cache/kernels/*.so")
if(NOT result EQUAL 0 OR NOT output STREQUAL "3\n" OR NOT kept)
  message(FATAL_ERROR "expected 3 and a kernel in the cache, got '${output}' (${result}, kept: ${kept})")
endif()
