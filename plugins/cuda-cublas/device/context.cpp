// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/context.hpp"

#include "cuda-cublas/api/error.hpp"

namespace patchbay::cuda {

Context::Context(const DriverTable& driver, DeviceNumber device, std::uint32_t index,
                 NativeContext adopted)
    : driver_(driver),
      device_(device),
      index_(index),
      is_adopted_(adopted != nullptr),
      native_(adopted) {
  if (is_adopted_) {
    check_adopted();
  } else {
    check(driver, driver.context_retain.name, driver.context_retain(&native_, device));
  }
}

Context::~Context() {
  if (!is_adopted_) driver_.context_release(device_);
}

void Context::check_adopted() const {
  const Current current(*this);
  check(driver_, driver_.context_set_current.name, current.code());
  DeviceNumber device = -1;
  check(driver_, driver_.context_device.name, driver_.context_device(&device));
  if (device == device_) return;
  plugin::invalid_argument("the context belongs to the driver's device " + std::to_string(device) +
                           ", and this is device " + std::to_string(device_));
}

Context::Current::Current(const Context& context) noexcept
    : context_(context), code_(context.driver_.context_get_current(&before_)) {
  is_changed_ = code_ == kSuccess && before_ != context.native_;
  if (is_changed_) code_ = context.driver_.context_set_current(context.native_);
}

Context::Current::~Current() {
  if (is_changed_) context_.driver_.context_set_current(before_);
}

bool Context::can_access(const Context& peer) const {
  int can = 0;
  const auto& entry = driver_.device_can_access_peer;
  check(driver_, entry.name, entry(&can, device_, peer.device_));
  return can != 0;
}

void Context::enable_access(const Context& peer) {
  {
    const std::lock_guard lock(mutex_);
    if (!peers_.insert(peer.index_).second) return;
  }
  if (!can_access(peer)) return;
  const auto& entry = driver_.context_enable_peer;
  const Result code = attempt(entry, peer.native_, 0u);
  // Other errors are ignored (a card has a limited number of peers): copies then use the host.
  if (loses_device(code)) fail(entry.name, code);
}

void Context::lose(std::string_view entry, Result code, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  if (is_lost()) return;
  why_lost_ = "device " + std::to_string(index_) + " is lost: " + describe(driver_, entry, code);
  why_lost_ += reason;
  lost_code_ = code;
  if (const std::string names = launches_.names(); reason.empty() && !names.empty()) {
    why_lost_ += ", from " + names;
  }
  is_lost_.store(true, std::memory_order_release);
}

std::string Context::why_lost() {
  const std::lock_guard lock(mutex_);
  return why_lost_;
}

void Context::throw_lost() {
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, why_lost(), lost_code_,
                            PATCHBAY_STATUS_DEVICE_LOST);
}

void Context::throw_unusable(Result code) {
  std::string_view reason;  // empty for an earlier failed launch, which any call may report
  if (code == kErrorNotInitialized) {
    reason = ". A child of fork can't use the devices of its parent: start it anew with exec";
  } else if (code == kErrorDeinitialized) {
    reason = ". The process is ending";
  } else if (is_adopted_ && (code == kErrorInvalidContext || code == kErrorContextIsDestroyed)) {
    reason = ". The application has destroyed the context that it lent";
  }
  lose(driver_.context_set_current.name, code, reason);
  throw_lost();
}

void Context::notice(std::string_view entry, Result code) {
  if (loses_device(code)) lose(entry, code);
}

void Context::fail(std::string_view entry, Result code, std::string_view doing,
                   std::string_view log) {
  notice(entry, code);
  check_alive();
  if (doing.empty()) check(driver_, entry, code, log);
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                            std::string(doing) + ": " + describe(driver_, entry, code), code);
}

}  // namespace patchbay::cuda
