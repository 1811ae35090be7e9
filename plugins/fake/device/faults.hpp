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

/// What a launch does that was accepted, or, with kLosesDevice, not.
enum class LaunchFault : std::uint8_t {
  kNone,
  kLater,
  kLaterUnnamed,
  kLosesDevice,
  kLosesDeviceLater,
  kEndless
};

/// One for each driver; counts from 1 over all its devices.
class Faults {
 public:
  explicit Faults(const plugin::Host& host);

  /// Throws if this is the call that is to fail.
  void count(Call call);
  /// The same for launches; says which fault the caller is to play.
  LaunchFault count_launch();

  /// Plays an endless kernel: until the script ends it, or `is_over`, which is asked again after
  /// each call of wake. True if it was the script.
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

/// Throws NO_DRIVER and the like if the option fake_open asks for it.
void fail_open_on_demand(const plugin::Host& host);

}  // namespace fake

#endif  // PATCHBAY_PLUGINS_FAKE_DEVICE_FAULTS_HPP_
