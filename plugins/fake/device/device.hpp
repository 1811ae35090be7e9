// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_DEVICE_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_DEVICE_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/faults.hpp"
#include "fake/device/memory.hpp"
#include "fake/device/options.hpp"
#include "fake/device/timeline.hpp"
#include "fake/kernels/portable_backend.hpp"
#include "kit/executor/executor.hpp"

namespace fake {

class Device : public plugin::Device {
 public:
  /// `options`, `faults` and the executor belong to the driver.
  Device(std::uint32_t index, const Options& options, Faults& faults,
         patchbay::executor::Executor& executor);

  Allocator& allocator() override { return memory_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;
  bool can_access_peer(plugin::Device& other) override;

  /// Marks the device as lost; every later call fails with `why`.
  void lose(std::string why);
  /// A number for a new stream that is unique in the runtime.
  std::uint64_t next_queue();

  const std::string& name() const { return name_; }
  const Options& options() const { return options_; }
  Faults& faults() const { return faults_; }
  const std::shared_ptr<Health>& health() const { return health_; }
  const Allocator& memory() const { return memory_; }
  PortableBackend& portable() { return portable_; }

 private:
  const std::uint32_t index_;
  const std::string name_;
  const Options& options_;
  Faults& faults_;
  patchbay::executor::Executor& executor_;
  const std::shared_ptr<Health> health_ = std::make_shared<Health>();
  Allocator memory_;
  PortableBackend portable_;
  std::atomic<std::uint32_t> num_streams_{0};
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_DEVICE_HPP_
