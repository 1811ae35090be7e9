// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_OWN_FILE_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_OWN_FILE_H_

#include <filesystem>

namespace patchbay {

/// The file that holds the library's code: libpatchbay.so or, where the library is linked as an
/// archive, the program or the shared library that it is part of.
struct OwnFile {
  std::filesystem::path path;  // absolute, symlinks resolved; empty if that can't be told
  bool is_program = false;
};

OwnFile own_file();

}  // namespace patchbay

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_OWN_FILE_H_
