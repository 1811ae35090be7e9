// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_CARD_DEVICE_DEVICE_HPP_
#define PATCHBAY_KIT_CARD_DEVICE_DEVICE_HPP_

#include <memory>

#include "kit/card/context/allocator.hpp"
#include "kit/card/context/peer_device.hpp"
#include "kit/card/device/vendor.hpp"
#include "kit/card/kernels/kernels.hpp"
#include "kit/card/kernels/program.hpp"

namespace patchbay::card {

class Device : public PeerDevice {
 public:
  /// Uses the device's own context unless `adopted` is one of the application's.
  Device(Vendor& vendor, const DeviceInfo& info, std::uint32_t index, NativeContext adopted);

  plugin::Allocator& allocator() override { return allocator_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t native_handle) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;
  std::unique_ptr<plugin::Graph> create_graph() override;
  bool can_access_peer(plugin::Device& other) override;
  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override;

 private:
  /// Compiles and loads a text of the dialect.
  Program build(std::string_view text);
  KernelParts parts();

  Vendor& vendor_;
  const DeviceInfo& info_;
  Allocator allocator_;
  const std::unique_ptr<Products> products_;
  const std::unique_ptr<DnnLibrary> dnn_;  // may be null
  const std::unique_ptr<Layers> layers_;   // may be null
  portable::Backend portable_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_DEVICE_DEVICE_HPP_
