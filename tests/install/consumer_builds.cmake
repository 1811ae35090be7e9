# A project of its own, configured against the moved tree with find_package alone.
file(REMOVE_RECURSE "${work}")
set(flags "")
if(NOT optimisation)
  set(optimisation Release)
endif()
if(sanitize)
  # The library is sanitized, so what uses it must be.
  list(JOIN sanitize "," sanitizers)
  set(flags "-fsanitize=${sanitizers} -fno-sanitize-recover=all")
endif()
execute_process(
  COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${consumer}" -B "${work}"
          "-DCMAKE_PREFIX_PATH=${moved}" "-DCMAKE_BUILD_TYPE=${optimisation}" "-DCMAKE_CXX_FLAGS=${flags}"
          "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_C_COMPILER=${c_compiler}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}" COMMAND_ERROR_IS_FATAL ANY)
