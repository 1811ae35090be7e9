// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory of a device that computes on the host.
#ifndef PATCHBAY_KIT_DEVICE_ALLOCATOR_HPP_
#define PATCHBAY_KIT_DEVICE_ALLOCATOR_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/forbidden_range.hpp"

namespace patchbay::device {

inline constexpr std::uint64_t kAlignmentBytes = 256;

/// An allocator that can resolve a base, which need not be an address, to the bytes.
class Allocator : public plugin::Allocator {
 public:
  /// The address of the memory; null for 0 bytes. Throws invalid_argument unless all bytes are
  /// inside one block of this device. Thread-safe.
  virtual std::byte* resolve(plugin::Memory memory, std::uint64_t size_bytes) const = 0;
};

/// Throws PATCHBAY_OUT_OF_MEMORY because `size_bytes` is more than what is free.
[[noreturn]] void raise_no_room(std::uint64_t size_bytes, std::uint64_t free_bytes,
                                std::uint64_t total_bytes);
/// Throws invalid_argument unless all bytes are inside a block of that size.
void check_inside(plugin::Memory memory, std::uint64_t size_bytes, std::uint64_t block_bytes);

/// Allocates host memory up to the device's total size. Pinned memory is not counted. The base of
/// pinned and unified memory is its address. The base of device memory is its address too if the
/// host may access device memory; otherwise it is an address that faults at every access.
class BlockAllocator : public Allocator {
 public:
  BlockAllocator(std::uint64_t total_bytes, bool is_host_addressable);

  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override;
  void release(std::uint32_t memory_kind, plugin::Memory memory) noexcept override;
  Info info() override;
  std::byte* resolve(plugin::Memory memory, std::uint64_t size_bytes) const override;
  /// Whether the host's address lies in a block of this device.
  bool has_address(const void* address) const;

 private:
  struct AlignedDelete {
    std::align_val_t alignment;
    void operator()(std::byte* bytes) const { ::operator delete(bytes, alignment); }
  };
  struct Block {
    std::uint64_t counted_bytes;  // part of total_bytes_
    std::uint64_t size_bytes;
    std::unique_ptr<std::byte, AlignedDelete> bytes;
    std::unique_ptr<ForbiddenRange> range;  // null if the base is the address
  };

  static Block make_block(std::uint64_t size_bytes, std::uint64_t alignment_bytes, bool is_hidden);
  void take(std::uint64_t size_bytes);

  const std::uint64_t total_bytes_;
  const bool is_host_addressable_;
  mutable std::mutex mutex_;
  std::uint64_t used_bytes_ = 0;  // device memory, as requested
  std::map<const void*, Block> blocks_;
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_ALLOCATOR_HPP_
