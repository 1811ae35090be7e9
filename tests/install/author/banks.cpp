// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "banks.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace toy {
namespace {

std::uintptr_t number_of(plugin::Memory memory) {
  return reinterpret_cast<std::uintptr_t>(memory.base);
}

}  // namespace

plugin::Memory Banks::allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                               std::uint64_t alignment_bytes) {
  if (memory_kind == PATCHBAY_MEMORY_UNIFIED) plugin::unsupported("toys have no unified memory");
  if (memory_kind != PATCHBAY_MEMORY_DEVICE) {
    return pinned_.allocate(memory_kind, size_bytes, alignment_bytes);
  }
  const std::lock_guard lock(mutex_);
  const std::uint64_t free_bytes = total_bytes_ - used_bytes_;
  if (size_bytes > free_bytes) device::raise_no_room(size_bytes, free_bytes, total_bytes_);
  const std::uint64_t alignment = std::max(alignment_bytes, device::kAlignmentBytes);
  Bank bank;
  bank.size_bytes = size_bytes;
  bank.room.resize(size_bytes + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(bank.room.data());
  bank.first = bank.room.data() + (alignment - address % alignment);
  banks_.emplace(++last_number_, std::move(bank));
  used_bytes_ += size_bytes;
  return {reinterpret_cast<void*>(last_number_), 0};
}

void Banks::release(std::uint32_t memory_kind, plugin::Memory memory) noexcept {
  if (memory_kind != PATCHBAY_MEMORY_DEVICE) return pinned_.release(memory_kind, memory);
  const std::lock_guard lock(mutex_);
  const auto found = banks_.find(number_of(memory));
  if (found == banks_.end()) return;
  used_bytes_ -= found->second.size_bytes;
  banks_.erase(found);
}

Banks::Info Banks::info() {
  const std::lock_guard lock(mutex_);
  return {total_bytes_ - used_bytes_, total_bytes_};
}

std::byte* Banks::resolve(plugin::Memory memory, std::uint64_t size_bytes) const {
  if (size_bytes == 0) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = banks_.find(number_of(memory));
    if (found != banks_.end()) {
      device::check_inside(memory, size_bytes, found->second.size_bytes);
      return found->second.first + memory.offset_bytes;
    }
  }
  return pinned_.resolve(memory, size_bytes);
}

}  // namespace toy
