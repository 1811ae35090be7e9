// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A device with all of its parts.
#ifndef PATCHBAY_CORE_RUNTIME_REGISTRY_DEVICE_ASSEMBLY_H_
#define PATCHBAY_CORE_RUNTIME_REGISTRY_DEVICE_ASSEMBLY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/runtime/device/device_state.h"
#include "core/runtime/kernel/kernel_cache.h"
#include "core/runtime/memory/allocator.h"
#include "core/runtime/stream/stream_state.h"

namespace patchbay::runtime {

/// Owned by its plugin's Backend.
class DeviceAssembly final : public DeviceState {
 public:
  DeviceAssembly(RuntimeState& runtime, PluginState& plugin, const DeviceInfo& info,
                 bool is_visible);
  ~DeviceAssembly();

  /// Opens the device in the application's context. Errors: kInUse if it is open.
  void open_in(std::uint64_t native_context);
  /// The device that is being opened, under the DriverLock.
  static const DeviceAssembly* opening() { return opening_; }
  /// Describes everything that lives on the device; empty if nothing does.
  std::string holders() const;
  /// Writes finished work of its streams to the trace and to profiles.
  void write_trace() noexcept;
  /// Writes the rest to the trace once all of its work has ended; ignores failures.
  void finish_trace() noexcept;
  /// Ends the work of the default stream, even work that would run for ever. Called at the end of
  /// the runtime, when nobody can wait for the work any more.
  void close_stream();
  /// Takes a plugin's scratch memory back, also while the plugin closes the device.
  void free_scratch(patchbay_memory memory) noexcept;
  /// Refuses every use from now on, at once and on every thread.
  void end_use();
  /// Releases the streams, the kernels and the device, after `end_use`. Nothing lives on it any
  /// more, and no allocator of the runtime keeps memory back for its streams.
  void close();
  /// Frees memory that only an open device needs: handles keep the object. The plugin is closed.
  void free_lists() noexcept { own_allocator_.free_lists(); }

  void synchronize(std::uint64_t deadline_ns) override;
  void finish_quietly() noexcept override;
  void lose(const FaultPtr& fault) override;
  void add_stream(StreamState& stream) override;
  void remove_stream(StreamState& stream) override;

  const bool visible;

 private:
  patchbay_device* open_slowly() override;
  bool ask_memory(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override;
  [[noreturn]] void raise_lost(std::string_view operation) const override;
  class OpenScope;
  void finish_opening(patchbay_device* opened);
  std::vector<std::shared_ptr<StreamState>> hold_streams() const;

  std::unique_ptr<StreamState> own_stream_;  // made when the device opens
  Allocator own_allocator_;
  KernelCache own_kernels_;
  static constinit const DeviceAssembly* opening_;

  output::NoDeliveryMutex open_mutex_;
  std::atomic<bool> has_ended_{false};  // set under open_mutex_
  bool has_asked_memory_ = false;       // under open_mutex_
  std::atomic<bool> closes_{false};     // close_device is running
  mutable std::mutex streams_mutex_;
  std::vector<StreamState*> streams_;
  FaultPtr lost_;  // under streams_mutex_
};

}  // namespace patchbay::runtime

#endif  // PATCHBAY_CORE_RUNTIME_REGISTRY_DEVICE_ASSEMBLY_H_
