// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One device of one runtime.
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_DEVICE_STATE_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_DEVICE_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>

#include "patchbay/plugin/abi.h"

#include "core/base/fork.h"
#include "core/runtime/plugin/call_gate.h"
#include "core/runtime/plugin/device_info.h"

namespace patchbay::runtime {

class Allocator;
struct DeviceState;
struct Fault;
class KernelCache;
struct PluginState;
struct RuntimeState;
struct StreamState;

/// A link to a device for objects that may outlive it: null once the device is gone.
struct DeviceLink {
  explicit DeviceLink(DeviceState* there) : device(there) {}
  const base::HomeProcess home;
  std::shared_mutex mutex;
  DeviceState* device;
};

/// A device: its constant description, its handle once it is open, and its stream, memory and
/// kernels, which higher folders define and `DeviceAssembly` (registry/) owns.
struct DeviceState {
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  /// Keeps the plugin loaded while the result lives. For calls to the plugin that hold no object
  /// of the device. Errors: kUnknownDevice once the plugin is being closed, except on the thread
  /// that closes it, whose `open` fails; kDeviceLost in a forked process.
  [[nodiscard]] CallGate::Call enter(std::string_view operation) const;
  /// Opens the device at the first call. Errors: what the driver reports; kUnknownDevice once the
  /// plugin is being closed; kDeviceLost in a forked process.
  patchbay_device* open(std::string_view operation = "Device") {
    check_home(operation);
    patchbay_device* opened = handle.load(std::memory_order_acquire);
    return opened != nullptr ? opened : open_slowly();
  }
  /// Asks for the driver's free and total bytes without opening the device. Returns false if it is
  /// open, or its plugin can't tell. Errors: those of `open`, but for the driver's.
  virtual bool ask_memory(std::uint64_t& free_bytes, std::uint64_t& total_bytes) = 0;
  /// A handle that keeps the runtime alive, and the device's entry in it.
  std::shared_ptr<DeviceState> shared();
  /// Whether a handle exists. Once the plugin is closed, no call makes the first one.
  bool has_handles() const;
  /// Blocks until everything submitted to its streams is done. The caller has called `enter`.
  virtual void synchronize(std::uint64_t deadline_ns) = 0;
  /// Blocks until everything submitted to its streams has ended, ignoring failures.
  virtual void finish_quietly() noexcept = 0;
  /// The flags to create a stream with if the program asked for `wanted`.
  std::uint32_t stream_flags(std::uint32_t wanted) const;
  /// Whether freed memory is kept for later allocations.
  bool caches_memory() const;
  /// Makes all streams, new ones too, report this fault from now on.
  virtual void lose(const std::shared_ptr<const Fault>& fault) = 0;
  bool is_lost() const { return is_lost_.load(std::memory_order_relaxed); }
  /// For calls that don't ask the plugin. Errors: kDeviceLost.
  void check_alive(std::string_view operation) const {
    if (is_lost()) raise_lost(operation);
  }
  /// Errors: kDeviceLost in a process that was forked after the runtime was made.
  void check_home(std::string_view operation) const { home.check(operation, info.name_text); }
  /// Whether a destructor may call the plugin: not in a forked process, and not while the process
  /// ends.
  bool is_callable() const noexcept;
  virtual void add_stream(StreamState& stream) = 0;
  virtual void remove_stream(StreamState& stream) = 0;
  /// Errors: kUnknownDevice, always: the plugin was unloaded.
  [[noreturn]] void raise_gone() const;

  const base::HomeProcess home;
  RuntimeState& runtime;
  PluginState& plugin;
  const DeviceInfo& info;

  std::atomic<patchbay_device*> handle{nullptr};  // null again before the device is closed
  /// The handle until the device is closed: for giving back what the plugin has made.
  std::atomic<patchbay_device*> closing_handle{nullptr};
  StreamState* default_stream = nullptr;  // null until the device is open
  /// For copies beside the default stream's work; used only by the thread whose turn it is.
  std::unique_ptr<StreamState, void (*)(StreamState*)> transfer_stream{nullptr, nullptr};
  Allocator* allocator = nullptr;
  KernelCache* kernels = nullptr;
  const std::shared_ptr<DeviceLink> link = std::make_shared<DeviceLink>(this);
  /// Expires with the device, whose end waits for those who have locked it for a call. It keeps
  /// neither the runtime nor the device's entry.
  std::shared_ptr<const void> life = std::make_shared<char>();
  // Modules and kernels are counted before they are compiled, which keeps the plugin loaded.
  std::atomic<std::uint32_t> num_streams{0};  // created so far, without the default one
  std::atomic<std::int64_t> live_events{0}, live_modules{0}, live_preparations{0};
  std::atomic<std::int64_t> live_wraps{0};  // buffers that wrap the application's memory

 protected:
  DeviceState(RuntimeState& runtime, PluginState& plugin, const DeviceInfo& info);
  ~DeviceState() = default;

  std::atomic<bool> is_lost_{false};

 private:
  struct Holder;  // what all handles share

  virtual patchbay_device* open_slowly() = 0;
  [[noreturn]] virtual void raise_lost(std::string_view operation) const = 0;

  mutable std::mutex holder_mutex_;
  std::weak_ptr<Holder> holder_;  // null or expired without a handle
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_DEVICE_STATE_H_
