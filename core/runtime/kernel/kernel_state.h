// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_STATE_H_
#define PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_STATE_H_

#include <cstdint>
#include <span>

#include "patchbay/kernel.h"
#include "patchbay/plugin/abi.h"

namespace patchbay::runtime {

struct DeviceState;

/// A kernel prepared for one device and owned by its cache. If the spec's operator is
/// PATCHBAY_FORMAT_EXPRESSION, its only attribute is the fused expression.
struct KernelState {
  KernelState(DeviceState& device, const KernelSpec& spec);
  ~KernelState();
  KernelState(const KernelState&) = delete;
  KernelState& operator=(const KernelState&) = delete;

  DeviceState& device;
  const KernelSpec spec;
  patchbay_module* module = nullptr;  // only for a fused expression
  patchbay_kernel* handle = nullptr;
  std::uint64_t workspace_bytes = 0;

 private:
  patchbay_status* prepare(std::span<const patchbay_argument_spec> arguments);
  patchbay_status* load_expression(std::span<const patchbay_argument_spec> arguments);
  void unload() noexcept;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_KERNEL_KERNEL_STATE_H_
