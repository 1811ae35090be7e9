// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tells plugins that the process is ending.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PROCESS_END_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PROCESS_END_H_

#include <chrono>

#include "patchbay/plugin/extensions.h"

namespace patchbay::runtime {

struct PluginState;

/// How long an end waits for calls of drivers, which may have to finish compiling. A device that
/// hangs would take longer.
constexpr std::chrono::seconds kPatience(5);

/// Calls the table's `stop` when exit() or the return from main begins; all plugins together have
/// kPatience. Exit handlers registered before this call run after `stop`, later ones before it:
/// then call this again. Throws std::bad_alloc.
void stop_at_process_end(const PluginState& plugin, const patchbay_exit_table& table);
/// Called before the plugin's driver is closed. Waits for a running `stop`.
void forget_at_process_end(const PluginState& plugin) noexcept;

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PROCESS_END_H_
