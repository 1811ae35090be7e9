// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/packed_cache.hpp"

#include <stdlib.h>

#include <algorithm>
#include <new>
#include <utility>

namespace patchbay::cpu {
namespace {

std::shared_ptr<char> allocate(std::uint64_t size_bytes) {
  void* data = nullptr;
  if (posix_memalign(&data, 64, static_cast<std::size_t>(size_bytes)) != 0) throw std::bad_alloc();
  return {static_cast<char*>(data), [](char* block) { free(block); }};
}

}  // namespace

/// Notes the use. In one launch threads may ask for the same operand.
bool PackedCache::was_seen(const Key& key, std::uint64_t launch) noexcept {
  for (Sight& sight : sights_) {
    if (sight.launch != 0 && sight.key == key) return std::exchange(sight.launch, launch) != launch;
  }
  sights_[next_sight_] = {key, launch};
  next_sight_ = (next_sight_ + 1) % kMostSights;
  return false;
}

void PackedCache::drop(std::vector<Entry>::iterator entry) noexcept {
  num_bytes_ -= entry->size_bytes;
  entries_.erase(entry);
}

/// Drops entries that have not been used for longest. Those that are being packed stay.
bool PackedCache::make_room(std::uint64_t size_bytes) noexcept {
  while (num_bytes_ + size_bytes > most_bytes_ || entries_.size() == kMostEntries) {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
          return std::pair(!a.is_packed, a.last_use) < std::pair(!b.is_packed, b.last_use);
        });
    if (oldest == entries_.end() || !oldest->is_packed) return false;
    drop(oldest);
  }
  return true;
}

PackedCache::Room PackedCache::reserve(const Key& key, std::uint64_t size_bytes,
                                       std::uint64_t launch, bool& is_to_pack) noexcept {
  if (size_bytes > most_bytes_) return nullptr;
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (!(entry.key == key)) continue;
    entry.last_use = ++num_uses_;
    return entry.is_packed ? entry.block : nullptr;
  }
  if (!was_seen(key, launch) || !make_room(size_bytes)) return nullptr;
  try {
    entries_.push_back({key, allocate(size_bytes), size_bytes, ++num_uses_});
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  num_bytes_ += size_bytes;
  is_to_pack = true;
  return entries_.back().block;
}

void PackedCache::finish(const Key& key, bool is_packed) noexcept {
  const std::lock_guard lock(mutex_);
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&key](const Entry& one) { return one.key == key; });
  if (is_packed) {
    entry->is_packed = true;
  } else {
    drop(entry);
  }
}

}  // namespace patchbay::cpu
