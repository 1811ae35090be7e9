// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The shared libraries in the cache: made by a compiler, sealed, and checked before they are
// opened.
#ifndef PATCHBAY_KIT_EXECUTOR_LIBRARY_FILE_HPP_
#define PATCHBAY_KIT_EXECUTOR_LIBRARY_FILE_HPP_

#include <string>
#include <string_view>

namespace patchbay::executor {

/// Whether the file is a complete shared library: the compiler may have been killed.
bool is_whole_library(const std::string& path);
/// Appends a seal to a compiler's library, and renames it to that of the key in the directory, so
/// that nobody sees an incomplete one. Throws io_failed.
void keep_library(const std::string& made, const std::string& directory, std::string_view key);
/// The path of the library for that key, if only this user can write it and its seal matches; else
/// empty. Opening a damaged library could crash the process. Reads no more than the size in the
/// seal, and nothing of a file whose size is another one.
std::string find_library(const std::string& directory, std::string_view key);

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_LIBRARY_FILE_HPP_
