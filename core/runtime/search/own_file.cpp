// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/own_file.h"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

namespace patchbay {

const char* own_link_name() noexcept {
  Dl_info info{};
  void* entry = nullptr;
  const auto* const code = reinterpret_cast<const void*>(&own_link_name);
  if (dladdr1(code, &info, &entry, RTLD_DL_LINKMAP) == 0 || entry == nullptr) return nullptr;
  const char* const name = static_cast<const link_map*>(entry)->l_name;
  return name != nullptr ? name : "";
}

OwnFile own_file() {
  const char* const name = own_link_name();
  if (name == nullptr) return {};
  OwnFile file;
  // The dynamic linker names the program only by its first argument, which the caller chose.
  file.is_program = *name == '\0';
  std::error_code error;
  file.path = std::filesystem::canonical(file.is_program ? "/proc/self/exe" : name, error);
  if (error) file.path.clear();
  return file;
}

}  // namespace patchbay
