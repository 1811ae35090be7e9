// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The private directory in which compiled kernels are kept.
#ifndef PATCHBAY_PLUGINS_COMMON_EXECUTOR_CACHE_HPP_
#define PATCHBAY_PLUGINS_COMMON_EXECUTOR_CACHE_HPP_

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

/// Whether the file is a shared library to its very end: one that was cut would kill the process.
bool is_whole_library(const std::string& path);
/// Where the library of that key lies if it is whole and one to be trusted, else empty.
std::string find_library(const std::string& directory, std::string_view key);

/// A file of its own name in the directory, removed with this object.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& directory, std::string_view suffix, std::string_view content);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  /// At most `limit` bytes from its start.
  std::string read(std::size_t limit) const;
  /// Gives it its final name, for this user alone, at once: nobody sees half a file.
  void publish(const std::string& path) const;

 private:
  std::string path_;
};

}  // namespace patchbay::executor

#endif  // PATCHBAY_PLUGINS_COMMON_EXECUTOR_CACHE_HPP_
