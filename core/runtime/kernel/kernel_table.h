// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The hash table from numbers to kernels that every launch of an operator reads.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_TABLE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_TABLE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace patchbay::runtime {

struct KernelState;

/// Identifies a kernel of one device, for callers that number their operators. Each field is as
/// wide as the value that it holds, so two kernels never share a key.
struct KernelKey {
  std::uint16_t op = 0;
  std::uint8_t out = 0, in = 0;  // dtypes
  std::uint16_t variant = 0;
  std::span<const std::uint64_t> attributes;  // every key of one operator has the same number
};

/// Open addressing with a fixed size. Readers take no lock; the owner allows one writer at a time.
/// Takes memory for its entries with the first kernel.
class KernelTable {
 public:
  static constexpr std::size_t kNumEntries = 1U << 12;
  /// A key is in one of this many entries, beginning with its first.
  static constexpr std::size_t kNumProbes = 8;

  /// The kernel, or null.
  KernelState* find(const KernelKey& key) const {
    const Entry* const entry = entry_of(key);
    return entry != nullptr ? entry->kernel : nullptr;
  }
  /// Whether there is an entry, be it null.
  bool has(const KernelKey& key) const { return entry_of(key) != nullptr; }

  /// Adds a kernel, or null for one that does not exist, unless the key is present. False: all
  /// entries that may hold the key are taken. Errors: std::bad_alloc.
  bool insert(const KernelKey& key, KernelState* kernel) {
    if (owned_ == nullptr) {
      owned_ = std::make_unique<Entries>();
      entries_.store(owned_.get(), std::memory_order_release);
    }
    const std::uint64_t tag = tag_of(key);
    for (std::size_t i = 0; i < kNumProbes; ++i) {
      Entry& entry = (*owned_)[(first_entry(tag) + i) % kNumEntries];
      const std::uint64_t found = entry.tag.load(std::memory_order_relaxed);
      if (found == tag && holds(entry, key)) return true;
      if (found != 0) continue;
      attributes_.emplace_back(key.attributes.begin(), key.attributes.end());
      entry.attributes = attributes_.back().data();
      entry.kernel = kernel;
      entry.tag.store(tag, std::memory_order_release);
      return true;
    }
    return false;
  }

  /// Frees the memory. No thread may read meanwhile.
  void clear() {
    entries_.store(nullptr, std::memory_order_release);
    owned_.reset();
    attributes_.clear();
  }

  /// All fields, and 16 bits of a hash of the attributes. Never 0: dtypes begin with 1.
  static std::uint64_t tag_of(const KernelKey& key) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key.attributes) hash = (hash ^ word) * kMultiplier;
    return std::uint64_t{key.op} | std::uint64_t{key.out} << 16 | std::uint64_t{key.in} << 24 |
           std::uint64_t{key.variant} << 32 | hash >> 48 << 48;
  }

 private:
  /// `kernel` and `attributes` are written before `tag`, which is 0 in a free entry.
  struct alignas(32) Entry {
    std::atomic<std::uint64_t> tag{0};
    KernelState* kernel = nullptr;
    const std::uint64_t* attributes = nullptr;
  };

  using Entries = std::array<Entry, kNumEntries>;

  const Entry* entry_of(const KernelKey& key) const {
    const Entries* const entries = entries_.load(std::memory_order_acquire);
    if (entries == nullptr) [[unlikely]]
      return nullptr;
    const std::uint64_t tag = tag_of(key);
    const std::size_t first = first_entry(tag);
    for (std::size_t i = 0; i < kNumProbes; ++i) {
      const Entry& entry = (*entries)[(first + i) % kNumEntries];
      const std::uint64_t found = entry.tag.load(std::memory_order_acquire);
      if (found == tag && holds(entry, key)) [[likely]]
        return &entry;
      if (found == 0) return nullptr;
    }
    return nullptr;
  }
  static std::size_t first_entry(std::uint64_t tag) {
    return static_cast<std::size_t>(tag * kMultiplier >> 52);
  }
  static_assert(kNumEntries == std::size_t{1} << (64 - 52));
  static bool holds(const Entry& entry, const KernelKey& key) {
    return std::equal(key.attributes.begin(), key.attributes.end(), entry.attributes);
  }

  static constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;

  std::unique_ptr<Entries> owned_;
  std::atomic<const Entries*> entries_{nullptr};       // the same, for readers
  std::deque<std::vector<std::uint64_t>> attributes_;  // which the entries point to
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_TABLE_H_
