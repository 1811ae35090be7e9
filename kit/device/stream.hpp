// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_KIT_DEVICE_STREAM_HPP_
#define PATCHBAY_KIT_DEVICE_STREAM_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "patchbay/plugin/kit/objects.hpp"

#include "kit/device/timeline.hpp"
#include "kit/device/worker.hpp"
#include "kit/machine/subnormals.hpp"

namespace patchbay::device {

class Device;

struct Mark;

/// Bytes on their way.
struct Copy {
  std::byte* to;
  const std::byte* from;
  std::uint64_t size_bytes;
  bool is_link;                // to or from the host or another device
  const void* host = nullptr;  // the end in host memory, if there is one
};

/// An in-order queue with a thread of its own. Addresses are looked up when work is submitted; the
/// thread touches the bytes. Its events are device::Event.
class Stream : public plugin::Stream {
 public:
  explicit Stream(Device& device);
  ~Stream() override { finish(); }

  void copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) override;
  void copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                    std::uint64_t size_bytes) override;
  void record(plugin::Event& event) override;
  void wait_event(plugin::Event& event) override;
  void flush() override;
  bool synchronize(std::uint64_t deadline_ns) override;
  bool is_cancellable() const noexcept override { return true; }
  void add_callback(plugin::Callback callback) override;

  using Work = std::function<void()>;
  /// Queues work for the thread and returns its position. If the work throws, it and all later work
  /// fail. Throws if the device is lost.
  std::uint64_t submit(Work work);
  /// Queues a launch for the thread; its failure names it.
  virtual void submit_launch(std::string name, Work work);

  Device& device() const { return device_; }

 protected:
  Stream(Device& device, std::shared_ptr<Timeline> timeline);
  /// Runs what was submitted and ends the threads. A class that overrides what they call does this
  /// in its destructor, while it is whole.
  void finish();

  /// Queues a launch or a copy: work before which the thread calls begin_work.
  void submit_work(Work work);
  virtual void submit_copy(const Copy& copy);

  // Called by the thread.
  virtual void begin_work() {}
  /// A copy of any kind. The ranges may overlap.
  virtual void run_copy(const Copy& copy);
  /// Waits for a position of another stream.
  virtual void await(const Mark& mark);
  /// Before the callback of a position, by the thread of callbacks.
  virtual void begin_callback(std::uint64_t) {}

 private:
  Device& device_;
  const Subnormals subnormals_;
  const std::shared_ptr<Timeline> timeline_;
  std::unique_ptr<Worker> callbacks_;  // made by the first; so that they hold no later work back
  Worker worker_;
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_STREAM_HPP_
