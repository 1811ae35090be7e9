// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A CPU device: a share of the cores and their threads.
#ifndef PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_DEVICE_HPP_
#define PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_DEVICE_HPP_

#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "cpu-openblas/device/allocator.hpp"
#include "cpu-openblas/products/libraries.hpp"
#include "cpu-openblas/threads/workers.hpp"
#include "kit/executor/executor.hpp"

namespace patchbay::cpu {

class Device final : public plugin::Device {
 public:
  Device(Libraries& libraries, executor::Executor& executor, const Share& share, plugin::Host host)
      : libraries_(libraries), executor_(executor), workers_(share, host) {}

  plugin::Allocator& allocator() override { return allocator_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;
  /// Only memory has a handle: its address.
  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override;

 private:
  Libraries& libraries_;
  executor::Executor& executor_;
  Workers workers_;
  Allocator allocator_;
};

}  // namespace patchbay::cpu

#endif  // PATCHBAY_PLUGINS_CPU_OPENBLAS_DEVICE_DEVICE_HPP_
