// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The prepared kernels of one device.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/runtime/kernel/kernel_table.h"

namespace patchbay {
struct KernelSpec;
}

namespace patchbay::runtime {

struct DeviceState;
struct KernelState;

/// Identifies a kernel on its device, for callers that number their operators. Each field is wide
/// enough for all values, so that no two kernels share a key.
struct KernelKey {
  std::uint16_t op = 0;
  std::uint8_t out = 0, in = 0;  // dtypes
  std::uint16_t variant = 0;
  std::span<const std::uint64_t> attributes;  // one operator always has the same number
};

class KernelCache {
 public:
  explicit KernelCache(DeviceState& device) : device_(device) {}

  /// The kernel for the spec, prepared at the first call. Errors: kUnsupported with the reason.
  std::shared_ptr<KernelState> find_or_prepare(const KernelSpec& spec);

  /// The same by key: the hot path hashes no string.
  template <class MakeSpec>
  KernelState& at(const KernelKey& key, MakeSpec&& make_spec) {
    if (KernelState* const kernel = table_.find(key)) [[likely]]
      return *kernel;
    return keep(key, *find_or_prepare(make_spec()));
  }

  /// The number of kernels with handles outside the cache.
  std::size_t num_held() const;
  void clear();

 private:
  /// `tag` guards the rest, which is written before it and never again. 0: free.
  struct alignas(32) Slot {
    std::atomic<std::uint64_t> tag{0};
    KernelState* kernel = nullptr;
    const std::uint64_t* attributes = nullptr;
  };
  /// The number of slots that a key may lie in, from its first one on. If all are taken, each
  /// launch looks the kernel up by its spec, which is slower but gives the same kernel.
  static constexpr std::size_t kNumProbes = 8;

  /// All fields, and 16 bits of a hash of the attributes. Never 0: dtypes start at 1.
  static std::uint64_t tag_of(const KernelKey& key) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key.attributes) hash = (hash ^ word) * kMultiplier;
    return std::uint64_t{key.op} | std::uint64_t{key.out} << 16 | std::uint64_t{key.in} << 24 |
           std::uint64_t{key.variant} << 32 | hash >> 48 << 48;
  }
  static std::size_t first_slot(std::uint64_t tag) {
    return static_cast<std::size_t>(tag * kMultiplier >> 52);
  }
  static_assert(kNumSlots == std::size_t{1} << (64 - 52));
  static bool is_at(const Slot& slot, const KernelKey& key) {
    return std::equal(key.attributes.begin(), key.attributes.end(), slot.attributes);
  }

  KernelState* find(const KernelKey& key) const {
    const std::uint64_t tag = tag_of(key);
    const std::size_t first = first_slot(tag);
    for (std::size_t i = 0; i < kNumProbes; ++i) {
      const Slot& slot = slots_[(first + i) % kNumSlots];
      const std::uint64_t found = slot.tag.load(std::memory_order_acquire);
      if (found == tag && is_at(slot, key)) [[likely]]
        return slot.kernel;
      if (found == 0) return nullptr;
    }
    return nullptr;
  }
  KernelState& keep(const KernelKey& key, KernelState& kernel);

  DeviceState& device_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<KernelState>> kernels_;
  std::array<Slot, kNumSlots> slots_;
  std::deque<std::vector<std::uint64_t>> attributes_;  // the slots' attributes
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_
