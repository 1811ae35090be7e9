// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Watches the calls of one plugin: patchbay/plugin_calls.h says what that is for. A plugin that is
// not watched keeps its own entries, so that it pays for nothing.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_WATCH_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_WATCH_H_

#include <cstddef>

#include "core/runtime/plugin/plugin_tables.h"

namespace patchbay::runtime {

/// Replaces each entry by one that notes the call and calls on. A process watches one plugin at a
/// time: the tables of the last one that was given count.
void watch_calls(PluginTables& tables);

/// Notes that this thread is in `entry`, until the object ends.
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
