// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace fake {
namespace {

// New memory is filled with it: that commits the memory, and what reads it uninitialised is seen.
constexpr int kUninitialised = 0xA5;

}  // namespace

Allocator::Allocator(std::uint64_t total_bytes, std::shared_ptr<const Health> health,
                     Faults& faults)
    : total_bytes_(total_bytes), health_(std::move(health)), faults_(faults) {}

void Allocator::take(std::uint64_t size_bytes) {
  std::lock_guard lock(mutex_);
  const std::uint64_t free_bytes = total_bytes_ - used_bytes_;
  if (size_bytes > free_bytes) {
    throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, "no room for " + std::to_string(size_bytes) +
                                                          " bytes: " + std::to_string(free_bytes) +
                                                          " of " + std::to_string(total_bytes_) +
                                                          " bytes are free");
  }
  used_bytes_ += size_bytes;
}

plugin::Memory Allocator::allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                                   std::uint64_t alignment_bytes) {
  health_->check();
  faults_.count(Call::kAllocate);
  const bool on_device = memory_kind == PATCHBAY_MEMORY_DEVICE;
  if (!on_device && memory_kind != PATCHBAY_MEMORY_PINNED) {
    plugin::unsupported("memory of kind " + std::to_string(memory_kind));
  }
  const std::uint64_t alignment = std::max(alignment_bytes, kAlignmentBytes);
  if ((alignment & (alignment - 1)) != 0) {
    plugin::invalid_argument("an alignment of " + std::to_string(alignment_bytes) +
                             " bytes: expected a power of two");
  }
  if (on_device) {
    take(size_bytes);
  } else if (size_bytes > std::numeric_limits<std::ptrdiff_t>::max() - alignment) {
    throw std::bad_alloc();
  }
  try {
    const AlignedDelete deleter{std::align_val_t(alignment)};
    Block block{size_bytes, {nullptr, deleter}, nullptr};
    block.bytes.reset(static_cast<std::byte*>(::operator new(size_bytes, deleter.alignment)));
    std::memset(block.bytes.get(), kUninitialised, size_bytes);
    if (on_device) block.range = std::make_unique<patchbay::ForbiddenRange>(size_bytes, alignment);
    void* const base = on_device ? block.range->base() : block.bytes.get();
    std::lock_guard lock(mutex_);
    blocks_.emplace(base, std::move(block));
    return {base, 0};
  } catch (...) {
    std::lock_guard lock(mutex_);
    if (on_device) used_bytes_ -= size_bytes;
    throw;
  }
}

void Allocator::release(std::uint32_t, plugin::Memory memory) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(memory.base);
  if (found == blocks_.end()) return;
  if (found->second.range) used_bytes_ -= found->second.size_bytes;
  blocks_.erase(found);
}

Allocator::Info Allocator::info() {
  health_->check();
  std::lock_guard lock(mutex_);
  return {total_bytes_ - used_bytes_, total_bytes_};
}

std::byte* Allocator::resolve(plugin::Memory memory, std::uint64_t size_bytes) const {
  if (size_bytes == 0) return nullptr;
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(memory.base);
  if (found == blocks_.end()) {
    plugin::invalid_argument("memory that is not of this device, or was given back");
  }
  const Block& block = found->second;
  if (memory.offset_bytes > block.size_bytes ||
      size_bytes > block.size_bytes - memory.offset_bytes) {
    plugin::invalid_argument(std::to_string(size_bytes) + " bytes at offset " +
                             std::to_string(memory.offset_bytes) + " of a block of " +
                             std::to_string(block.size_bytes) + " bytes");
  }
  return block.bytes.get() + memory.offset_bytes;
}

}  // namespace fake
