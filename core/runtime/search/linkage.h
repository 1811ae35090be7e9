// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a library's file asks of the dynamic linker, read before any of its code runs.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_LINKAGE_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_LINKAGE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "core/runtime/search/elf_file.h"

namespace patchbay::runtime {

/// A folder from which the file takes libraries.
struct LinkedFolder {
  std::string what;            // "its RUNPATH folder /opt/lib"
  std::filesystem::path path;  // absolute
};

struct Linkage {
  std::string refusal;  // empty if it asks for nothing that is never granted
  std::vector<LinkedFolder> folders;
};

/// Refuses an executable stack, relocations of code, and whatever the dynamic linker would look for
/// in the working directory. `origin` is the folder of the file, absolute. Names without a slash
/// are left to the system's search.
Linkage read_linkage(const ElfFile& file, const std::filesystem::path& origin);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_LINKAGE_H_
