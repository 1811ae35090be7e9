// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/fused_kernel.h"

#include "patchbay/plugin/expression.h"

#include "core/base/error.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/runtime/kernel/kernel_state.h"

namespace patchbay::runtime {

const std::string_view kFusedFormat = PATCHBAY_FORMAT_EXPRESSION;

std::shared_ptr<KernelState> fused_kernel(DeviceState& device, const std::string& name,
                                          const std::string& program,
                                          std::vector<ArgumentSpec> arguments) {
  KernelSpec spec;
  spec.op = PATCHBAY_FORMAT_EXPRESSION;
  spec.arguments = std::move(arguments);
  spec.attributes.push_back({"program", program});
  try {
    return device.kernels->find_or_prepare(spec);
  } catch (const Error& error) {
    // Name the function in place of the operation: the user knows it by that name.
    throw Error(error.code(), fmt::format("[{}] {}", name, without_operation(error.what())),
                error.native_code(), error.is_retryable());
  }
}

}  // namespace patchbay::runtime
