// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The seam at which validation stands between the core and a plugin.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_

#include <cstdint>

#include "patchbay/plugin/types.h"

namespace patchbay::runtime {

/// Has replaced the entries of a plugin's tables by its own, which call the plugin's.
class TableLayer {
 public:
  virtual ~TableLayer() = default;
  /// Tells of a device that was opened by another entry than `open_device` of the tables.
  virtual void adopt_device(std::uint32_t index, patchbay_device* device) = 0;
  /// Logs what lives on the plugin's devices.
  virtual void log_live() = 0;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_TABLE_LAYER_H_
