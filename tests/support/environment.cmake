# The thread sanitizer does not know the locks of the linker and of OpenBLAS, reports a transfer thread
# that exit stops, which is never joined, as a leak.
set(PATCHBAY_TEST_TSAN
  "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:report_thread_leaks=0:suppressions=${CMAKE_CURRENT_LIST_DIR}/races_of_others.txt")
# The drivers that every test sees: one implementation of OpenCL, and no reports of the drivers'
# leaks. GCC 12's leak sanitizer misreads the thread-local data of libraries that are opened late,
# and follows wrong addresses, so it must not look at such data.
set(PATCHBAY_TEST_LSAN
  "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/leaks_of_drivers.txt:print_suppressions=0:use_tls=0")
set(PATCHBAY_TEST_DRIVERS
  "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd" "${PATCHBAY_TEST_LSAN}")
# For programs that leave objects behind on purpose.
set(PATCHBAY_TEST_LEAKS_ALLOWED "LSAN_OPTIONS=detect_leaks=0")
# Two devices of PoCL, if it is installed.
set(PATCHBAY_TEST_EACH_DEVICE "POCL_DEVICES=pthread pthread")

# Most of a suite with empty caches is the compilation of kernels. Without optimisation it takes half
# of the time; `scripts/test --all release` tests the optimised kernels.
option(PATCHBAY_TEST_OPTIMISED_KERNELS "Let tests compile kernels with optimisation" OFF)
set(PATCHBAY_TEST_KERNELS)
if(NOT PATCHBAY_TEST_OPTIMISED_KERNELS)
  set(PATCHBAY_TEST_KERNELS
    "PATCHBAY_KERNEL_COMPILER=${CMAKE_CURRENT_LIST_DIR}/quick_compiler"
    "POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable" "POCL_WORK_GROUP_SPECIALIZATION=0")
endif()
# For tests whose kernels run for long.
set(PATCHBAY_TEST_FAST_KERNELS
  "PATCHBAY_KERNEL_COMPILER=" "POCL_EXTRA_BUILD_FLAGS=" "POCL_WORK_GROUP_SPECIALIZATION=1")
