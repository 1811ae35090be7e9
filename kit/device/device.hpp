// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A complete device to derive from: host memory, in-order streams with a thread each, events, every
// operator and users' kernels. A plugin overrides what its device does differently.
#ifndef PATCHBAY_KIT_DEVICE_DEVICE_HPP_
#define PATCHBAY_KIT_DEVICE_DEVICE_HPP_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"
#include "patchbay/plugin/properties.h"

#include "kit/device/allocator.hpp"
#include "kit/device/health.hpp"
#include "kit/device/programs.hpp"
#include "kit/executor/executor.hpp"

namespace patchbay::device {

/// The settings and properties of a device.
struct Options {
  std::uint32_t index = 0;
  std::string name;  // "mine:0": used in messages and lists of devices
  std::uint64_t memory_bytes = 0;
  /// Whether the host may access device memory at its base. It may always access pinned and
  /// unified memory.
  bool is_host_addressable = false;
  bool has_f64 = true;
  /// The width of the sub-groups that the executor shows to portable operators: a power of 2.
  std::int64_t sub_group_width = 1;
};

/// The properties of an accelerator that loads modules. The strings are those of `options`, which
/// therefore outlives them.
patchbay_device_properties properties_of(const Options& options);
patchbay_device_properties properties_of(Options&&) = delete;

class Device : public plugin::Device {
 public:
  /// `executor` outlives the device; a driver has one for all its devices. `allocator`: memory of
  /// the plugin's own kind; null: a BlockAllocator. `health`: one that the allocator knows too.
  Device(const Options& options, executor::Executor& executor,
         std::unique_ptr<Allocator> allocator = nullptr,
         std::shared_ptr<Health> health = std::make_shared<Health>());

  Allocator& allocator() override { return *memory_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  /// Prepares portable operators. A plugin tries its own libraries first, then calls this.
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;

  /// Marks the device as lost: every later call on it and its streams fails with this reason.
  void lose(std::string why) { health_->lose(std::move(why)); }

  const std::string& name() const { return name_; }
  const Allocator& memory() const { return *memory_; }
  const std::shared_ptr<Health>& health() const { return health_; }

 private:
  const std::string name_;
  const std::shared_ptr<Health> health_;
  const std::unique_ptr<Allocator> memory_;
  executor::Executor& executor_;
  portable::Backend portable_;
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_DEVICE_HPP_
