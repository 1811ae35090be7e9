// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Keeps a plugin from being unloaded while a thread is in a call to it.
#ifndef PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_
#define PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "core/base/counted.h"
#include "core/output/delivery.h"

namespace patchbay::runtime {

/// Counts the running calls to one plugin. An object on a device keeps the plugin loaded; a call
/// that has only the device, or that makes such an object, is counted here.
class CallGate {
 public:
  class Call;
  class Closed;
  class Ended;

  /// Whether this thread is in a counted call, of any plugin. A function of the program's is then
  /// called within that call.
  static bool is_inside() noexcept;

 private:
  enum class State : std::uint8_t { kOpen, kClosed, kEnded };
  /// Lives while this thread is inside a gate.
  class EntryMark;
  struct alignas(64) Count {
    std::atomic<std::int64_t> value{0};
  };

  std::int64_t num_calls() const noexcept;

  std::array<Count, kThreadShards> counts_{};
  std::atomic<State> state_{State::kOpen};
};

class CallGate::EntryMark {
 public:
  explicit EntryMark(const CallGate& gate) noexcept : gate_(gate), outer_(innermost) {
    innermost = this;
  }
  ~EntryMark() { innermost = outer_; }
  EntryMark(const EntryMark&) = delete;
  EntryMark& operator=(const EntryMark&) = delete;

  /// Whether this thread was inside the gate before.
  bool is_nested() const noexcept;
  const CallGate& gate() const noexcept { return gate_; }

  static constinit thread_local const EntryMark* innermost;

 private:
  const NoDelivery no_delivery_;  // a sink may unload the plugin
  const CallGate& gate_;
  const EntryMark* const outer_;
};

/// Lives during a call. Waits while another thread keeps the gate closed, unless this thread is
/// inside already.
class CallGate::Call {
 public:
  explicit Call(CallGate& gate) noexcept;
  /// Waits likewise, but calls refuse(), which throws, for a call that comes too late.
  template <class Refuse>
  Call(CallGate& gate, const Refuse& refuse) : Call(gate) {
    if (is_late()) refuse();
  }
  ~Call() { count_.fetch_sub(1, std::memory_order_release); }

  /// Whether the gate has ended, and this thread is not inside.
  bool is_late() const noexcept;

 private:
  const EntryMark place_;
  std::atomic<std::int64_t>& count_;
};

/// Lets no call of another thread begin while it lives. A gate has at most one.
class CallGate::Closed {
 public:
  explicit Closed(CallGate& gate) noexcept : place_(gate), gate_(gate) {
    gate_.state_.store(State::kClosed);
  }
  ~Closed();

  /// Waits up to 0.1 s for the calls that began before. Returns false if some still run.
  bool wait_for_calls() const;

 private:
  const EntryMark place_;
  CallGate& gate_;
};

/// Made by the thread that closes the plugin, which is inside while it lives. From then on the gate
/// holds no call up: threads that the plugin waits for may make one.
class CallGate::Ended {
 public:
  explicit Ended(CallGate& gate) noexcept;

 private:
  const EntryMark place_;
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_PLUGIN_CALL_GATE_H_
