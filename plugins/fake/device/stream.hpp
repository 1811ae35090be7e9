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

/// An in-order queue with a thread of its own. Addresses are resolved at submission; the thread
/// accesses the bytes.
class Stream : public plugin::Stream {
 public:
  explicit Stream(Device& device);
  /// Ends an endless kernel or the wait for one, and runs the other submitted work.
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
  /// Collects the launches that `launches` submits into a batch, which runs as one launch.
  template <class Launches>
  Batch collect(const Launches& launches) {
    batch_.clear();
    launches();
    return std::exchange(batch_, {});
  }
  void add_to_batch(std::function<void()> part) { batch_.push_back(std::move(part)); }
  /// Queues a launch; the thread simulates `fault` first. Throws if the device is lost.
  void submit_launch(LaunchFault fault, std::string shown, Work work);
  /// Called by submitted work: waits for a drawn delay if lateness is on.
  void pause(std::uint64_t position);
  Device& device() const { return device_; }

 private:
  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::uint64_t size_bytes;
    bool is_link;  // to or from the host or a peer
  };

  /// Returns the position.
  std::uint64_t submit(Work work);
  /// Submits a launch or a copy, which takes the configured time.
  void submit_work(Work work);
  void submit_copy(const Copy& copy);
  void run_copy(const Copy& copy, std::uint64_t position);
  void play(LaunchFault fault, const std::string& shown);
  /// Called by the worker.
  void await(const Mark& mark);

  Device& device_;
  Batch batch_;
  const Lateness lateness_;
  const std::shared_ptr<Timeline> timeline_;
  std::atomic<bool> is_ending_{false};
  std::unique_ptr<Worker> callbacks_;  // created for the first callback
  Worker worker_;                      // destroyed before `callbacks_`, to which it posts
};

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_STREAM_HPP_
