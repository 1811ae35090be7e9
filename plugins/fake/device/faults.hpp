// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Failures on demand: the n-th call of a kind fails.
#ifndef PATCHBAY_PLUGINS_FAKE_DEVICE_FAULTS_HPP_
#define PATCHBAY_PLUGINS_FAKE_DEVICE_FAULTS_HPP_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "fake/device/options.hpp"

namespace fake {

enum class Call : std::uint8_t {
  kEnumerate,
  kOpenDevice,
  kCreateStream,
  kAllocate,
  kCopy,
  kPrepare,
  kLaunch,
  kCreateEvent
};
inline constexpr std::size_t kNumCalls = 8;

/// The fault of a launch. The launch is accepted, except with kLosesDevice.
enum class LaunchFault : std::uint8_t {
  kNone,
  kLater,
  kLaterUnnamed,
  kLosesDevice,
  kLosesDeviceLater,
  kEndless
};

/// One per driver; counts the calls on all its devices from 1.
class Faults {
 public:
  explicit Faults(const plugin::Host& host);

  /// Throws if this call is configured to fail.
  void count(Call call);
  /// Counts a launch; returns the fault that the caller simulates.
  LaunchFault count_launch();

  /// Simulates an endless kernel: blocks until the settings end it, or `is_over`, which is tested
  /// again after each wake(), is true. Returns true in the first case.
  bool run_endlessly(const std::function<bool()>& is_over);
  void wake();

 private:
  std::uint64_t next(Call call);

  std::array<Window, kNumCalls> failing_;
  std::array<std::atomic<std::uint64_t>, kNumCalls> counts_{};
  const Window out_of_memory_;
  const std::uint64_t failing_later_, losing_device_, losing_device_later_;
  const std::uint64_t endless_, ending_endless_;
  const bool names_later_;

  std::mutex mutex_;
  std::condition_variable woken_;
  bool endless_is_over_ = false;
};

/// Throws NO_DRIVER or a similar error if the setting fake_open requests it.
void fail_open_on_demand(const plugin::Host& host);

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_FAULTS_HPP_
