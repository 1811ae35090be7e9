// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/faults.hpp"

#include <stdexcept>
#include <string>

namespace fake {
namespace {

constexpr std::array<std::string_view, kNumCalls> kCallNames = {
    "enumerate", "open_device", "create_stream", "allocate",
    "copy",      "prepare",     "launch",        "create_event"};

std::string option_of(std::size_t call) { return "fake_fail_" + std::string(kCallNames[call]); }

}  // namespace

Faults::Faults(const plugin::Host& host)
    : out_of_memory_(window_option(host, "fake_out_of_memory")),
      failing_later_(number_option(host, "fake_fail_async_launch", 0)),
      losing_device_(number_option(host, "fake_lose_device", 0)),
      losing_device_later_(number_option(host, "fake_lose_device_async", 0)),
      endless_(number_option(host, "fake_endless_launch", 0)),
      ending_endless_(number_option(host, "fake_endless_until_launch", 0)),
      names_later_(number_option(host, "fake_unnamed_faults", 0) == 0) {
  for (std::size_t call = 0; call < kNumCalls; ++call) {
    failing_[call] = window_option(host, option_of(call));
  }
}

std::uint64_t Faults::next(Call call) {
  const auto i = static_cast<std::size_t>(call);
  const std::uint64_t number = counts_[i].fetch_add(1, std::memory_order_relaxed) + 1;
  const auto which = [=] {
    return std::string(kCallNames[i]) + " number " + std::to_string(number);
  };
  if (failing_[i].has(number)) {
    throw plugin::StatusError(
        call == Call::kLaunch ? PATCHBAY_LAUNCH_FAILED : PATCHBAY_DRIVER_ERROR,
        which() + " fails, as the setting " + option_of(i) + " asks",
        static_cast<std::int64_t>(number));
  }
  if (call == Call::kAllocate && out_of_memory_.has(number)) {
    throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY,
                              which() + " finds no memory, as the setting fake_out_of_memory asks",
                              static_cast<std::int64_t>(number));
  }
  return number;
}

void Faults::count(Call call) { next(call); }

LaunchFault Faults::count_launch() {
  const std::uint64_t number = next(Call::kLaunch);
  if (number == ending_endless_) {
    {
      const std::lock_guard lock(mutex_);
      endless_is_over_ = true;
    }
    wake();
  }
  if (number == failing_later_) {
    return names_later_ ? LaunchFault::kLater : LaunchFault::kLaterUnnamed;
  }
  if (number == losing_device_) return LaunchFault::kLosesDevice;
  if (number == losing_device_later_) return LaunchFault::kLosesDeviceLater;
  return number == endless_ ? LaunchFault::kEndless : LaunchFault::kNone;
}

bool Faults::run_endlessly(const std::function<bool()>& is_over) {
  std::unique_lock lock(mutex_);
  woken_.wait(lock, [&] { return endless_is_over_ || is_over(); });
  return endless_is_over_;
}

void Faults::wake() {
  // Take the lock, so that no waiter misses this between its test and its wait.
  const std::lock_guard lock(mutex_);
  woken_.notify_all();
}

void fail_open_on_demand(const plugin::Host& host) {
  const auto how = host.option("fake_open");
  if (!how || how->empty()) return;
  if (*how == "no-driver") {
    throw plugin::StatusError(PATCHBAY_NO_DRIVER, "libfake-driver.so.1 is not on this machine");
  }
  if (*how == "no-device") {
    throw plugin::StatusError(PATCHBAY_NO_DEVICE, "the fake driver sees no device");
  }
  if (*how == "error") {
    throw plugin::StatusError(PATCHBAY_DRIVER_ERROR, "the fake driver does not start", 7);
  }
  if (*how == "throw") throw std::runtime_error("the fake driver threw an exception");
  plugin::refuse_setting("fake_open", "no-driver, no-device, error or throw", *how);
}

}  // namespace fake
