// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The private directory of compiled kernels, and its shared libraries: made by a compiler, sealed,
// and checked before they are opened.
#ifndef PATCHBAY_KIT_EXECUTOR_CACHE_HPP_
#define PATCHBAY_KIT_EXECUTOR_CACHE_HPP_

#include <string>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::executor {

/// `<cache_dir>/kernels`, mode 0700. Its files are executed, so it is refused if another user owns
/// it or may write to it. cache_dir is the option of that name, else $XDG_CACHE_HOME/patchbay, else
/// ~/.cache/patchbay.
class Cache {
 public:
  /// Reads the variables: make it while the driver is opened, when no other driver sets one. Does
  /// not access the file system yet.
  explicit Cache(plugin::Host host);

  /// The directory, created if missing. Throws invalid_argument if it can't be used.
  std::string directory() const;

 private:
  plugin::Host host_;
  const std::string cache_home_, home_;  // absolute, or empty
};

/// Throws io_failed, naming the directory, if a failed compiler's `log` says that a disk is full.
/// The compiler writes nowhere else.
void check_disk(const std::string& directory, std::string_view log);
/// Returns false, with errno, if not all of it can be written.
bool write_all(int file, std::string_view content);
/// Throws io_failed for errno.
[[noreturn]] void fail_to_write(const std::string& path);

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

#endif  // PATCHBAY_KIT_EXECUTOR_CACHE_HPP_
