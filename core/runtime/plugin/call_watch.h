// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Watches the calls of one plugin, for patchbay/plugin_calls.h. Other plugins keep their own
// entries, so they cost nothing.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_WATCH_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_WATCH_H_

#include <cstddef>

#include "core/runtime/plugin/plugin_tables.h"

namespace patchbay::runtime {

/// Replaces each entry by one that notes the call and passes it on. A process watches one plugin at
/// a time: the last one given.
void watch_calls(PluginTables& tables);

/// Notes that this thread is in `entry` while the object lives. Errors: std::bad_alloc.
class RunningCall {
 public:
  explicit RunningCall(const char* entry);
  ~RunningCall();
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  const char* outer_;
  std::size_t number_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_WATCH_H_
