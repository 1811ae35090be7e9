// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Runs the portable operators on a device.
#ifndef PATCHBAY_PLUGINS_OPENCL_KERNELS_BACKEND_HPP_
#define PATCHBAY_PLUGINS_OPENCL_KERNELS_BACKEND_HPP_

#include <memory>
#include <string_view>

#include "kit/portable/backend.hpp"
#include "opencl/api/device_info.hpp"

namespace patchbay::opencl {

class Device;

class Backend : public portable::Backend {
 public:
  Backend(const Device& device, const DeviceInfo& info, plugin::Host host);

  const portable::Traits& traits() const override { return traits_; }
  std::unique_ptr<portable::Program> build(std::string_view text) override;

 private:
  const Device& device_;
  const plugin::Host host_;
  const portable::Traits traits_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_KERNELS_BACKEND_HPP_
