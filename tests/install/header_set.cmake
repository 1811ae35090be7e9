# Every public header is installed, and nothing else; nor are the plugins that exist for tests.
file(GLOB_RECURSE ours RELATIVE "${source}/include"
     "${source}/include/*.h" "${source}/include/*.hpp")
file(GLOB_RECURSE kit RELATIVE "${source}" "${source}/kit/*.hpp")
list(TRANSFORM kit PREPEND "patchbay-kit/")
# Of the executor's text, the part that its headers include.
list(APPEND ours ${kit} patchbay-kit/kit/executor/record.h)
file(GLOB_RECURSE installed RELATIVE "${moved}/include" "${moved}/include/*")
list(SORT ours)
list(SORT installed)
if(NOT ours STREQUAL installed)
  message(SEND_ERROR "include/ and kit/ have\n  ${ours}\nbut installed is\n  ${installed}")
endif()

file(GLOB plugins RELATIVE "${moved}/${libdir}/patchbay/plugins"
     "${moved}/${libdir}/patchbay/plugins/*")
if(NOT plugins)
  message(SEND_ERROR "no plugin is installed in ${moved}/${libdir}/patchbay/plugins")
endif()
foreach(plugin IN LISTS plugins)
  if(plugin MATCHES "^patchbay-(null|fake)\\.so$" OR NOT plugin MATCHES "^patchbay-.*\\.so$")
    message(SEND_ERROR "${plugin} must not be installed")
  endif()
endforeach()
