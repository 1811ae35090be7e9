// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs users' kernels with the kernel executor.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_MODULE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_MODULE_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/threads/workers.hpp"
#include "kit/executor/executor.hpp"

namespace patchbay::cpu {

class Module final : public plugin::Module {
 public:
  Module(std::shared_ptr<const executor::Module> code, Workers& workers)
      : code_(std::move(code)), workers_(workers) {}
  std::unique_ptr<plugin::Kernel> kernel(std::string_view name,
                                         plugin::ArgumentSpecs arguments) override;

 private:
  const std::shared_ptr<const executor::Module> code_;
  Workers& workers_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_MODULE_HPP_
