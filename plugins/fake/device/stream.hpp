// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_STREAM_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_STREAM_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "patchbay/plugin/kit/objects.hpp"

#include "fake/device/faults.hpp"
#include "fake/device/lateness.hpp"
#include "fake/device/timeline.hpp"
#include "kit/device/worker.hpp"

namespace fake {

using Worker = patchbay::device::Worker;

class Device;
struct Mark;

/// An in-order queue with a thread of its own. Addresses are looked up when work is submitted; the
/// bytes are touched by the thread.
class Stream : public plugin::Stream {
 public:
  explicit Stream(Device& device);
  /// Ends an endless kernel or the wait for one, and runs what else was submitted.
  ~Stream() override;

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

  using Work = std::function<void(std::uint64_t position)>;
  using Batch = std::vector<std::function<void()>>;
  /// What `launches` add to the batch, which is run as one launch.
  template <class Launches>
  Batch collect(const Launches& launches) {
    batch_.clear();
    launches();
    return std::exchange(batch_, {});
  }
  void add_to_batch(std::function<void()> part) { batch_.push_back(std::move(part)); }
  /// Queues a launch; on the thread it plays `fault` first. Throws if the device is lost.
  void submit_launch(LaunchFault fault, std::string shown, Work work);
  /// By work that was submitted: does nothing for a while, when things are late.
  void pause(std::uint64_t position);
  Device& device() const { return device_; }

 private:
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::uint64_t size_bytes;
    bool is_link;  // it leaves the device
  };

  /// Gives the position.
  std::uint64_t submit(Work work);
  /// A launch or a copy, which takes time.
  void submit_work(Work work);
  void submit_copy(const Copy& copy);
  void run_copy(const Copy& copy, std::uint64_t position);
  void play(LaunchFault fault, const std::string& shown);
  /// By the worker.
  void await(const Mark& mark);

  Device& device_;
  Batch batch_;
  const Lateness lateness_;
  const std::shared_ptr<Timeline> timeline_;
  std::atomic<bool> is_ending_{false};
  std::unique_ptr<Worker> callbacks_;  // made by the first; so that they hold no later work back
  Worker worker_;                      // ends before the callbacks that it posts
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_STREAM_HPP_
