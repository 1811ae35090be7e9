// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The part of a runtime that devices, streams, memory and copies use. The plugins and the devices
// themselves belong to the registry (registry/loaded_runtime.h).
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_RUNTIME_STATE_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_RUNTIME_STATE_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "patchbay/copy.h"
#include "patchbay/runtime.h"

#include "core/runtime/device/generator_state.h"
#include "core/runtime/plugin/plugin_owner.h"

namespace patchbay::runtime {

struct DeviceState;
class HostCopier;
class Links;
class Transfer;

/// Owned by the handles to the runtime and to its devices.
struct RuntimeState : PluginOwner, std::enable_shared_from_this<RuntimeState> {
  RuntimeState(const RuntimeOptions& options, base::Environment read, Links& measured,
               Transfer& copies, HostCopier& copier)
      : PluginOwner(options, std::move(read)),
        sync(environment.is_on("sync")),
        validates(environment.is_on("validate")),
        links(measured),
        transfer(copies),
        host_copier(copier) {}

  /// The device with that name. Errors: those of Device's constructor.
  virtual std::shared_ptr<DeviceState> find(std::string_view name) = 0;
  /// Calls the application's out-of-memory callback. False if there is none, or if this thread is
  /// in that callback.
  virtual bool ask_for_memory(DeviceState& device, std::size_t size_bytes) = 0;
  /// Blocks until the copies that hold memory of the device have released it.
  virtual void finish_copies_for_memory(const DeviceState& device) = 0;

  const bool sync;  // wait for each submission
  const bool validates;
  Ledger ledger;
  Links& links;
  Transfer& transfer;
  HostCopier& host_copier;
  /// Draws random numbers for operations without a generator.
  const std::shared_ptr<GeneratorState> generator = make_default_generator();
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_RUNTIME_STATE_H_
