// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The context of a device (its primary one, or the application's), through which every call on that
// device goes.
#ifndef PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CONTEXT_HPP_
#define PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CONTEXT_HPP_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

#include "cuda-cublas/api/symbols.hpp"
#include "cuda-cublas/device/launches.hpp"

namespace patchbay::cuda {

/// A primary context is retained as long as this object lives; the application's has no count, and
/// the application keeps it. An error that breaks it loses the device: from then on
/// every call throws what happened first.
class Context {
 public:
  /// Throws if the context that is given is not of this device. Null: the primary one.
  Context(const DriverTable& driver, DeviceNumber device, std::uint32_t index,
          NativeContext adopted);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DriverTable& driver() const { return driver_; }
  NativeContext native() const { return native_; }
  DeviceNumber device() const { return device_; }
  std::uint32_t index() const { return index_; }
  Launches& launches() { return launches_; }

  /// Calls an entry of the table with this context current; throws unless it succeeds.
  template <class... P, class... A>
  void call(const Entry<int(P...)>& entry, A... arguments) {
    const Result code = attempt(entry, arguments...);
    if (code != kSuccess) fail(entry.name, code);
  }
  /// The same, for codes that the caller understands. Throws if the device was lost before.
  template <class... P, class... A>
  int attempt(const Entry<int(P...)>& entry, A... arguments) {
    check_alive();
    const Current current(*this);
    if (current.code() != kSuccess) throw_unusable(current.code());
    return entry(arguments...);
  }
  /// For destructors: errors are ignored. Does nothing if the context can't be made current, for
  /// the entry would then work in another one.
  template <class... P, class... A>
  void call_quietly(const Entry<int(P...)>& entry, A... arguments) noexcept {
    const Current current(*this);
    if (current.code() == kSuccess) entry(arguments...);
  }

  /// Throws what the code of an entry means; `doing` (a launch's name) goes before it, what the
  /// driver noted after it.
  [[noreturn]] void fail(std::string_view entry, Result code, std::string_view doing = {},
                         std::string_view log = {});
  /// Loses the device if the code says so.
  void notice(std::string_view entry, Result code);
  void check_alive() {
    if (is_lost_.load(std::memory_order_acquire)) throw_lost();
  }
  /// Whether this device can read the memory of that one without the host.
  bool can_access(const Context& peer) const;
  /// Lets this device do so, once, if it can; without it the driver copies through the host.
  void enable_access(const Context& peer);

  bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
  /// What a lost device says.
  std::string why_lost();

 private:
  /// Makes the context current on this thread and puts back what was: the thread is the program's,
  /// which may use the driver itself.
  class Current {
   public:
    explicit Current(const Context& context) noexcept;
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

    /// What the driver said. Unless it is kSuccess, another context may be current.
    Result code() const noexcept { return code_; }

   private:
    const Context& context_;
    NativeContext before_ = nullptr;
    Result code_;
    bool is_changed_ = false;
  };

  void check_adopted() const;
  void lose(std::string_view entry, Result code, std::string_view reason = {});
  [[noreturn]] void throw_lost();
  /// The context can't be made current any more: the device is lost, with the reason.
  [[noreturn]] void throw_unusable(Result code);

  const DriverTable& driver_;
  const DeviceNumber device_;
  const std::uint32_t index_;
  const bool is_adopted_;
  NativeContext native_ = nullptr;
  Launches launches_;
  std::atomic<bool> is_lost_{false};
  std::mutex mutex_;
  std::set<std::uint32_t> peers_;  // whose access was enabled
  std::string why_lost_;           // written once, before is_lost_
  Result lost_code_ = kSuccess;
};

}  // namespace patchbay::cuda

#endif  // PATCHBAY_PLUGINS_CUDA_CUBLAS_DEVICE_CONTEXT_HPP_
