// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_DEVICE_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_DEVICE_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fake/device/faults.hpp"
#include "fake/device/options.hpp"
#include "kit/device/allocator.hpp"
#include "kit/device/device.hpp"
#include "kit/device/health.hpp"

namespace fake {

/// Device memory that fails on demand.
class Allocator : public patchbay::device::BlockAllocator {
 public:
  Allocator(std::uint64_t total_bytes, std::shared_ptr<const patchbay::device::Health> health,
            Faults& faults)
      : BlockAllocator(total_bytes, false), health_(std::move(health)), faults_(faults) {}

  plugin::Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) override {
    health_->check();
    faults_.count(Call::kAllocate);
    return BlockAllocator::allocate(memory_kind, size_bytes, alignment_bytes);
  }
  Info info() override {
    health_->check();
    return BlockAllocator::info();
  }

 private:
  const std::shared_ptr<const patchbay::device::Health> health_;
  Faults& faults_;
};

namespace device = patchbay::device;
namespace executor = patchbay::executor;

/// The device of the kit, with faults.
class Device : public device::Device {
 public:
  /// The driver owns options, faults and executor.
  Device(std::uint32_t index, const Options& options, Faults& faults, executor::Executor& executor)
      : Device(index, options, faults, executor, std::make_shared<device::Health>()) {}

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

  const Options& options() const { return options_; }
  Faults& faults() const { return faults_; }

 private:
  Device(std::uint32_t index, const Options& options, Faults& faults, executor::Executor& executor,
         const std::shared_ptr<device::Health>& health);

  const std::uint32_t index_;
  const Options& options_;
  Faults& faults_;
  std::atomic<std::uint32_t> num_streams_{0};
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_DEVICE_HPP_
