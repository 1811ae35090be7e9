// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/allocator.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace patchbay::device {
namespace {

// New memory is filled with this value, which commits it and makes uninitialised reads visible.
constexpr int kUninitialised = 0xA5;

void check_kind(std::uint32_t memory_kind) {
  if (memory_kind >= PATCHBAY_MEMORY_DEVICE && memory_kind <= PATCHBAY_MEMORY_UNIFIED) return;
  plugin::unsupported("memory of kind " + std::to_string(memory_kind));
}

/// The alignment to use for the requested one.
std::uint64_t checked_alignment(std::uint64_t alignment_bytes) {
  const std::uint64_t alignment = std::max(alignment_bytes, kAlignmentBytes);
  if ((alignment & (alignment - 1)) == 0) return alignment;
  plugin::invalid_argument("an alignment of " + std::to_string(alignment_bytes) +
                           " bytes: expected a power of two");
}

}  // namespace

void raise_no_room(std::uint64_t size_bytes, std::uint64_t free_bytes, std::uint64_t total_bytes) {
  throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, "no room for " + std::to_string(size_bytes) +
                                                        " bytes: " + std::to_string(free_bytes) +
                                                        " of " + std::to_string(total_bytes) +
                                                        " bytes are free");
}

void check_inside(plugin::Memory memory, std::uint64_t size_bytes, std::uint64_t block_bytes) {
  if (memory.offset_bytes <= block_bytes && size_bytes <= block_bytes - memory.offset_bytes) return;
  plugin::invalid_argument(std::to_string(size_bytes) + " bytes at offset " +
                           std::to_string(memory.offset_bytes) + " of a block of " +
                           std::to_string(block_bytes) + " bytes");
}

BlockAllocator::BlockAllocator(std::uint64_t total_bytes, bool is_host_addressable)
    : total_bytes_(total_bytes), is_host_addressable_(is_host_addressable) {}

void BlockAllocator::take(std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t free_bytes = total_bytes_ - used_bytes_;
  if (size_bytes > free_bytes) raise_no_room(size_bytes, free_bytes, total_bytes_);
  used_bytes_ += size_bytes;
}

BlockAllocator::Block BlockAllocator::make_block(std::uint64_t size_bytes,
                                                 std::uint64_t alignment_bytes, bool is_hidden) {
  if (size_bytes > std::numeric_limits<std::ptrdiff_t>::max() - alignment_bytes) {
    throw std::bad_alloc();
  }
  const AlignedDelete deleter{std::align_val_t(alignment_bytes)};
  Block block{0, size_bytes, {nullptr, deleter}, nullptr};
  block.bytes.reset(static_cast<std::byte*>(::operator new(size_bytes, deleter.alignment)));
  std::memset(block.bytes.get(), kUninitialised, size_bytes);
  if (is_hidden) block.range = std::make_unique<ForbiddenRange>(size_bytes, alignment_bytes);
  return block;
}

plugin::Memory BlockAllocator::allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                                        std::uint64_t alignment_bytes) {
  check_kind(memory_kind);
  const std::uint64_t alignment = checked_alignment(alignment_bytes);
  const bool on_device = memory_kind != PATCHBAY_MEMORY_PINNED;
  const bool is_hidden = memory_kind == PATCHBAY_MEMORY_DEVICE && !is_host_addressable_;
  if (on_device) take(size_bytes);
  try {
    Block block = make_block(size_bytes, alignment, is_hidden);
    if (on_device) block.counted_bytes = size_bytes;
    void* const base = block.range ? block.range->base() : block.bytes.get();
    const std::lock_guard lock(mutex_);
    blocks_.emplace(base, std::move(block));
    return {base, 0};
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (on_device) used_bytes_ -= size_bytes;
    throw;
  }
}

void BlockAllocator::release(std::uint32_t, plugin::Memory memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(memory.base);
  if (found == blocks_.end()) return;
  used_bytes_ -= found->second.counted_bytes;
  blocks_.erase(found);
}

BlockAllocator::Info BlockAllocator::info() {
  const std::lock_guard lock(mutex_);
  return {total_bytes_ - used_bytes_, total_bytes_};
}

bool BlockAllocator::has_address(const void* address) const {
  const std::lock_guard lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return false;
  const auto& [base, block] = *--after;
  return static_cast<const char*>(address) < static_cast<const char*>(base) + block.size_bytes;
}

std::byte* BlockAllocator::resolve(plugin::Memory memory, std::uint64_t size_bytes) const {
  if (size_bytes == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(memory.base);
  if (found == blocks_.end()) {
    plugin::invalid_argument("memory that is not of this device, or was given back");
  }
  check_inside(memory, size_bytes, found->second.size_bytes);
  return found->second.bytes.get() + memory.offset_bytes;
}

}  // namespace patchbay::device
