// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs users' kernels with the kernel executor, on the stream's thread and in device memory.
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_MODULE_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_MODULE_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/executor/executor.hpp"

namespace fake {

namespace plugin = patchbay::plugin;
namespace executor = patchbay::executor;

class Device;

class Module : public plugin::Module {
 public:
  Module(Device& device, std::shared_ptr<const executor::Module> code)
      : device_(device), code_(std::move(code)) {}
  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override;

 private:
  Device& device_;
  const std::shared_ptr<const executor::Module> code_;
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_MODULE_HPP_
