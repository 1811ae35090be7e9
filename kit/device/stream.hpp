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

namespace patchbay::device {

class Device;

/// An in-order queue with a thread of its own. Addresses are resolved at submission; the thread
/// accesses the bytes. Its events are device::Event.
class Stream : public plugin::Stream {
 public:
  explicit Stream(Device& device);
  /// Runs the submitted work.
  ~Stream() override = default;

  void copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) override;
  void copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) override;
  void copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                    std::uint64_t size_bytes) override;
  void record(plugin::Event& event) override;
  void wait_event(plugin::Event& event) override;
  void flush() override;
  bool synchronize(std::uint64_t deadline_ns) override;
  void add_callback(void (*call)(void* user, patchbay_status*), void* user) override;

  using Work = std::function<void()>;
  /// Queues work for the thread and returns its position. If the work throws, it and all later work
  /// fail. Throws if the device is lost.
  std::uint64_t submit(Work work);
  /// The same for a launch; its failure contains the name.
  void submit_launch(std::string name, Work work);

  Device& device() const { return device_; }

 protected:
  /// Called by the thread for copies of any kind. The ranges may overlap.
  virtual void copy(std::byte* to, const std::byte* from, std::uint64_t size_bytes);

 private:
  void submit_copy(std::byte* to, const std::byte* from, std::uint64_t size_bytes);

  Device& device_;
  const std::shared_ptr<Timeline> timeline_;
  std::unique_ptr<Worker> callbacks_;  // runs callbacks beside the stream's work; null until used
  Worker worker_;                      // destroyed before `callbacks_`, to which it posts
};

}  // namespace patchbay::device

#endif  // PATCHBAY_KIT_DEVICE_STREAM_HPP_
