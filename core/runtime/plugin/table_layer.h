// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The interface through which validation wraps a plugin's tables.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_

#include <cstdint>

#include "patchbay/plugin/tables.h"

namespace patchbay::runtime {

/// Replaces the entries of a plugin's tables with its own, which call the plugin's. They take and
/// give handles of the layer's own for devices, streams and events.
class TableLayer {
 public:
  virtual ~TableLayer() = default;
  /// Stands before the plugin's `open_device`.
  virtual patchbay_status* open_device(std::uint32_t index, patchbay_device** device) = 0;
  /// Adds a device that an extension of the plugin opened, and replaces the plugin's object with
  /// the handle for it.
  virtual void adopt_device(std::uint32_t index, patchbay_device*& device) = 0;
  /// The plugin's own object for a device.
  virtual patchbay_device* own_device(patchbay_device* device) const = 0;
  /// Logs the live objects of the plugin's devices.
  virtual void log_live() = 0;
  /// Whether a report has something of this plugin.
  virtual bool has_report() = 0;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_
