// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Who can change a plugin's file, the folder that holds it, and the folders that it takes libraries
// from.
#ifndef PATCHBAY_CORE_RUNTIME_SEARCH_ACCESS_H_
#define PATCHBAY_CORE_RUNTIME_SEARCH_ACCESS_H_

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

namespace patchbay::runtime {

/// An open descriptor. Unlike a path, it can't come to mean another file after a check.
class OpenPath {
 public:
  OpenPath(int directory, const std::filesystem::path& path, int flags);
  ~OpenPath();
  OpenPath(const OpenPath&) = delete;
  OpenPath& operator=(const OpenPath&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// Of an opening that failed. A lack that passes must not hide a plugin. Errors: std::bad_alloc;
/// kIo without a free file descriptor.
void check_no_lack(int error, const std::filesystem::path& path);

/// Folders that the program trusts whoever can write in them; those within are not included.
class TrustedFolders {
 public:
  TrustedFolders() = default;
  explicit TrustedFolders(std::vector<std::filesystem::path> paths) : paths_(std::move(paths)) {}

  /// By identity, so under any name.
  bool contain(const struct stat& folder) const;

 private:
  std::vector<std::filesystem::path> paths_;
};

/// Empty if only root, the user and the library's owner can change the file or folder. A group that
/// is root's or has the owner's number (the owner's private group) counts as the owner. `what`
/// begins the reason.
std::string refuse_access(const struct stat& info, const std::string& what);

/// Empty if only these, or nobody that is not trusted, can put a file into the folder. For a folder
/// that does not exist, the nearest one above it counts. Errors: those of check_no_lack.
std::string refuse_folder(const std::filesystem::path& path, const std::string& what,
                          const TrustedFolders& trusted);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_SEARCH_ACCESS_H_
