// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Device memory that the host can't touch: what is published as its base is an address range
// without any access, and the bytes lie elsewhere.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_MEMORY_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_MEMORY_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/forbidden_range.hpp"
#include "fake/device/faults.hpp"
#include "fake/device/timeline.hpp"

namespace fake {

inline constexpr std::uint64_t kAlignmentBytes = 256;

class Allocator : public plugin::Allocator {
 public:
  Allocator(std::uint64_t total_bytes, std::shared_ptr<const Health> health, Faults& faults);

  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override;
  void release(std::uint32_t memory_kind, plugin::Memory memory) noexcept override;
  Info info() override;

  /// Where the bytes really are. Throws if they are not all inside one block of this device.
  std::byte* resolve(plugin::Memory memory, std::uint64_t size_bytes) const;

 private:
  struct AlignedDelete {
    std::align_val_t alignment;
    void operator()(std::byte* bytes) const { ::operator delete(bytes, alignment); }
  };
  struct Block {
    std::uint64_t size_bytes;
    std::unique_ptr<std::byte, AlignedDelete> bytes;
    std::unique_ptr<patchbay::ForbiddenRange>
        range;  // null for pinned memory: its base is its address
  };

  void take(std::uint64_t size_bytes);

  const std::uint64_t total_bytes_;
  const std::shared_ptr<const Health> health_;
  Faults& faults_;
  mutable std::mutex mutex_;
  std::uint64_t used_bytes_ = 0;  // device memory, as requested
  std::map<const void*, Block> blocks_;
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_MEMORY_HPP_
