// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The private directory of compiled kernels.
#ifndef PATCHBAY_KIT_EXECUTOR_CACHE_HPP_
#define PATCHBAY_KIT_EXECUTOR_CACHE_HPP_

#include <string>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::executor {

/// `<cache_dir>/kernels`, mode 0700. Its files are executed, so it is refused if another user owns
/// it or may write to it. cache_dir is the option of that name, else $XDG_CACHE_HOME/patchbay, else
/// ~/.cache/patchbay; with raised privileges only the option is used.
class Cache {
 public:
  /// Does not access the file system yet.
  explicit Cache(plugin::Host host) : host_(host) {}

  /// The directory, created if missing. Throws invalid_argument if it can't be used.
  std::string directory() const;

 private:
  plugin::Host host_;
};

/// Whether the file is a complete shared library: the compiler may have been killed.
bool is_whole_library(const std::string& path);
/// The path of the library for that key, if only this user can write it and its seal matches; else
/// empty. Opening a damaged library could crash the process.
std::string find_library(const std::string& directory, std::string_view key);
/// Throws io_failed, naming the directories that may be full, if a failed compiler's `log` says
/// that a disk is full. `directory` is where the compiler was to write.
void check_disk(const std::string& directory, std::string_view log);

/// A file with a unique name in the directory, removed with this object.
class TemporaryFile {
 public:
  /// Throws io_failed with the file's name if it can't be written.
  TemporaryFile(const std::string& directory, std::string_view suffix, std::string_view content);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  /// Appends the seal that find_library compares: a checksum of the whole file and the key.
  void seal(std::string_view key) const;
  /// Renames the file atomically, so nobody sees an incomplete one.
  void publish(const std::string& path) const;

 private:
  std::string path_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_CACHE_HPP_
