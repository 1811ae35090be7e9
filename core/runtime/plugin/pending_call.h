// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A call that a plugin makes later, with one `user` pointer.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_PENDING_CALL_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_PENDING_CALL_H_

#include <cstdint>
#include <functional>

#include "patchbay/plugin/host.h"

namespace patchbay::runtime {

/// Calls `body` at most once, whatever the plugin does: `user` is a number that is used up by the
/// first call, not an address. Taken back on destruction, unless handed over. Thread-safe.
class PendingCall {
 public:
  /// Owns the status, which may be null. Destroyed after its call, by the thread that called it.
  using Body = std::function<void(patchbay_status*)>;

  /// `owner` is what take_back(owner) finds the call by; may be null.
  explicit PendingCall(Body body, const void* owner = nullptr);
  ~PendingCall();
  PendingCall(const PendingCall&) = delete;
  PendingCall& operator=(const PendingCall&) = delete;

  void* user() const;
  /// The plugin has accepted the call.
  void hand_over() { number_ = 0; }
  /// What the plugin calls, with `user`. Without effect after the first time, or once taken back.
  static void make(void* user, patchbay_status* status);
  /// Takes back the oldest call of the owner that was not made. Empty if there is none.
  static Body take_back(const void* owner);

 private:
  std::uintptr_t number_;  // 0: handed over
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_PENDING_CALL_H_
