// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The thread-local state of the runtime: default device, tag, guard, streams.
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_CONTEXT_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_CONTEXT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "patchbay/copy.h"

namespace patchbay::runtime {

struct DeviceState;
struct ScopedStream;

struct Context {
  std::shared_ptr<DeviceState> device;  // null: cpu:0 of the default runtime
  std::string tag;
  CopyGuard::Mode guard = CopyGuard::Mode::kAllow;
  std::shared_ptr<const ScopedStream> streams;  // `scoped_streams` points to it
};
/// Errors: std::bad_alloc at a thread's first call.
Context& context();
/// The tag of this thread's copies and allocations.
std::string_view current_tag() noexcept;

/// The bits that core/tensor/dispatch/mode.cpp keeps for this thread and ThreadContext carries.
/// Apart from the context because each operation reads them.
extern constinit thread_local std::uint32_t carried_bits;
/// Whether this thread allocates or frees a plugin's scratch memory. Apart from the context, whose
/// first use takes memory: freeing must not fail.
extern constinit thread_local bool is_for_plugin;

/// Sets `is_for_plugin` in its scope.
class PluginScratchScope {
 public:
  PluginScratchScope() noexcept : previous_(std::exchange(is_for_plugin, true)) {}
  ~PluginScratchScope() { is_for_plugin = previous_; }
  PluginScratchScope(const PluginScratchScope&) = delete;
  PluginScratchScope& operator=(const PluginScratchScope&) = delete;

 private:
  const bool previous_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_CONTEXT_H_
