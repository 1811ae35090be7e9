// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A kernel text compiled for one device, and its kernels.
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_MODULE_STATE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_MODULE_STATE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patchbay/plugin/abi.h"

#include "core/base/counted.h"
#include "core/runtime/kernel/kernel_signature.h"
#include "core/runtime/kernel/launch.h"
#include "core/runtime/stream/recorder.h"

namespace patchbay::runtime {

/// Keeps its device and runtime; counted by the device, which can't be unloaded meanwhile.
struct ModuleState {
  /// Compiles. Errors: see KernelModule::from_source.
  ModuleState(std::shared_ptr<DeviceState> device, std::string_view text, std::string text_name);
  /// Waits for the launches of its kernels.
  ~ModuleState();
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;

  /// Null if there is none of that name.
  const KernelSignature* find(std::string_view kernel) const;
  /// The plugin's object, made at the first call; it goes with the module.
  patchbay_kernel* kernel_of(const KernelSignature& signature);

  const std::shared_ptr<DeviceState> device;
  const std::string name;
  const std::vector<KernelSignature> signatures;
  const Counted counted;
  patchbay_module* handle = nullptr;
  std::atomic<bool> launched{false};

 private:
  std::mutex mutex_;
  std::vector<patchbay_kernel*> kernels_;  // of each signature; null until it is asked for
};

/// A kernel of a module, which it keeps.
struct ModuleKernelState : std::enable_shared_from_this<ModuleKernelState> {
  ModuleKernelState(std::shared_ptr<ModuleState> owner, const KernelSignature& wanted)
      : module(std::move(owner)), signature(wanted), handle(module->kernel_of(wanted)) {}

  const std::shared_ptr<ModuleState> module;
  const KernelSignature& signature;
  patchbay_kernel* const handle;
};

/// Launches on this thread's stream of the device as `launch` does. The arguments fit the
/// signature.
void launch_grid(const ModuleKernelState& kernel, const GridAxes& groups,
                 const GridAxes& group_size, std::span<const patchbay_argument> arguments,
                 std::span<const BufferAccess> uses);

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_MODULE_STATE_H_
