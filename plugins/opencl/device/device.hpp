// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_DEVICE_DEVICE_HPP_
#define PATCHBAY_PLUGINS_OPENCL_DEVICE_DEVICE_HPP_

#include <memory>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/portable/base/backend.hpp"
#include "opencl/context/context.hpp"

namespace patchbay::opencl {

class Device : public plugin::Device {
 public:
  /// The driver owns the objects that are passed by reference.
  Device(const Symbols& cl, const DeviceInfo& info, ProcessEnd& process_end, ContextHandle context,
         plugin::Host host);

  plugin::Allocator& allocator() override { return context_.memory(); }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t native_handle) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;
  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override;

 private:
  Context context_;
  portable::Backend portable_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_DEVICE_DEVICE_HPP_
