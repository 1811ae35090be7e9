// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Replaces disks and folders for this process alone.
#ifndef PATCHBAY_TESTS_SUPPORT_PRIVATE_MOUNTS_H_
#define PATCHBAY_TESTS_SUPPORT_PRIVATE_MOUNTS_H_

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace patchbay::test {

/// Makes later mounts private to this process; returns false if that is not allowed.
inline bool leave_mounts() {
  return unshare(CLONE_NEWNS) == 0 &&
         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

inline bool may_mount() {
  const pid_t child = fork();
  if (child == 0) _exit(leave_mounts() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// Mounts an empty disk of this size in KiB over the folder.
class SmallDisk {
 public:
  SmallDisk(const std::filesystem::path& folder, int kib) : folder_(folder) {
    const std::string size = "mode=0700,size=" + std::to_string(kib) + "k";
    is_mounted_ = mount("none", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_mounted() const { return is_mounted_; }

 private:
  const std::filesystem::path folder_;
  bool is_mounted_ = false;
};

}  // namespace patchbay::test

#endif  // PATCHBAY_TESTS_SUPPORT_PRIVATE_MOUNTS_H_
