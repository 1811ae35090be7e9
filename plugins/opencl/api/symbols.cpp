// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/symbols.hpp"

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/privileges.hpp"

#include "kit/library/library.hpp"

namespace patchbay::opencl {
namespace {

constexpr const char* kLoader = "libOpenCL.so.1";

[[noreturn]] void no_driver(std::string why) {
  throw plugin::StatusError(PATCHBAY_NO_DRIVER, std::move(why));
}

}  // namespace

Symbols::Symbols(const std::optional<std::string>& path) {
  plugin::refuse_raised_privileges("an ICD loader or a driver of OpenCL",
                                   "OCL_ICD_VENDORS, POCL_CACHE_DIR, HOME");
  Library library(path.value_or(kLoader), Library::Lifetime::kProcess);
  if (!library) {
    no_driver(library.why() +
              (path ? " (setting opencl_library)" : "; an ICD loader and a driver are needed"));
  }
#define PATCHBAY_CL_FIND(name, result, parameters) library.find(#name, name);
  PATCHBAY_CL_SYMBOLS(PATCHBAY_CL_FIND)
#undef PATCHBAY_CL_FIND
  if (!library.is_complete()) no_driver(library.why() + " (OpenCL 1.2 is needed)");
}

}  // namespace patchbay::opencl
