// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Addresses for simulated devices whose memory the host must not access.
#ifndef PATCHBAY_KIT_FORBIDDEN_RANGE_HPP_
#define PATCHBAY_KIT_FORBIDDEN_RANGE_HPP_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace patchbay {

/// A range of addresses that faults at every access. It uses no memory.
class ForbiddenRange {
 public:
  ForbiddenRange(std::uint64_t size_bytes, std::uint64_t alignment_bytes) {
    const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t slack = alignment_bytes > page_bytes ? alignment_bytes : 0;
    mapped_bytes_ = size_bytes + slack;
    mapping_ =
        mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
    const std::uint64_t past = address % alignment_bytes;
    base_ = static_cast<std::byte*>(mapping_) + (past == 0 ? 0 : alignment_bytes - past);
  }
  ~ForbiddenRange() { munmap(mapping_, mapped_bytes_); }
  ForbiddenRange(const ForbiddenRange&) = delete;
  ForbiddenRange& operator=(const ForbiddenRange&) = delete;

  void* base() const { return base_; }

 private:
  void* mapping_;
  std::size_t mapped_bytes_;
  void* base_;
};

}  // namespace patchbay

#endif  // PATCHBAY_KIT_FORBIDDEN_RANGE_HPP_
