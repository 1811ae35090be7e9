// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The private directory in which compiled kernels are kept.
#ifndef PATCHBAY_KIT_EXECUTOR_CACHE_HPP_
#define PATCHBAY_KIT_EXECUTOR_CACHE_HPP_

#include <string>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"

namespace patchbay::executor {

/// `<cache_dir>/kernels`, mode 0700: what lies in it is run as code, so that it is refused when
/// anyone else owns it or may write to it. cache_dir is the option of that name, else
/// $XDG_CACHE_HOME/patchbay, else ~/.cache/patchbay; a process with raised privileges has none.
class Cache {
 public:
  /// Looks nothing up and makes nothing yet.
  explicit Cache(plugin::Host host) : host_(host) {}

  /// The directory, made when missing. Throws invalid_argument with the reason if it can't be used.
  std::string directory() const;

 private:
  plugin::Host host_;
};

/// Whether the file is a shared library to its very end: a compiler may have been killed.
bool is_whole_library(const std::string& path);
/// Where the library of that key lies, if it is this user's alone and every byte of it is as it was
/// sealed; else empty. To open a damaged one would kill the process.
std::string find_library(const std::string& directory, std::string_view key);
/// Throws io_failed that names what is full if `log`, of a compiler that failed, says that a
/// disk is. `directory` is where it was to write.
void check_disk(const std::string& directory, std::string_view log);

/// A file of its own name in the directory, removed with this object.
class TemporaryFile {
 public:
  /// Throws io_failed, which names the file, if it can't be written.
  TemporaryFile(const std::string& directory, std::string_view suffix, std::string_view content);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  /// Adds to its end what find_library compares: a checksum of the whole file and of the key.
  void seal(std::string_view key) const;
  /// Gives it its final name, for this user alone, at once: nobody sees half a file.
  void publish(const std::string& path) const;

 private:
  std::string path_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_KIT_EXECUTOR_CACHE_HPP_
