// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "opencl/api/symbols.hpp"

#include <dlfcn.h>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/privileges.hpp"

namespace patchbay::opencl {
namespace {

constexpr const char* kLoader = "libOpenCL.so.1";

[[noreturn]] void no_driver(std::string why) {
  throw plugin::StatusError(PATCHBAY_NO_DRIVER, std::move(why));
}

template <class Function>
void resolve(void* library, const std::string& file, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) no_driver(file + ": no symbol " + name + " (OpenCL 1.2 is needed)");
}

}  // namespace

Symbols::Symbols(const std::optional<std::string>& path) {
  plugin::refuse_raised_privileges("an ICD loader or a driver of OpenCL",
                                   "OCL_ICD_VENDORS, POCL_CACHE_DIR, HOME");
  const std::string file = path.value_or(kLoader);
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* const why = dlerror();
    no_driver(std::string(why != nullptr ? why : file) +
              (path ? " (option opencl_library)" : "; an ICD loader and a driver are needed"));
  }
#define PATCHBAY_CL_RESOLVE(name, result, parameters) resolve(library, file, #name, name);
  PATCHBAY_CL_SYMBOLS(PATCHBAY_CL_RESOLVE)
#undef PATCHBAY_CL_RESOLVE
}

}  // namespace patchbay::opencl
