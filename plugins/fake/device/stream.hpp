// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_STREAM_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_STREAM_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fake/device/faults.hpp"
#include "fake/device/timeline.hpp"
#include "kit/device/stream.hpp"
#include "kit/device/timeline.hpp"

namespace fake {

/// An event that may be noticed late.
class Event : public patchbay::device::Event {
 public:
  bool is_done() override {
    return patchbay::device::Event::is_done() &&
           (denials_.load(std::memory_order_relaxed) <= 0 ||
            denials_.fetch_sub(1, std::memory_order_relaxed) <= 0);
  }
  /// Reports the event as pending this many times after it is done.
  void deny(int times) { denials_.store(times, std::memory_order_relaxed); }

 private:
  std::atomic<int> denials_{0};
};

class Device;

/// A stream of the kit whose work may be late, slow or fail.
class Stream : public patchbay::device::Stream {
 public:
  explicit Stream(Device& device) : Stream(device, std::make_shared<Timeline>(health_of(device))) {}
  /// Ends an endless kernel or the wait for one, and runs what else was submitted.
  ~Stream() override;

  void record(plugin::Event& event) override;

  using Batch = std::vector<Work>;
  /// What `launches` submit, to be run as one launch.
  template <class Launches>
  Batch collect(const Launches& launches) {
    Batch batch;
    const struct Reset {
      Batch*& slot;
      ~Reset() { slot = nullptr; }
    } reset{batch_ = &batch};
    launches();
    return batch;
  }
  /// Counts a launch and throws its fault if it is immediate; otherwise returns the fault for
  /// submit_launch.
  LaunchFault begin_launch(const std::string& name);
  /// Queues a launch that first simulates `fault` on the stream's thread.
  void submit_launch(LaunchFault fault, const std::string& name, Work work);
  void submit_launch(std::string name, Work work) override;
  /// Called by submitted work: delays it if work may be late.
  void pause();
  Device& device() const { return device_; }

 private:
  Stream(Device& device, const std::shared_ptr<Timeline>& timeline);
  static std::shared_ptr<patchbay::device::Health> health_of(const Device& device);

  void submit_copy(const patchbay::device::Copy& copy) override;
  void begin_work() override;
  void run_copy(const patchbay::device::Copy& copy) override;
  void await(const patchbay::device::Mark& mark) override;
  void begin_callback(std::uint64_t position) override;
  void play(LaunchFault fault, const std::string& name);

  Device& device_;
  Batch* batch_ = nullptr;
  const DelayPlan lateness_;
  const std::shared_ptr<Timeline> timeline_;
  std::atomic<bool> is_ending_{false};
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_STREAM_HPP_
