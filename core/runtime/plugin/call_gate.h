// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Keeps a plugin from being unloaded while a thread is in a call to it.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "core/base/counted.h"

namespace patchbay::runtime {

/// Counts the calls of one plugin that nothing else protects. An object that lives on a device
/// makes `unload` refuse; a call that only has the device, or makes such an object, passes here.
class CallGate {
 public:
  class Call;
  class Closed;

  /// Whether this thread is in a call that passed a gate, of any plugin: the plugin, or the core
  /// within the call, has called the program back.
  static bool is_inside() noexcept;

 private:
  /// Where this thread is, the innermost first.
  struct Place {
    const CallGate* gate;
    const Place* outer;
  };
  struct alignas(64) Count {
    std::atomic<std::int64_t> value{0};
  };

  bool has_this_thread() const noexcept;
  std::int64_t num_calls() const noexcept;

  static thread_local const Place* innermost;

  std::array<Count, kThreadShards> counts_{};
  std::atomic<bool> is_closed_{false};
};

/// Lives during a call. Waits while another thread keeps the gate closed, unless this thread is
/// inside already.
class CallGate::Call {
 public:
  explicit Call(CallGate& gate) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  std::atomic<std::int64_t>& count_;
  const Place place_;
};

/// Keeps other threads' calls out while it lives. One for each gate at a time.
class CallGate::Closed {
 public:
  explicit Closed(CallGate& gate) noexcept;
  ~Closed();
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;

  /// Waits for the calls that passed before, at most for a tenth of a second. Returns false if some
  /// still run.
  bool waits_for_calls() const;

 private:
  CallGate& gate_;
  const Place place_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_
