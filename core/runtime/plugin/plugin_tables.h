// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin's tables as the core uses them: complete, without null entries.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_TABLES_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_TABLES_H_

#include <string>

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/collective.h"

namespace patchbay::runtime {

/// Copies, because both sides may know tables of different sizes. Missing optional entries return
/// PATCHBAY_UNSUPPORTED.
struct PluginTables {
  patchbay_plugin plugin{};
  patchbay_memory_table memory{};
  patchbay_stream_table stream{};
  patchbay_event_table event{};
  patchbay_kernel_table kernel{};
  bool has_peer_copies = false;  // of its own, not the entry that stands for a missing one
};

/// Fills `tables` from the handshake's. Returns the reason if a required entry is missing, the
/// version is wrong, or a required feature is unknown.
std::string adopt_tables(const patchbay_plugin& raw, PluginTables& tables);

/// Adopts the tables of a plugin of kind "collective", which has no devices. Missing
/// optional entries return PATCHBAY_UNSUPPORTED.
std::string adopt_engine(const patchbay_plugin& raw, patchbay_plugin& plugin);
std::string adopt_collective(const patchbay_collective_table& raw,
                             patchbay_collective_table& table);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_TABLES_H_
