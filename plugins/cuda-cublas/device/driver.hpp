// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DRIVER_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DRIVER_HPP_

#include <memory>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "cuda-cublas/device/device.hpp"
#include "cuda-cublas/device/device_info.hpp"

namespace patchbay::cuda {

/// The devices in the driver's order.
class Driver : public plugin::Driver {
 public:
  explicit Driver(plugin::Host host);

  void enumerate(const Found& found) override;
  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override;
  std::unique_ptr<plugin::Device> open_device_in(std::uint32_t index,
                                                 std::uint64_t native_context) override;

 private:
  const DeviceInfo& device(std::uint32_t index) const;
  bool reaches_another(const DeviceInfo& device) const;

  Libraries libraries_;
  const std::vector<DeviceInfo> devices_;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_DRIVER_HPP_
