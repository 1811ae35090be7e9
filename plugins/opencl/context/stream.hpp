// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_OPENCL_CONTEXT_STREAM_HPP_
#define PATCHBAY_PLUGINS_OPENCL_CONTEXT_STREAM_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "patchbay/plugin/kit/objects.hpp"

#include "opencl/api/handle.hpp"
#include "opencl/context/process_end.hpp"
#include "opencl/context/timeline.hpp"

namespace patchbay::opencl {

class Context;

/// An in-order command queue.
class Stream : public plugin::Stream {
 public:
  Stream(const Context& context, QueueHandle queue);
  ~Stream() override;

  void copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) override;
  void copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) override;
  void record(plugin::Event& event) override;
  void wait_event(plugin::Event& event) override;
  void flush() override;
  bool synchronize(std::uint64_t deadline_ns) override;
  /// The application also submits work to this queue.
  void share() { is_shared_.store(true, std::memory_order_relaxed); }

  const Context& context() const { return context_; }
  cl_queue queue() const { return queue_.get(); }

  /// Calls `enqueue(queue, event)` and records the submission; throws if it returns an error.
  template <class Enqueue>
  std::uint64_t submit(std::string_view name, const char* entry, Enqueue&& enqueue,
                       Position after = {}) {
    const ProcessEnd::Pass pass(entry_.end());
    cl_event event = nullptr;
    check_submission(name, entry, enqueue(queue_.get(), &event));
    return timeline_->submitted(EventHandle(cl_, event), name, std::move(after));
  }

 private:
  static void check_submission(std::string_view name, const char* entry, cl_int code);
  EventHandle mark();

  const Context& context_;
  const Symbols& cl_;
  const QueueHandle queue_;
  const std::shared_ptr<Timeline> timeline_;
  std::atomic<bool> is_shared_{false};
  const ProcessEnd::Entry entry_;  // last: registers the complete stream
};

/// With times, events of the queue know when they completed.
QueueHandle create_queue(const Context& context, bool with_times = false);

}  // namespace patchbay::opencl

#endif  // PATCHBAY_PLUGINS_OPENCL_CONTEXT_STREAM_HPP_
