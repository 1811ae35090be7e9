// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs the portable operators with the kernel executor, on memory and streams like those of an
// accelerator.
#ifndef PATCHBAY_PLUGINS_FAKE_KERNELS_PORTABLE_BACKEND_HPP_
#define PATCHBAY_PLUGINS_FAKE_KERNELS_PORTABLE_BACKEND_HPP_

#include <memory>
#include <string_view>

#include "kit/executor/executor.hpp"
#include "kit/portable/backend.hpp"

namespace fake {

class Device;

class PortableBackend : public patchbay::portable::Backend {
 public:
  PortableBackend(Device& device, patchbay::executor::Executor& executor);

  const patchbay::portable::Traits& traits() const override { return traits_; }
  std::unique_ptr<patchbay::portable::Program> build(std::string_view text) override;

 private:
  Device& device_;
  patchbay::executor::Executor& executor_;
  const patchbay::portable::Traits traits_;
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_KERNELS_PORTABLE_BACKEND_HPP_
