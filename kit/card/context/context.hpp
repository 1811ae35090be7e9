// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The context of a device: its primary one, or the application's. Every call on the device uses it.
#ifndef PATCHBAY_KIT_CARD_CONTEXT_CONTEXT_HPP_
#define PATCHBAY_KIT_CARD_CONTEXT_CONTEXT_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"
#include "patchbay/plugin/kit/objects.hpp"

#include "kit/call_gate.hpp"
#include "kit/card/api/entries.hpp"

namespace patchbay::card {

/// A position on a stream: all launches up to a number.
struct Position {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
};

/// The launches of one device that are not known to be done. The driver does not report which
/// launch failed, so an error names all launches that may have. Thread-safe; does not allocate.
class Launches {
 public:
  /// A number for a new stream.
  std::uint64_t new_stream();
  void note(std::uint64_t stream, std::string_view name);
  /// The last position on a stream.
  Position last(std::uint64_t stream);
  /// Removes the launches up to a position, which are done.
  void forget(const Position& done);
  /// "'add.1'", or "one of 'add.1', 'saxpy'", oldest first; empty if no launch is pending.
  std::string names();

 private:
  struct Launch {
    Position position;
    std::array<char, 47> name;
    std::uint8_t size;
  };
  static constexpr std::size_t kKept = 64;  // older ones are overwritten

  std::mutex mutex_;
  std::uint64_t num_streams_ = 0;
  std::uint64_t num_launches_ = 0;
  std::array<Launch, kKept> launches_{};  // stream 0: none
};

/// Retains a primary context while this object exists. The application's context is not counted;
/// the application keeps it. An error that breaks the context loses the device: every later call
/// throws that first error.
class Context {
 public:
  /// `adopted` must be a context of this device; else throws. Null selects the primary one. The
  /// gate is closed when the process ends.
  Context(const Api& api, CallGate& gate, DeviceNumber device, std::uint32_t index,
          NativeContext adopted);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Api& api() const { return api_; }
  CallGate& gate() { return gate_; }
  NativeContext native() const { return native_; }
  DeviceNumber device() const { return device_; }
  std::uint32_t index() const { return index_; }
  Launches& launches() { return launches_; }

  /// Calls an entry of the table with this context current; throws unless it succeeds.
  template <class... P, class... A>
  void call(const Entry<int(P...)>& entry, A&&... arguments) {
    const Result code = attempt(entry, arguments...);
    if (code != kSuccess) fail(entry.name, code);
  }
  /// Calls an entry likewise and returns its code. Throws if the device is lost already, or the
  /// process is ending.
  template <class... P, class... A>
  int attempt(const Entry<int(P...)>& entry, A&&... arguments) {
    const CallGate::Pass pass(gate_);
    if (!pass) refuse_at_process_end();
    return attempt_inside(entry, arguments...);
  }
  /// `call` of an entry that waits for work. The end of the process does not wait for it, so the
  /// driver may be gone when it returns.
  template <class... P, class... A>
  void wait(const Entry<int(P...)>& entry, A&&... arguments) {
    const Result code = [&] {
      std::optional<Current> current;
      {
        const CallGate::Pass pass(gate_);
        if (!pass) refuse_at_process_end();
        check_alive();
        current.emplace(*this, /*outlasts_pass=*/true);
        if (current->code() != kSuccess) throw_unusable(current->code());
      }
      return entry(arguments...);
    }();
    if (code == kSuccess) return;
    if (gate_.is_closed()) refuse_at_process_end();
    fail(entry.name, code);
  }
  /// For destructors: errors are ignored. Does nothing if the context can't be made current,
  /// because the call would affect another context.
  template <class... P, class... A>
  Result call_quietly(const Entry<int(P...)>& entry, A&&... arguments) noexcept {
    const CallGate::Pass pass(gate_);
    if (!pass) return kErrorDeinitialized;
    const Current current(*this);
    return current.code() == kSuccess ? entry(arguments...) : current.code();
  }

  /// Throws the error for an entry's code. The message starts with `doing` (a launch's name) and
  /// ends with the driver's own explanation.
  [[noreturn]] void fail(std::string_view entry, Result code, std::string_view doing = {},
                         std::string_view log = {});
  /// For check_room: the failure is out of memory, however much is free.
  static constexpr std::uint64_t kAnyRoom = std::numeric_limits<std::uint64_t>::max();
  /// Throws out of memory, retryable, if no more than `enough_bytes` are free: a full device may
  /// cause `failure`, and `code` has other causes too. Else returns "N of M bytes are free".
  std::string check_room(const std::string& failure, Result code, std::uint64_t enough_bytes);
  /// Throws the error for an object of the application ("stream") that belongs elsewhere.
  [[noreturn]] void refuse_others(const std::string& object) const;
  /// Marks the device as lost if the code means that.
  void notice(std::string_view entry, Result code);
  void check_alive() {
    if (is_lost_.load(std::memory_order_acquire)) throw_lost();
  }
  /// Whether this device can access the peer's memory without the host.
  bool can_access(const Context& peer) const;
  /// Enables this access, once, if possible. Otherwise the driver copies through the host.
  void enable_access(const Context& peer);

  bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
  /// The error of a lost device.
  std::string why_lost();

 private:
  /// Makes the context current on this thread and restores the previous one afterwards: the
  /// application may use the driver on the same thread.
  class Current {
   public:
    /// Make it under a pass of the gate. It may outlast the pass if `outlasts_pass`.
    explicit Current(const Context& context, bool outlasts_pass = false) noexcept;
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

    /// The driver's result. Unless it is kSuccess, another context may be current.
    Result code() const noexcept { return code_; }

   private:
    const Context& context_;
    const bool outlasts_pass_;
    NativeContext before_ = nullptr;
    Result code_;
    bool is_changed_ = false;
  };

  template <class... P, class... A>
  int attempt_inside(const Entry<int(P...)>& entry, A&&... arguments) {
    check_alive();
    const Current current(*this);
    if (current.code() != kSuccess) throw_unusable(current.code());
    return entry(arguments...);
  }

  void check_adopted() const;
  void lose(std::string_view entry, Result code, std::string_view reason = {});
  [[noreturn]] void throw_lost();
  /// Throws the reason why the context can't be made current: the device is lost.
  [[noreturn]] void throw_unusable(Result code);

  const Api& api_;
  CallGate& gate_;
  const DeviceNumber device_;
  const std::uint64_t id_;  // of this object: a device that is opened again has another
  const std::uint32_t index_;
  const bool is_adopted_;
  NativeContext native_ = nullptr;
  Launches launches_;
  std::atomic<bool> is_lost_{false};
  std::mutex mutex_;
  std::set<std::uint64_t> peers_;  // peers whose access was enabled, by id
  std::string why_lost_;           // written once, before is_lost_
  Result lost_code_ = kSuccess;
};

/// A device as the streams of other devices see it. Every device of a card's plugin is one.
class PeerDevice : public plugin::Device {
 public:
  PeerDevice(const Api& api, CallGate& gate, DeviceNumber number, std::uint32_t index,
             NativeContext adopted)
      : context_(api, gate, number, index, adopted) {}

  Context& context() { return context_; }

 protected:
  Context context_;
};

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_CONTEXT_CONTEXT_HPP_
