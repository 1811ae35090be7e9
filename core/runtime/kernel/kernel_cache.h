// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The prepared kernels of one device, of single operators and of fused expressions.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "patchbay/kernel.h"
#include "patchbay/plugin/abi.h"

#include "core/runtime/kernel/kernel_table.h"

namespace patchbay::runtime {

struct DeviceState;

/// A kernel prepared for one device and owned by its cache. If the spec's operator is
/// PATCHBAY_FORMAT_EXPRESSION, its only attribute is the fused expression.
struct KernelState {
  KernelState(DeviceState& device, const KernelSpec& spec);
  ~KernelState();
  KernelState(const KernelState&) = delete;
  KernelState& operator=(const KernelState&) = delete;

  DeviceState& device;
  const KernelSpec spec;
  patchbay_module* module = nullptr;  // only for a fused expression
  patchbay_kernel* handle = nullptr;
  std::uint64_t workspace_bytes = 0;

 private:
  patchbay_status* prepare(std::span<const patchbay_argument_spec> arguments);
  patchbay_status* load_expression(std::span<const patchbay_argument_spec> arguments);
  void unload() noexcept;
};

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

// Kernels of fused expressions. Plugins load them as modules.

extern const std::string_view kFusedFormat;
// What every plugin supports at least.
inline constexpr std::size_t kMaxFusedTensors = 16, kMaxFusedScalars = 16, kMaxFusedValues = 512;
/// Of derivatives, which are longer than their functions. A plugin may refuse them.
inline constexpr std::size_t kMaxGradientValues = 1024;

/// The program's kernel, from the device's cache. Errors name `name`.
std::shared_ptr<KernelState> fused_kernel(DeviceState& device, const std::string& name,
                                          const std::string& program,
                                          std::vector<ArgumentSpec> arguments);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_CACHE_H_
