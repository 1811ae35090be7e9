// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_DEVICE_DEVICE_HPP_
#define PATCHBAY_PLUGINS_OPENCL_DEVICE_DEVICE_HPP_

#include <memory>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/portable/backend.hpp"
#include "opencl/api/device_info.hpp"
#include "opencl/api/handle.hpp"
#include "opencl/device/allocator.hpp"
#include "opencl/device/process_end.hpp"
#include "opencl/device/timeline.hpp"

namespace patchbay::opencl {

/// A device in its own context, or the application's. In a context with several devices the driver
/// moves buffers between them, so copies and memory could not be counted, and a failure would
/// affect all devices. The cost of separate contexts: the host waits for events of other devices,
/// and copies between devices pass through the host.
class Device : public plugin::Device {
 public:
  /// The driver owns the objects that are passed by reference.
  Device(const Symbols& cl, const DeviceInfo& info, ProcessEnd& process_end, ContextHandle context,
         plugin::Host host);

  plugin::Allocator& allocator() override { return allocator_; }
  std::unique_ptr<plugin::Stream> create_stream(std::uint32_t flags) override;
  std::unique_ptr<plugin::Stream> wrap_stream(std::uint64_t native_handle) override;
  std::unique_ptr<plugin::Event> create_event(std::uint32_t flags) override;
  std::unique_ptr<plugin::Kernel> prepare(const patchbay_kernel_spec& spec) override;
  std::unique_ptr<plugin::Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options) override;
  std::uint64_t native_handle(std::uint32_t native_kind, void* object) override;

  const Symbols& cl() const { return cl_; }
  const DeviceInfo& info() const { return info_; }
  ProcessEnd& process_end() const { return process_end_; }
  cl_context context() const { return context_.get(); }
  const Allocator& memory() const { return allocator_; }
  const std::shared_ptr<SubmissionClock>& clock() const { return clock_; }

 private:
  const Symbols& cl_;
  const DeviceInfo& info_;
  ProcessEnd& process_end_;
  const ContextHandle context_;
  const std::shared_ptr<SubmissionClock> clock_ = std::make_shared<SubmissionClock>();
  Allocator allocator_;
  portable::Backend portable_;
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_DEVICE_DEVICE_HPP_
