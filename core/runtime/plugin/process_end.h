// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Tells plugins that the process has begun to end.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PROCESS_END_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PROCESS_END_H_

#include "patchbay/plugin/extensions.h"

namespace patchbay::runtime {

/// Calls the table's `stop` when exit() or the return from main begins; it has five seconds,
/// all plugins together. What registers for the end of the process before this call is taken down
/// after it, and what registers later before it: call it again then. Throws std::bad_alloc.
void stop_at_process_end(patchbay_driver* driver, const patchbay_exit_table& table);
/// Before the driver is closed. Waits for a `stop` that is running.
void forget_at_process_end(patchbay_driver* driver) noexcept;

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PROCESS_END_H_
