// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The host table of one plugin in one runtime.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_HOST_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_HOST_H_

#include <cstdint>

#include "patchbay/plugin/host.h"
#include "patchbay/runtime.h"

namespace patchbay::runtime {

struct PluginFile;

/// The state of the table's entries. Must not move: the plugin keeps the table's address.
class HostTable {
 public:
  explicit HostTable(PluginFile& plugin);
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  /// Sets the minor version and features that both sides have.
  void agree(std::uint32_t plugin_minor, std::uint64_t plugin_features);
  const patchbay_host* table() const { return &table_; }

  PluginFile& plugin;

 private:
  patchbay_host table_{};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_HOST_H_
