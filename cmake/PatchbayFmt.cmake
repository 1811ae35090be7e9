# patchbay_fmt: fmt as a static library with hidden symbols, for the library, the tools and the tests.
find_package(fmt 9 REQUIRED)

add_library(patchbay_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt_library.cpp")
set_target_properties(patchbay_fmt PROPERTIES
  CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
target_compile_options(patchbay_fmt PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
target_include_directories(patchbay_fmt SYSTEM PUBLIC
  $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
