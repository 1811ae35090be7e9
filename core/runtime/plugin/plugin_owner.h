// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The part of a runtime that its plugins use.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_OWNER_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_OWNER_H_

#include <cstdint>
#include <string>

#include "patchbay/plugin/types.h"
#include "patchbay/runtime.h"

#include "core/base/environment.h"
#include "core/base/fork.h"
#include "core/output/logger.h"
#include "core/runtime/trace/tracing.h"

namespace patchbay::runtime {

struct PluginOwner {
  /// Errors: kInvalidArgument for a bad `thread_pool` or bad log settings.
  PluginOwner(const RuntimeOptions& options, base::Environment environment);
  virtual ~PluginOwner() = default;
  PluginOwner(const PluginOwner&) = delete;
  PluginOwner& operator=(const PluginOwner&) = delete;

  const base::HomeProcess home;
  const base::Environment environment;
  const ThreadPool thread_pool;
  const bool shows_ranges;  // plugins may show spans to profilers
  output::Logger logger;
  Tracing tracing;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PLUGIN_OWNER_H_
