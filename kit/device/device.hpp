// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A whole device, ready to be derived from: host memory, in-order streams with a thread each,
// events, every operator and users' kernels. A plugin overrides what is different on its own.
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

/// What the default device is told, and what its properties say.
struct Options {
  std::uint32_t index = 0;
  std::string name;  // "mine:0": for messages, and for people who list devices
  std::uint64_t memory_bytes = 0;
  /// Whether the host may touch device memory at its base. Pinned memory it always may.
  bool is_host_addressable = false;
  bool has_f64 = true;
};

/// What `enumerate` says of such a device: an accelerator that loads modules. The strings are those
/// of `options`.
patchbay_device_properties properties_of(const Options& options);

class Device : public plugin::Device {
 public:
  /// `executor` outlives the device; a driver has one for all its devices. `allocator`: memory of
  /// the plugin's own kind; null: a BlockAllocator.
  Device(const Options& options, executor::Executor& executor,
         std::unique_ptr<Allocator> allocator = nullptr);

  Allocator& allocator() override { return *memory_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  /// The portable operators. A plugin asks its own libraries first, then this.
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;

  /// For good: every later call on the device and its streams fails with that reason.
  void lose(std::string why) { health_->lose(std::move(why)); }

  const std::string& name() const { return name_; }
  const Allocator& memory() const { return *memory_; }
  const std::shared_ptr<Health>& health() const { return health_; }

 private:
  const std::string name_;
  const std::shared_ptr<Health> health_ = std::make_shared<Health>();
  const std::unique_ptr<Allocator> memory_;
  Programs programs_;
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_DEVICE_HPP_
