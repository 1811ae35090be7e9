// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Descriptors that stay open. A program may close those that it did not open, as daemons do, and
// its next file then has the number of one of ours.
#ifndef PATCHBAY_CORE_OUTPUT_OWN_DESCRIPTOR_H_
#define PATCHBAY_CORE_OUTPUT_OWN_DESCRIPTOR_H_

#include <sys/types.h>

#include <cstdint>
#include <utility>

namespace patchbay::output {

/// A regular file that is read and written at given places only. It knows its descriptor again by
/// the file, and by a mark: the descriptor's own place, which is set to a number that no other
/// descriptor has.
class OwnDescriptor {
 public:
  OwnDescriptor() noexcept = default;
  /// Takes the descriptor; -1 is none.
  explicit OwnDescriptor(int number) noexcept;
  OwnDescriptor(OwnDescriptor&& other) noexcept { swap(other); }
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept {
    swap(other);
    return *this;
  }
  /// Closes it, unless the number is another file's by now.
  ~OwnDescriptor();

  int get() const noexcept { return number_; }
  /// False, with EBADF in errno, without a descriptor, and if the program has closed it.
  bool is_ours() const noexcept;

 private:
  void swap(OwnDescriptor& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
    std::swap(mark_, other.mark_);
  }

  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  off_t mark_ = -1;  // -1: the file allows none
};

}  // namespace patchbay::output

#endif  // PATCHBAY_CORE_OUTPUT_OWN_DESCRIPTOR_H_
