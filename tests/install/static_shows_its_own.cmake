# What the archive shows to a program is its own: no symbol of the libraries inside.
execute_process(COMMAND nm -C --defined-only --extern-only "${moved}/${libdir}/libpatchbay.a"
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " T patchbay::version\\(\\)")
  message(FATAL_ERROR "the archive does not show patchbay::version()")
endif()
string(REGEX MATCHALL "[^\n]*(fmt|boost|nlohmann)::[^\n]*" foreign "${symbols}")
if(foreign)
  list(JOIN foreign "\n" foreign)
  message(FATAL_ERROR "the archive shows\n${foreign}")
endif()
