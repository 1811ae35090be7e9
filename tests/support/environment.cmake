# Below the thread sanitizer: the linker's own lock is unknown to it, and a transfer thread that the
# process's end has stopped counts as a leak, for nobody joins it.
set(PATCHBAY_TEST_TSAN
  "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:report_thread_leaks=0:suppressions=${CMAKE_CURRENT_LIST_DIR}/races_of_the_linker.txt")
# What every test sees of the drivers that are installed: one implementation of OpenCL, whichever
# else there are, and no reports of what drivers leak. GCC 12's leak sanitizer takes what glibc
# keeps before the thread-local data of a library that was opened late for its size, and reads
# wherever that leads: it looks at no such data.
set(PATCHBAY_TEST_LSAN
  "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/leaks_of_drivers.txt:print_suppressions=0:use_tls=0")
set(PATCHBAY_TEST_DRIVERS
  "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd" "${PATCHBAY_TEST_LSAN}")
# Two devices of PoCL, where it is installed.
set(PATCHBAY_TEST_EACH_DEVICE "POCL_DEVICES=pthread pthread")
