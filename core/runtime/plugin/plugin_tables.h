// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin's tables as the core uses them: whole, with no null entry left.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_TABLES_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_TABLES_H_

#include <string>

#include "patchbay/plugin/abi.h"

namespace patchbay::runtime {

/// Copies, so that both sides may know tables of different sizes. Optional entries that the
/// plugin lacks answer PATCHBAY_UNSUPPORTED.
struct PluginTables {
  patchbay_plugin plugin{};
  patchbay_memory_table memory{};
  patchbay_stream_table stream{};
  patchbay_event_table event{};
  patchbay_kernel_table kernel{};
};

/// Fills `tables` from what the handshake gave; returns why not if a required entry is missing,
/// the version is wrong, or a required feature is unknown.
std::string adopt_tables(const patchbay_plugin& raw, PluginTables& tables);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_TABLES_H_
