# `cmake --install` works in a tree where only the library was built. Such a tree is put together from
# the install scripts and the library of this one, because building another takes minutes.
set(tree "${prefix} alone/build")
set(installed "${prefix} alone/installed")
file(REMOVE_RECURSE "${prefix} alone")

file(GLOB_RECURSE scripts RELATIVE "${build}" "${build}/cmake_install.cmake")
file(GLOB_RECURSE exports RELATIVE "${build}" "${build}/CMakeFiles/Export/*.cmake")
foreach(script IN LISTS scripts exports)
  file(READ "${build}/${script}" content)
  string(REPLACE "${build}" "${tree}" content "${content}")
  file(WRITE "${tree}/${script}" "${content}")
endforeach()
file(COPY "${build}/CMakeCache.txt" "${build}/patchbayConfig.cmake"
          "${build}/patchbayConfigVersion.cmake" DESTINATION "${tree}")
file(GLOB library "${build}/${libdir}/libpatchbay.so*")
file(COPY ${library} DESTINATION "${tree}/${libdir}")

execute_process(COMMAND "${CMAKE_COMMAND}" --install "${tree}" --prefix "${installed}"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(file IN ITEMS ${libdir}/libpatchbay.so include/patchbay/patchbay.h
                      include/patchbay/plugin/abi.h ${libdir}/cmake/patchbay/patchbayConfig.cmake
                      ${libdir}/cmake/patchbay/PatchbayPlugin.cmake)
  if(NOT EXISTS "${installed}/${file}")
    message(SEND_ERROR "${file} is not installed")
  endif()
endforeach()
file(GLOB more "${installed}/${bindir}/*" "${installed}/${libdir}/patchbay/plugins/*")
if(more)
  message(SEND_ERROR "installed without having been built: ${more}")
endif()

# A project finds the package, is told that the kit is missing, and links its program.
file(WRITE "${tree}/user/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(patchbay REQUIRED)
file(WRITE \"\${PROJECT_BINARY_DIR}/main.cpp\" \"#include <patchbay/version.h>
int main() { return patchbay::version().empty(); }\")
if(patchbay_kit_FOUND OR TARGET patchbay::kit-device)
  message(FATAL_ERROR \"the package brings a kit that was not installed\")
endif()
find_package(patchbay QUIET COMPONENTS kit)
if(patchbay_FOUND OR NOT patchbay_NOT_FOUND_MESSAGE MATCHES \"kit\")
  message(FATAL_ERROR \"the component kit is found, or not said to be missing: \${patchbay_NOT_FOUND_MESSAGE}\")
endif()
find_package(patchbay QUIET COMPONENTS bogus kit)
if(patchbay_FOUND OR NOT patchbay_NOT_FOUND_MESSAGE STREQUAL
   \"no component bogus: expected kit or nn; the component kit was not built when Patchbay was installed\")
  message(FATAL_ERROR \"the component bogus is not refused: \${patchbay_NOT_FOUND_MESSAGE}\")
endif()
find_package(patchbay REQUIRED OPTIONAL_COMPONENTS bogus kit)
if(patchbay_bogus_FOUND OR patchbay_kit_FOUND OR patchbay_NOT_FOUND_MESSAGE)
  message(FATAL_ERROR \"optional components: \${patchbay_NOT_FOUND_MESSAGE}\")
endif()
add_executable(user \"\${PROJECT_BINARY_DIR}/main.cpp\")
target_link_libraries(user PRIVATE patchbay::patchbay)
")
set(flags "")
if(sanitize)
  list(JOIN sanitize "," sanitizers)
  set(flags "-fsanitize=${sanitizers}")
endif()
execute_process(
  COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${tree}/user" -B "${tree}/user/build"
          "-DCMAKE_PREFIX_PATH=${installed}" "-DCMAKE_CXX_COMPILER=${compiler}"
          "-DCMAKE_CXX_FLAGS=${flags}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${tree}/user/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${tree}/user/build/user" COMMAND_ERROR_IS_FATAL ANY)
