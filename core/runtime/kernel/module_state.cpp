// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/kernel/module_state.h"

#include <algorithm>
#include <chrono>

#include "core/base/error.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/kernel/preparation_log.h"
#include "core/runtime/memory/memory_retry.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"

namespace patchbay::runtime {
namespace {

patchbay_string to_abi(std::string_view text) { return {text.data(), text.size()}; }

void check_device(const DeviceState& device, const std::vector<KernelSignature>& signatures) {
  if (!device.info.properties.modules) {
    base::raise(
        ErrorCode::kUnsupported,
        "[KernelModule] device {} loads no modules. Use another device, or the operations of "
        "patchbay/ops.h.",
        device.info.name_text);
  }
  for (const KernelSignature& kernel : signatures) {
    for (const KernelParameter& parameter : kernel.parameters) {
      if (parameter.spec.dtype != DType::f64 || device.info.properties.f64) continue;
      base::raise(
          ErrorCode::kUnsupported,
          "[KernelModule] kernel '{}' takes '{}' of f64, and device {} has no f64. Use f32, or "
          "another device.",
          kernel.name, parameter.name, device.info.name_text);
    }
  }
}

/// Makes the compiler's errors count lines from the text's first, under the text's name.
std::string with_line_marker(std::string_view text, const std::string& name) {
  std::string shown;
  for (const char c : name) {
    const bool plain = c >= ' ' && c != '"' && c != '\\' && c != 0x7f;
    shown += plain ? c : '_';
  }
  return fmt::format("#line 1 \"{}\"\n{}", shown, text);
}

patchbay_argument_spec to_abi(const KernelParameter& parameter) {
  patchbay_argument_spec spec{};
  spec.kind = static_cast<std::uint8_t>(parameter.spec.kind);
  spec.dtype = static_cast<std::uint8_t>(parameter.spec.dtype);
  if (parameter.spec.kind != ArgumentSpec::Kind::kTensor) return spec;
  spec.access = static_cast<std::uint8_t>(parameter.spec.access);
  spec.rank = PATCHBAY_ANY_RANK;
  std::fill(std::begin(spec.shape), std::end(spec.shape), PATCHBAY_ANY_DIM);
  std::fill(std::begin(spec.strides), std::end(spec.strides), PATCHBAY_ANY_DIM);
  return spec;
}

}  // namespace

ModuleState::ModuleState(std::shared_ptr<DeviceState> owner, std::string_view text,
                         std::string text_name)
    : device(std::move(owner)),
      name(std::move(text_name)),
      signatures(parse_signatures(text, name)),
      counted(device->live_modules),
      kernels_(signatures.size()) {
  check_device(*device, signatures);
  const std::string code = with_line_marker(text, name);
  const auto call = device->enter("KernelModule");
  const auto start = std::chrono::steady_clock::now();
  const auto load = [&] {
    return ask_for(handle, [&](patchbay_module** loaded) {
      return device->plugin.tables.kernel.load_module(device->open("KernelModule"),
                                                      to_abi(PATCHBAY_FORMAT_DIALECT), to_abi(code),
                                                      {nullptr, 0}, loaded);
    });
  };
  check_build(*device, retry_with_memory(*device, load), "KernelModule");
  given(handle, *device, "KernelModule", "load_module");
  device->plugin.heed_process_end();
  log_preparation(*device, start, [&] { return std::string_view(name); });
}

ModuleState::~ModuleState() {
  if (!device->is_callable()) return;
  const output::NoDelivery no_delivery;
  if (launched.load()) device->finish_quietly();
  const patchbay_kernel_table& table = device->plugin.tables.kernel;
  for (patchbay_kernel* const kernel : kernels_) {
    if (kernel != nullptr) table.destroy(kernel);
  }
  table.unload_module(handle);
}

const KernelSignature* ModuleState::find(std::string_view kernel) const {
  const auto found = std::find_if(signatures.begin(), signatures.end(),
                                  [&](const auto& known) { return known.name == kernel; });
  return found != signatures.end() ? &*found : nullptr;
}

patchbay_kernel* ModuleState::kernel_of(const KernelSignature& signature) {
  device->check_home("KernelModule");
  const std::scoped_lock lock(mutex_);
  patchbay_kernel*& kernel = kernels_[static_cast<std::size_t>(&signature - signatures.data())];
  if (kernel != nullptr) return kernel;
  std::vector<patchbay_argument_spec> specs;
  for (const KernelParameter& parameter : signature.parameters) specs.push_back(to_abi(parameter));
  const auto ask = [&](patchbay_kernel** found) {
    return device->plugin.tables.kernel.module_kernel(handle, to_abi(signature.name), specs.data(),
                                                      static_cast<std::uint32_t>(specs.size()),
                                                      found);
  };
  check_build(*device, ask_for(kernel, ask), "KernelModule");
  return given(kernel, *device, "KernelModule", "module_kernel");
}

}  // namespace patchbay::runtime
