# Install rules: a relocatable tree, and a CMake package without absolute paths. patchbay_add_plugin
# and patchbay_add_program have their own rules, which install the plugins and programs that were
# built.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/patchbay")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/patchbay"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

set(installed_targets patchbay_plugin)
if(TARGET patchbay)
  list(APPEND installed_targets patchbay)
endif()
install(TARGETS ${installed_targets} EXPORT patchbayTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT patchbayTargets NAMESPACE patchbay:: DESTINATION "${package_dir}")

# Networks, and the kit, have files of their own: a package without them is valid.
if(TARGET patchbay_nn)
  get_target_property(nn_type patchbay_nn TYPE)
  install(TARGETS patchbay_nn EXPORT patchbayNnTargets
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" OPTIONAL
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" OPTIONAL)
  install(EXPORT patchbayNnTargets NAMESPACE patchbay:: DESTINATION "${package_dir}")
endif()

get_property(kit_libraries GLOBAL PROPERTY PATCHBAY_KIT_LIBRARIES)
list(TRANSFORM kit_libraries PREPEND patchbay- OUTPUT_VARIABLE kit_targets)
install(TARGETS ${kit_targets} EXPORT patchbayKitTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" OPTIONAL)
install(EXPORT patchbayKitTargets NAMESPACE patchbay:: DESTINATION "${package_dir}")
# Without the headers that the executor puts before kernel texts, which are embedded in its library.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/kit" DESTINATION "${PATCHBAY_INSTALL_KIT_INCLUDE_DIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "record.h")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/patchbayConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/patchbayConfig.cmake" INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may break compatibility.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/patchbayConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/patchbayConfig.cmake"
              "${PROJECT_BINARY_DIR}/patchbayConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/PatchbayEmbedText.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/PatchbayPlugin.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/PatchbayPluginLinkage.cmake"
        DESTINATION "${package_dir}")
# With the notices of the libraries that are compiled in, which their licences ask for.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICES"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# What authors of plugins begin with: the skeleton, with a build file of its own, and an example from
# the kit. docs/adding-a-plugin.md tells where they are.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugins/null/"
        DESTINATION "${PATCHBAY_INSTALL_SHARE_DIR}/skeleton"
        FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "README.md")
install(FILES "${PROJECT_SOURCE_DIR}/plugins/null/standalone.txt" RENAME CMakeLists.txt
        DESTINATION "${PATCHBAY_INSTALL_SHARE_DIR}/skeleton")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tests/install/author/"
        DESTINATION "${PATCHBAY_INSTALL_SHARE_DIR}/author")
