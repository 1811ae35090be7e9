// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One device of one runtime: its names, its open handle, its default stream and its kernels.
#ifndef PATCHBAY_CORE_RUNTIME_DEVICE_DEVICE_STATE_H_
#define PATCHBAY_CORE_RUNTIME_DEVICE_DEVICE_STATE_H_

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/device.h"
#include "patchbay/plugin/abi.h"

#include "core/runtime/memory/allocator.h"
#include "core/runtime/memory/driver_memory.h"
#include "core/base/fork.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

struct PluginState;
struct RuntimeState;

struct DeviceState {
  DeviceState(RuntimeState& runtime, PluginState& plugin, std::uint32_t plugin_index);
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState();

  /// Opens the device at the first call. Errors: what the driver reports; kUnknownDevice once the
  /// plugin is unloaded; kDeviceLost in a forked process.
  patchbay_device* open(std::string_view operation = "Device") {
    check_home(operation);
    patchbay_device* opened = handle.load(std::memory_order_acquire);
    return opened != nullptr ? opened : open_slowly();
  }
  /// Opens it in a context of the application's. Errors: kInUse if it is open.
  void open_in(std::uint64_t native_context);
  /// A handle that keeps the runtime alive.
  std::shared_ptr<DeviceState> shared();
  /// Everything that lives on the device, in words; empty if nothing does.
  std::string holders() const;
  /// Blocks until all that was submitted to any of its streams is done.
  void synchronize(std::uint64_t deadline_ns);
  /// The same for what failed too, which has ended.
  void finish_quietly() noexcept;
  /// Writes to the trace what is known to have ended on its streams.
  void write_trace() noexcept;
  /// The flags to create a stream with, for which the program asked for these.
  std::uint32_t stream_flags(std::uint32_t wanted) const;
  /// Whether the driver's memory is kept when it is freed.
  bool caches_memory() const;
  /// All streams report this from now on, new ones too.
  void lose(const FaultPtr& fault);
  /// For what would not ask the plugin. Errors: kDeviceLost.
  void check_alive(std::string_view operation) const {
    if (is_lost_.load(std::memory_order_relaxed)) raise_lost(operation);
  }
  /// Errors: kDeviceLost in a process that was forked after the runtime was made.
  void check_home(std::string_view operation) const { home.check(operation, name_text); }
  void add_stream(StreamState& stream);
  void remove_stream(StreamState& stream);
  [[noreturn]] void raise_gone() const;
  /// Releases streams, kernels and the device itself. Nothing lives on it any more, and no
  /// allocator of the runtime holds memory back for its streams.
  void close();

  const HomeProcess home;
  RuntimeState& runtime;
  PluginState& plugin;
  const std::uint32_t plugin_index;
  DeviceName name;
  std::string name_text;
  DeviceProperties properties;
  std::uint64_t host_addressable_kinds = 0;
  std::uint64_t alignment_bytes = 64;
  bool has_addresses = false;  // base and offset of its memory add up to an address
  std::int32_t dlpack_device_type = 0, dlpack_device_id = 0;
  bool visible = true;

  std::atomic<patchbay_device*> handle{nullptr};
  std::unique_ptr<StreamState> default_stream;  // made by open, closed by close
  /// For copies beside the default stream's work: of the thread whose turn it is to make one.
  std::unique_ptr<StreamState> transfer_stream;
  const std::shared_ptr<DeviceLink> link = std::make_shared<DeviceLink>(this);
  Allocator allocator;
  KernelCache kernels;
  // Modules and prepared kernels count from before they are compiled: the plugin stays meanwhile.
  std::atomic<std::uint32_t> num_streams{0};  // made so far, but for the default one
  std::atomic<std::int64_t> live_events{0}, live_modules{0}, live_preparations{0};
  std::atomic<std::int64_t> live_wraps{0};  // buffers that borrow the application's memory

 private:
  patchbay_device* open_slowly();
  std::vector<std::shared_ptr<StreamState>> hold_streams() const;
  void finish_opening(patchbay_device* opened);
  [[noreturn]] void raise_lost(std::string_view operation) const;

  std::mutex open_mutex_;
  bool closed_ = false;
  mutable std::mutex streams_mutex_;
  std::vector<StreamState*> streams_;
  FaultPtr lost_;  // under streams_mutex_
  std::atomic<bool> is_lost_{false};
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_DEVICE_DEVICE_STATE_H_
