// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The memory of a toy device. It is reached by numbers, not by addresses: what the host is given as
// a base is the number of a bank.
#ifndef TOY_BANKS_HPP_
#define TOY_BANKS_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "kit/device/allocator.hpp"

namespace toy {

namespace plugin = patchbay::plugin;
namespace device = patchbay::device;

class Banks : public device::Allocator {
 public:
  explicit Banks(std::uint64_t total_bytes) : total_bytes_(total_bytes) {}

  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override;
  void release(std::uint32_t memory_kind, plugin::Memory memory) noexcept override;
  Info info() override;
  std::byte* resolve(plugin::Memory memory, std::uint64_t size_bytes) const override;

 private:
  /// Bytes with room to begin at a multiple of the alignment.
  struct Bank {
    std::vector<std::byte> room;
    std::byte* first = nullptr;
    std::uint64_t size_bytes = 0;
  };

  const std::uint64_t total_bytes_;
  device::BlockAllocator pinned_{0, true};  // of the host, so that it counts for nothing
  mutable std::mutex mutex_;
  std::uint64_t used_bytes_ = 0;
  std::uintptr_t last_number_ = 0;
  std::map<std::uintptr_t, Bank> banks_;
};

}  // namespace toy

#endif  // TOY_BANKS_HPP_
