// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Failures on demand: the n-th call of a kind fails.
#ifndef PATCHBAY_FAKE_FAULTS_HPP_
#define PATCHBAY_FAKE_FAULTS_HPP_

#include <array>
#include <atomic>
#include <cstdint>

#include "options.hpp"

namespace fake {

enum class Call : std::uint8_t {
  kEnumerate,
  kOpenDevice,
  kCreateStream,
  kAllocate,
  kCopy,
  kPrepare,
  kLaunch
};
inline constexpr std::size_t kNumCalls = 7;

enum class LaunchFault : std::uint8_t { kNone, kLater, kLaterUnnamed, kLosesDevice };

/// One for each driver; counts from 1 over all its devices.
class Faults {
 public:
  explicit Faults(const plugin::Host& host);

  /// Throws if this is the call that is to fail.
  void count(Call call);
  /// The same for launches; says which fault the caller is to play.
  LaunchFault count_launch();

 private:
  std::uint64_t next(Call call);

  std::array<std::uint64_t, kNumCalls> failing_{};  // 0: none
  std::array<std::atomic<std::uint64_t>, kNumCalls> counts_{};
  std::uint64_t failing_later_, losing_device_;
  const bool names_later_;
};

/// Throws NO_DRIVER and the like if the option fake_open asks for it.
void fail_open_on_demand(const plugin::Host& host);

}  // namespace fake

#endif  // PATCHBAY_FAKE_FAULTS_HPP_
