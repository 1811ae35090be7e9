// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_ENTRIES_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_ENTRIES_H_

#include "core/runtime/plugin/plugin_tables.h"
#include "core/runtime/validation/layer.h"
#include "core/runtime/validation/registry.h"

namespace patchbay::runtime::validation {

using Drivers = Registry<patchbay_driver, Layer>;
using Devices = Registry<patchbay_device, DeviceRecord>;
using Streams = Registry<patchbay_stream, StreamRecord>;
using Events = Registry<patchbay_event, EventRecord>;

/// Replaces a plugin's entries with validation's.
void install(PluginTables& tables);

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_ENTRIES_H_
