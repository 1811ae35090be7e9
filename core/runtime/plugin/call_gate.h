// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Keeps a plugin from being unloaded while a thread is in a call to it.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_

#include <atomic>
#include <cstdint>
#include <thread>

#include "core/output/delivery.h"

namespace patchbay::runtime {

/// Counts the running calls to one plugin. An object on a device keeps the plugin loaded; a call
/// that has only the device, or that makes such an object, is counted here.
class CallGate {
 public:
  class Call;

  /// Whether this thread is in a counted call, of any plugin. A function of the program's is then
  /// called within that call.
  static bool is_inside() noexcept { return depth != 0; }
  /// Lets no call begin until `open`, and waits up to 0.1 s for the calls that began before.
  /// Returns false if some still run. The caller is not inside.
  bool close() noexcept;
  void open() noexcept;
  /// Called by the thread that closes the plugin. The calls of other threads are late from now on,
  /// and none waits: the plugin may wait for their threads.
  void end() noexcept;
  /// Whether a call would begin at once. For a thread that has counted itself where the one that
  /// closes the gate looks after `close`: it may then go on without a Call, if it calls no plugin.
  bool is_open() const noexcept { return (state_.load() & kClosed) == 0 && !is_late(); }
  bool is_late() const noexcept {
    const std::thread::id closer = closer_.load();
    return closer != std::thread::id() && closer != std::this_thread::get_id();
  }

 private:
  static constexpr std::uint32_t kClosed = 1, kOneCall = 2;
  static constinit thread_local int depth;  // of this thread's calls

  alignas(64) std::atomic<std::uint32_t> state_{0};
  std::atomic<std::thread::id> closer_{};
};

/// Lives during a call. Waits while the gate is closed, but not within a call that `close` waits
/// for.
class CallGate::Call {
 public:
  explicit Call(CallGate& gate) noexcept;
  /// Calls refuse(), which throws, for a call that comes too late.
  template <class Refuse>
  Call(CallGate& gate, const Refuse& refuse) : Call(gate) {
    if (gate.is_late()) refuse();
  }
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  const output::NoDelivery no_delivery_;  // a sink may unload the plugin
  CallGate& gate_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_
