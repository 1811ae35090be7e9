// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The interface through which validation wraps a plugin's tables.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_

#include <cstdint>

#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

/// Replaces the entries of a plugin's tables with its own, which call the plugin's.
class TableLayer {
 public:
  virtual ~TableLayer() = default;
  /// Adds a device that was not opened by the tables' `open_device`.
  virtual void adopt_device(std::uint32_t index, patchbay_device* device) = 0;
  /// Logs the live objects of the plugin's devices.
  virtual void log_live() = 0;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_
