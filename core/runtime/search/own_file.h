// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_OWN_FILE_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_OWN_FILE_H_

#include <filesystem>

namespace patchbay {

/// The file that contains the library's code: libpatchbay.so or, if linked statically, the program
/// or shared library that includes it.
struct OwnFile {
  std::filesystem::path path;  // absolute, symlinks resolved; empty if unknown
  bool is_program = false;
};

OwnFile own_file();

/// The dynamic linker's name of that file; empty for the program, null if it is unknown.
const char* own_link_name() noexcept;

}  // namespace patchbay

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_OWN_FILE_H_
