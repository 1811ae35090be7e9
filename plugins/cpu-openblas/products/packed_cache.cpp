// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cpu-openblas/products/packed_cache.hpp"

#include <stdlib.h>

#include <algorithm>
#include <iterator>
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

std::size_t PackedCache::Hash::operator()(const Key& key) const noexcept {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;  // an odd number near 2^64 / the golden ratio
    hash ^= hash >> 29;
  };
  add(key.contents);
  add(reinterpret_cast<std::uintptr_t>(key.elements));
  for (const std::int64_t word : key.form) add(static_cast<std::uint64_t>(word));
  return hash;
}

/// The number of launches since the operand was used and not kept; 0 if that is not known. Notes
/// this use. In one launch several threads may ask for the same operand.
std::uint64_t PackedCache::distance_to_last_use(const Key& key, std::uint64_t launch) noexcept {
  const std::size_t hash = Hash()(key);
  std::array<Sight, 4>& places = sights_[hash % kSightPlaces];
  for (Sight& sight : places) {
    if (sight.hash != hash || sight.launch == 0) continue;
    const std::uint64_t before = std::exchange(sight.launch, launch);
    return before < launch ? launch - before : 0;
  }
  const auto by_launch = [](const Sight& a, const Sight& b) { return a.launch < b.launch; };
  *std::min_element(places.begin(), places.end(), by_launch) = {hash, launch};
  return 0;
}

void PackedCache::drop(Entries::iterator entry) noexcept {
  num_bytes_ -= entry->size_bytes;
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

/// Drops what has not been used for longest, unless that is used about as often as the operand that
/// needs the room: a model whose weights do not fit keeps some of them, rather than none for long.
bool PackedCache::make_room(std::uint64_t size_bytes, std::uint64_t launch,
                            std::uint64_t distance) noexcept {
  while (num_bytes_ + size_bytes > most_bytes_) {
    const auto oldest = std::prev(entries_.end());
    if (!oldest->is_packed || oldest->launch + 2 * distance >= launch) return false;
    drop(oldest);
  }
  return true;
}

PackedCache::Room PackedCache::reserve(const Key& key, std::uint64_t size_bytes,
                                       std::uint64_t launch, bool& is_to_pack) noexcept {
  if (size_bytes > most_bytes_) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    Entry& entry = *found->second;
    entry.launch = launch;
    entries_.splice(entries_.begin(), entries_, found->second);
    return entry.is_packed ? entry.block : nullptr;
  }
  const std::uint64_t distance = distance_to_last_use(key, launch);
  if (distance == 0 || !make_room(size_bytes, launch, distance)) return nullptr;
  try {
    entries_.push_front({key, allocate(size_bytes), size_bytes, launch});
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  try {
    by_key_.emplace(key, entries_.begin());
  } catch (const std::bad_alloc&) {
    entries_.pop_front();
    return nullptr;
  }
  num_bytes_ += size_bytes;
  is_to_pack = true;
  return entries_.front().block;
}

void PackedCache::finish(const Key& key, bool is_packed) noexcept {
  const std::lock_guard lock(mutex_);
  const auto entry = by_key_.find(key)->second;
  if (is_packed) {
    entry->is_packed = true;
  } else {
    drop(entry);
  }
}

}  // namespace patchbay::cpu
