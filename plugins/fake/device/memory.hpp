// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Device memory that fails on demand.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_MEMORY_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_MEMORY_HPP_

#include <cstdint>
#include <memory>
#include <utility>

#include "fake/device/faults.hpp"
#include "kit/device/allocator.hpp"
#include "kit/device/health.hpp"

namespace fake {

class Allocator : public patchbay::device::BlockAllocator {
 public:
  Allocator(std::uint64_t total_bytes, std::shared_ptr<const patchbay::device::Health> health,
            Faults& faults)
      : BlockAllocator(total_bytes, false), health_(std::move(health)), faults_(faults) {}

  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override {
    health_->check();
    faults_.count(Call::kAllocate);
    return BlockAllocator::allocate(memory_kind, size_bytes, alignment_bytes);
  }
  Info info() override {
    health_->check();
    return BlockAllocator::info();
  }

 private:
  const std::shared_ptr<const patchbay::device::Health> health_;
  Faults& faults_;
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_MEMORY_HPP_
