// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A kernel text compiled for one device, and its kernels.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_MODULE_STATE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_MODULE_STATE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/plugin/abi.h"

#include "core/base/counted.h"
#include "core/output/delivery.h"
#include "core/runtime/kernel/kernel_signature.h"
#include "core/runtime/kernel/launch.h"
#include "core/runtime/stream/recorder.h"

namespace patchbay::runtime {

/// Keeps its device and runtime. The device counts it and can't be unloaded while it lives.
struct ModuleState {
  /// Compiles the text. Errors: see KernelModule::from_source.
  ModuleState(std::shared_ptr<DeviceState> device, std::string_view text, std::string text_name);
  /// Waits for launches of its kernels.
  ~ModuleState();
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;

  /// Null if there is no such kernel.
  const KernelSignature* find(std::string_view kernel) const;
  /// The plugin's object, created at the first call and owned by the module.
  patchbay_kernel* kernel_of(const KernelSignature& signature);

  const std::shared_ptr<DeviceState> device;
  const std::string name;
  const std::vector<KernelSignature> signatures;
  const base::Counted counted;
  patchbay_module* handle = nullptr;
  std::atomic<bool> launched{false};

 private:
  output::NoDeliveryMutex mutex_;
  std::vector<patchbay_kernel*> kernels_;  // one for each signature; null until requested
};

/// A kernel of a module. Keeps the module alive.
struct ModuleKernelState : std::enable_shared_from_this<ModuleKernelState> {
  ModuleKernelState(std::shared_ptr<ModuleState> owner, const KernelSignature& wanted)
      : module(std::move(owner)), signature(wanted), handle(module->kernel_of(wanted)) {}

  const std::shared_ptr<ModuleState> module;
  const KernelSignature& signature;
  patchbay_kernel* const handle;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_MODULE_STATE_H_
