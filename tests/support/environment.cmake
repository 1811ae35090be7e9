# What every test sees of the drivers that are installed: one implementation of OpenCL, whichever
# else there are, and no reports of what drivers leak.
set(PATCHBAY_TEST_DRIVERS
  "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd"
  "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/leaks_of_drivers.txt:print_suppressions=0")
