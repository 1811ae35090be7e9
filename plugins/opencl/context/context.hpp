// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_CONTEXT_CONTEXT_HPP_
#define PATCHBAY_PLUGINS_OPENCL_CONTEXT_CONTEXT_HPP_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "opencl/api/device_info.hpp"
#include "opencl/api/handle.hpp"
#include "opencl/context/allocator.hpp"
#include "opencl/context/process_end.hpp"
#include "opencl/context/timeline.hpp"

namespace patchbay::opencl {

/// The driver's context of one device, its own or the application's, and what streams and kernels
/// use with it. In a context with several devices the driver moves buffers between them, so copies
/// and memory could not be counted, and a failure would affect all devices. The cost of separate
/// contexts: the host waits for events of other devices, and copies between devices pass through
/// the host.
class Context {
 public:
  /// The driver owns the objects that are passed by reference.
  Context(const Symbols& cl, const DeviceInfo& info, ProcessEnd& process_end, ContextHandle native,
          plugin::Host host)
      : cl_(cl),
        info_(info),
        process_end_(process_end),
        native_(std::move(native)),
        allocator_(*this, host) {}

  const Symbols& cl() const { return cl_; }
  const DeviceInfo& info() const { return info_; }
  ProcessEnd& process_end() const { return process_end_; }
  cl_context native() const { return native_.get(); }
  Allocator& memory() { return allocator_; }
  const Allocator& memory() const { return allocator_; }
  const std::shared_ptr<SubmissionClock>& clock() const { return clock_; }

  /// How long this device has taken so far to make binaries of programs for the host's cache.
  std::chrono::nanoseconds time_of_binaries() const {
    return std::chrono::nanoseconds(time_of_binaries_ns_.load(std::memory_order_relaxed));
  }
  void add_time_of_binaries(std::chrono::nanoseconds time) const {
    time_of_binaries_ns_.fetch_add(time.count(), std::memory_order_relaxed);
  }

 private:
  const Symbols& cl_;
  const DeviceInfo& info_;
  ProcessEnd& process_end_;
  const ContextHandle native_;
  const std::shared_ptr<SubmissionClock> clock_ = std::make_shared<SubmissionClock>();
  Allocator allocator_;
  mutable std::atomic<std::int64_t> time_of_binaries_ns_{0};
};

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_CONTEXT_CONTEXT_HPP_
