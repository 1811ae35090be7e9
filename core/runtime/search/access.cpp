// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/search/access.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/runtime/search/own_file.h"

namespace patchbay::runtime {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxSteps = 1000;  // links and folders above; no real path has so many

/// The owner of the library can change what the process runs in any case.
std::optional<uid_t> library_owner() {
  struct stat info {};
  if (stat(own_file().path.c_str(), &info) != 0) return std::nullopt;
  return info.st_uid;
}

/// Where a folder that does not exist would be made: what the link names, else the folder above.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  return error ? path.parent_path() : path.parent_path() / target;
}

}  // namespace

OpenPath::OpenPath(int directory, const fs::path& path, int flags)
    : fd_(openat(directory, path.c_str(), flags | O_CLOEXEC)) {}

OpenPath::~OpenPath() {
  if (fd_ >= 0) close(fd_);
}

void check_no_lack(int error, const fs::path& path) {
  if (error == ENOMEM) throw std::bad_alloc();
  if (error != EMFILE && error != ENFILE) return;
  base::raise(
      ErrorCode::kIo,
      "[Runtime] {} can't be opened: no file descriptor is free ({}). Close files or raise the "
      "limit (ulimit -n), and try again.",
      base::quote(path.string()), std::generic_category().message(error));
}

bool TrustedFolders::contain(const struct stat& folder) const {
  return std::ranges::any_of(paths_, [&folder](const fs::path& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && info.st_dev == folder.st_dev &&
           info.st_ino == folder.st_ino;
  });
}

std::string refuse_access(const struct stat& info, const std::string& what) {
  const uid_t user = geteuid();
  const std::optional<uid_t> owner = library_owner();
  if (info.st_uid != 0 && info.st_uid != user && info.st_uid != owner) {
    return fmt::format("{} is owned by user {}: expected root, the user of this process ({}){}",
                       what, info.st_uid, user,
                       owner ? fmt::format(" or the owner of the library ({})", *owner) : "");
  }
  if ((info.st_mode & S_IWOTH) != 0) {
    return fmt::format("{} is writable by others (chmod o-w)", what);
  }
  if ((info.st_mode & S_IWGRP) != 0 && info.st_gid != 0 && info.st_gid != info.st_uid) {
    return fmt::format("{} is writable by group {} (chmod g-w)", what, info.st_gid);
  }
  return {};
}

std::string refuse_folder(const fs::path& path, const std::string& what,
                          const TrustedFolders& trusted) {
  fs::path place = path;
  for (int step = 0; step < kMaxSteps; ++step) {
    const OpenPath folder(AT_FDCWD, place, O_PATH | O_DIRECTORY);
    struct stat info {};
    if (folder.fd() >= 0 && fstat(folder.fd(), &info) == 0) {
      if (trusted.contain(info)) return {};
      const std::string absent =
          step == 0 ? "" : fmt::format(" does not exist, and {}", base::one_line(place.string()));
      return refuse_access(info, what + absent);
    }
    check_no_lack(errno, place);
    place = place_of(place);
  }
  return what + " has too many links";
}

}  // namespace patchbay::runtime
