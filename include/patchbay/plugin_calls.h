// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// For programs that examine plugins. A runtime with the setting `watch_plugin` calls the plugin of
// that name through a layer that records which entry each thread is in. An exception that leaves an
// entry becomes an error of the call.
#ifndef PATCHBAY_PLUGIN_CALLS_H_
#define PATCHBAY_PLUGIN_CALLS_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "patchbay/export.h"

namespace patchbay {

/// A call of an entry that has not returned.
struct PluginCall {
  const char* entry = "";  // "copy_to_host of the memory table"
  std::chrono::steady_clock::time_point begin;
};

/// The watched calls of all threads of the process. A signal handler must not call this.
PATCHBAY_API std::vector<PluginCall> running_plugin_calls();
/// The entry that this thread is in; null if there is none. A signal handler may call this.
PATCHBAY_API const char* current_plugin_call() noexcept;
/// Violations of the boundary's rules by watched entries since the last call of this function.
PATCHBAY_API std::vector<std::string> take_plugin_breaches();

}  // namespace patchbay

#endif  // PATCHBAY_PLUGIN_CALLS_H_
