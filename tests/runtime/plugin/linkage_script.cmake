# cmake -D COMPILER=<C compiler> -D READELF=<readelf> -D SCRIPT=<PatchbayPluginLinkage.cmake> -D WORK=<folder>
#       -P linkage_script.cmake
# What a plugin's author is told when linking makes a file that the library would refuse.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(WRITE "${WORK}/empty.c" "int patchbay_empty;\n")
file(WRITE "${WORK}/changes.s" ".text\n.globl f\nf: .quad patchbay_empty\n.section .note.GNU-stack,\"\",@progbits\n")

# build(<name> <argument>...) makes <name>.so of the source.
function(build name)
  execute_process(COMMAND "${COMPILER}" -shared -fPIC -nostdlib -Wl,-z,noexecstack ${ARGN} empty.c -o ${name}.so
                  WORKING_DIRECTORY "${WORK}" ERROR_VARIABLE errors RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name} can't be linked: ${errors}")
  endif()
endfunction()

# expect(<name> <text> [<INSTALL_RPATH>]) runs the script; an empty text means that it passes.
function(expect name text)
  string(REPLACE "|" ";" run_path "${ARGN}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -D "FILE=${WORK}/${name}.so" -D "READELF=${READELF}"
                          -D "INSTALL_RPATH=${run_path}" -P "${SCRIPT}"
                  ERROR_VARIABLE errors RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  if(text STREQUAL "" AND NOT result EQUAL 0)
    message(SEND_ERROR "${name} was refused: ${errors}")
  elseif(NOT text STREQUAL "" AND result EQUAL 0)
    message(SEND_ERROR "${name} passed: expected '${text}'")
  elseif(NOT text STREQUAL "")
    string(FIND "${errors}" "The library would refuse ${WORK}/${name}.so: ${text}" at)
    if(at LESS 0)
      message(SEND_ERROR "${name}: expected '${text}', got '${errors}'")
    endif()
  endif()
endfunction()

build(sound -Wl,-rpath,/opt/lib:$ORIGIN/../lib)
expect(sound "")
expect(sound "" "/opt/lib|$ORIGIN")
expect(sound "its INSTALL_RPATH '/opt/lib:lib' has the relative or empty element 'lib': write absolute folders"
  "/opt/lib|lib")

build(stack -Wl,-z,execstack)
expect(stack "its stack would be executable: link it with -z noexecstack")

build(relative -Wl,-rpath,lib)
expect(relative "its RUNPATH 'lib' has the relative or empty element 'lib'")
build(old -Wl,-rpath,./lib -Wl,--disable-new-dtags)
expect(old "its RUNPATH './lib' has the relative or empty element './lib'")
build(padded -Wl,-rpath,/opt/lib:::)
expect(padded "its RUNPATH '/opt/lib:::' has the relative or empty element ''")

build(libneeded -Wl,-soname,./libneeded.so)
build(needs -Wl,--no-as-needed ./libneeded.so)
expect(needs "it asks for the library './libneeded.so', a relative path: give that library a SONAME")
build(auxiliary -Wl,-f,lib/other.so)
expect(auxiliary "it asks for the library 'lib/other.so', a relative path")
build(filter -Wl,-F,lib/other.so)
expect(filter "it asks for the library 'lib/other.so', a relative path")

execute_process(COMMAND "${COMPILER}" -shared -nostdlib -Wl,-z,noexecstack -Wl,-z,notext changes.s empty.c
                        -fPIC -o changes.so
                WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result ERROR_QUIET)
if(result EQUAL 0)
  expect(changes "its code would be changed when it is loaded (TEXTREL): compile it with -fPIC")
endif()
