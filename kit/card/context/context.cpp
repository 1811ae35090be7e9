// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/context/context.hpp"

#include <algorithm>

#include "kit/card/api/entries.hpp"

namespace patchbay::card {

std::uint64_t Launches::new_stream() {
  const std::lock_guard lock(mutex_);
  return ++num_streams_;
}

void Launches::note(std::uint64_t stream, std::string_view name) {
  const std::lock_guard lock(mutex_);
  Launch& launch = launches_[num_launches_ % kKept];
  launch.position = {stream, ++num_launches_};
  launch.size = static_cast<std::uint8_t>(std::min(name.size(), launch.name.size()));
  std::copy_n(name.begin(), launch.size, launch.name.begin());
}

Position Launches::last(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  return {stream, num_launches_};
}

void Launches::forget(const Position& done) {
  const std::lock_guard lock(mutex_);
  for (Launch& launch : launches_) {
    const bool is_done =
        launch.position.stream == done.stream && launch.position.number <= done.number;
    if (is_done) launch.position.stream = 0;
  }
}

std::string Launches::names() {
  constexpr int kShown = 8;
  const std::lock_guard lock(mutex_);
  std::string text;
  int count = 0;
  for (std::size_t i = 0; i < kKept; ++i) {
    const Launch& launch = launches_[(num_launches_ + i) % kKept];
    if (launch.position.stream == 0 || ++count > kShown) continue;
    text += (count == 1 ? "'" : ", '") + std::string(launch.name.data(), launch.size) + "'";
  }
  if (count > kShown) text += " and " + std::to_string(count - kShown) + " more";
  return count > 1 ? "one of " + text : text;
}

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> ids{0};
  return ++ids;
}

}  // namespace

Context::Context(const Api& api, CallGate& gate, DeviceNumber device, std::uint32_t index,
                 NativeContext adopted)
    : api_(api),
      gate_(gate),
      device_(device),
      id_(next_id()),
      index_(index),
      is_adopted_(adopted != nullptr),
      native_(adopted) {
  if (is_adopted_) {
    check_adopted();
  } else {
    const auto& entry = api.context_retain;
    const Result code = entry(api, &native_, device);
    if (api.loses_device(code)) {
      throw plugin::StatusError(
          PATCHBAY_LAUNCH_FAILED,
          describe(api, entry.name, code) +
              ". An earlier fault of this process has broken the device: start the process anew",
          code, PATCHBAY_STATUS_DEVICE_LOST);
    }
    check(api, entry.name, code);
  }
}

Context::~Context() {
  const CallGate::Pass pass(gate_);
  if (pass && !is_adopted_) api_.context_release(api_, device_);
}

void Context::check_adopted() const {
  const Current current(*this);
  check(api_, api_.context_set_current.name, current.code());
  DeviceNumber device = -1;
  card::call(api_, api_.context_device, api_, &device);
  if (device == device_) return;
  plugin::invalid_argument("the context belongs to the driver's device " + std::to_string(device) +
                           ", and this is device " + std::to_string(device_));
}

std::string Context::check_room(const std::string& failure, Result code,
                                std::uint64_t enough_bytes) {
  std::size_t free_bytes = 0, total_bytes = 0;
  const bool is_known = attempt(api_.memory_info, &free_bytes, &total_bytes) == kSuccess;
  const std::string room = is_known ? std::to_string(free_bytes) + " of " +
                                          std::to_string(total_bytes) + " bytes are free"
                                    : "it is unknown how much is free";
  if (is_known ? free_bytes > enough_bytes : enough_bytes < kAnyRoom) return room;
  throw plugin::StatusError(PATCHBAY_OUT_OF_MEMORY, failure + ", as on a full device: " + room,
                            code, PATCHBAY_STATUS_RETRYABLE);
}

Context::Current::Current(const Context& context, bool outlasts_pass) noexcept
    : context_(context),
      outlasts_pass_(outlasts_pass),
      code_(context.api_.context_get_current(context.api_, &before_)) {
  is_changed_ = code_ == kSuccess && before_ != context.native_;
  if (is_changed_) code_ = context.api_.context_set_current(context.api_, context.native_);
}

Context::Current::~Current() {
  if (!is_changed_) return;
  std::optional<CallGate::Pass> pass;
  if (outlasts_pass_ && !pass.emplace(context_.gate_)) return;  // the driver may be gone
  context_.api_.context_set_current(context_.api_, before_);
}

bool Context::can_access(const Context& peer) const {
  int can = 0;
  card::call(api_, api_.device_can_access_peer, &can, device_, peer.device_);
  return can != 0;
}

void Context::enable_access(const Context& peer) {
  {
    const std::lock_guard lock(mutex_);
    if (!peers_.insert(peer.id_).second) return;
  }
  if (!can_access(peer)) return;
  const auto& entry = api_.context_enable_peer;
  const Result code = attempt(entry, api_, peer.native_);
  // Other errors are ignored (a card has a limited number of peers): copies then use the host.
  if (api_.loses_device(code)) fail(entry.name, code);
}

void Context::lose(std::string_view entry, Result code, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  if (is_lost()) return;
  why_lost_ = "device " + std::to_string(index_) + " is lost: " + describe(api_, entry, code);
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
  lose(api_.context_set_current.name, code, reason);
  throw_lost();
}

void Context::refuse_others(const std::string& object) const {
  if (!api_.has_contexts) plugin::invalid_argument("the " + object + " is on another device");
  plugin::invalid_argument("the " + object +
                           " belongs to another context than this device; adopt that context "
                           "before the device is first used");
}

void Context::notice(std::string_view entry, Result code) {
  if (api_.loses_device(code)) lose(entry, code);
}

void Context::fail(std::string_view entry, Result code, std::string_view doing,
                   std::string_view log) {
  notice(entry, code);
  check_alive();
  if (doing.empty()) check(api_, entry, code, log);
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                            std::string(doing) + ": " + describe(api_, entry, code), code);
}

}  // namespace patchbay::card
