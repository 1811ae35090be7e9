// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/onednn/symbols.hpp"

#include <dlfcn.h>

namespace patchbay::cpu::dnnl {
namespace {

/// The function that the library's own calls use: one of the program, if it has it, comes first.
template <class Function>
void find_used(const Library& library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) library.optional(name, function);
}

}  // namespace

std::string Symbols::find(Library& library) {
#define PATCHBAY_DNNL_FIND(name, member, ...) library.find(member);
  PATCHBAY_DNNL_COMMON(PATCHBAY_DNNL_FIND)
  if (!library.is_complete()) return library.why();
  const Version& found = *version();
  if (found.major == 2) {
    PATCHBAY_DNNL_VERSION_2(PATCHBAY_DNNL_FIND)
  } else if (found.major == 3) {
    PATCHBAY_DNNL_VERSION_3(PATCHBAY_DNNL_FIND)
  } else {
    return library.file() + ": version " + std::to_string(found.major) + ", expected 2 or 3";
  }
#undef PATCHBAY_DNNL_FIND
  if (!library.is_complete()) return library.why();
  if (found.cpu_runtime == kSequential) return {};
  if (found.cpu_runtime != kOpenMp) return library.file() + ": its threads are not OpenMP's";
  find_used(library, "omp_get_max_threads", max_threads);
  find_used(library, "omp_set_num_threads", set_num_threads);
  if (max_threads == nullptr || set_num_threads == nullptr) return library.file() + ": no OpenMP";
  return {};
}

}  // namespace patchbay::cpu::dnnl
