// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The prepared kernels of one device.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace patchbay {
struct KernelSpec;
}

namespace patchbay::runtime {

struct DeviceState;
struct KernelState;

class KernelCache {
 public:
  explicit KernelCache(DeviceState& device) : device_(device) {}

  /// The kernel of that spec, prepared at the first call. Errors: kUnsupported with the reason.
  std::shared_ptr<KernelState> find_or_prepare(const KernelSpec& spec);

  /// Callers that number their specs keep the kernels here: no string is hashed on the hot path.
  static constexpr std::size_t kNumSlots = 1u << 14;
  template <class MakeSpec>
  KernelState& at(std::size_t slot, MakeSpec&& make_spec) {
    KernelState* kernel = slots_[slot].load(std::memory_order_acquire);
    if (kernel != nullptr) return *kernel;
    const auto prepared = find_or_prepare(make_spec());
    slots_[slot].store(prepared.get(), std::memory_order_release);
    return *prepared;
  }

  /// How many kernels have handles outside the cache.
  std::size_t num_held() const;
  void clear();

 private:
  DeviceState& device_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<KernelState>> kernels_;
  std::array<std::atomic<KernelState*>, kNumSlots> slots_{};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_
