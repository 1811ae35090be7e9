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

class KernelCache {
 public:
  explicit KernelCache(DeviceState& device) : device_(device) {}

  /// The kernel of that spec, prepared at the first call. Errors: kUnsupported with the reason.
  std::shared_ptr<KernelState> find_or_prepare(const KernelSpec& spec);

  /// The kernel with this key, without hashing a string; prepared at the first call.
  template <class MakeSpec>
  KernelState& at(const KernelKey& key, MakeSpec&& make_spec) {
    if (KernelState* const kernel = table_.find(key)) [[likely]]
      return *kernel;
    return *keep(key, find_or_prepare(make_spec()).get());
  }

  /// The kernel with this key; null, which is remembered too, if the device does not support it.
  template <class MakeSpec>
  KernelState* find_at(const KernelKey& key, MakeSpec&& make_spec) {
    if (KernelState* const kernel = table_.find(key)) return kernel;
    if (table_.has(key)) return nullptr;
    return keep(key, find_or_prepare_if_any(make_spec()));
  }

  /// How many kernels have handles outside the cache.
  std::size_t num_held() const;
  void clear();

 private:
  KernelState* keep(const KernelKey& key, KernelState* kernel);
  /// Null if the device does not support the spec.
  KernelState* find_or_prepare_if_any(const KernelSpec& spec);

  DeviceState& device_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<KernelState>> kernels_;
  KernelTable table_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_
