// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_DRIVER_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_DRIVER_HPP_

#include <cstdint>
#include <memory>

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/faults.hpp"
#include "fake/device/options.hpp"
#include "kit/executor/executor.hpp"

namespace fake {

class Driver : public plugin::Driver {
 public:
  static constexpr std::uint64_t kFeatures = UINT64_C(1) << PATCHBAY_FEATURE_FORK;

  explicit Driver(plugin::Host host);

  void enumerate(const Found& found) override;
  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override;

 private:
  const Options options_;
  Faults faults_;
  patchbay::executor::Executor executor_;
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_DRIVER_HPP_
