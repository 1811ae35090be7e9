// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The host table of one plugin in one runtime.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_HOST_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_HOST_H_

#include <cstdint>
#include <filesystem>

#include "patchbay/plugin/host.h"
#include "patchbay/runtime.h"

#include "core/base/environment.h"
#include "core/base/logger.h"

namespace patchbay::runtime {

struct PluginState;

/// Nanoseconds of the monotonic clock: that of every deadline.
std::uint64_t now_ns();
/// The deadline that lies `timeout_ns` ahead, saturating.
std::uint64_t deadline_after(std::int64_t timeout_ns);

/// What the table's entries work on. Address-stable: the plugin keeps the table's address.
class HostTable {
 public:
  HostTable(PluginState& plugin, const Environment& environment, Logger& logger,
            const ThreadPool& thread_pool);
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  /// The minor version and features that both sides have.
  void agree(std::uint32_t plugin_minor, std::uint64_t plugin_features);
  const patchbay_host* table() const { return &table_; }

  PluginState& plugin;
  const Environment& environment;
  Logger& logger;
  const ThreadPool& thread_pool;

 private:
  patchbay_host table_{};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_HOST_H_
