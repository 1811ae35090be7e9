// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Finds and opens the CPU devices.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_DRIVER_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_DRIVER_HPP_

#include <memory>
#include <string_view>
#include <vector>

#include "patchbay/plugin/abi.h"
#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/products/libraries.hpp"
#include "cpu-openblas/threads/processor.hpp"
#include "cpu-openblas/threads/topology.hpp"
#include "kit/executor/executor.hpp"

namespace patchbay::cpu {

/// Reads the options cpu_devices, cpu_threads, and those of Libraries and the executor.
class Driver final : public plugin::Driver {
 public:
  static constexpr std::uint64_t kFeatures = UINT64_C(1) << PATCHBAY_FEATURE_FORK;

  explicit Driver(plugin::Host host);
  void enumerate(const Found& found) override;
  std::unique_ptr<plugin::Device> open_device(std::uint32_t index) override;
  std::unique_ptr<plugin::Device> open_device_in(std::uint32_t index,
                                                 std::uint64_t native_context) override;
  /// Has "exit" if OpenBLAS multiplies.
  const void* extension(std::string_view name, std::uint32_t version) override;

 private:
  static void stop(patchbay_driver* driver, std::uint64_t deadline_ns) noexcept;

  const plugin::Host host_;
  const Processor processor_;
  const std::vector<Share> shares_;
  Libraries libraries_;
  executor::Executor executor_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_DRIVER_HPP_
