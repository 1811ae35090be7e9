// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#ifndef PATCHBAY_DEVICE_H_
#define PATCHBAY_DEVICE_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/export.h"
#include "patchbay/memory.h"

namespace patchbay {

namespace runtime {
struct DeviceState;
}
class Runtime;
class Stream;

enum class DeviceKind : std::uint8_t { kCpu = 1, kAccelerator = 2 };
PATCHBAY_API std::string_view to_string(DeviceKind kind);

/// A device's name, checked but not looked up: `backend[:index]` with backend
/// [a-z][a-z0-9_]*, index 0..255 in decimal without leading zeros; "cpu" is "cpu:0".
struct PATCHBAY_API DeviceName {
  static constexpr int kMaxIndex = 255;
  std::string backend;
  int index = 0;

  /// Errors: kInvalidArgument, which quotes the whole text, says what is wrong and shows a valid
  /// example.
  static DeviceName parse(std::string_view text);
  std::string to_string() const;
  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

/// What a device is, as its plugin says; sizes in bytes.
struct DeviceProperties {
  std::string name, vendor, driver_version;
  std::string pci_address;              // empty if there is none
  std::array<std::uint8_t, 16> uuid{};  // zeros if there is none
  DeviceKind kind = DeviceKind::kCpu;
  bool f64 = false, f16 = false, bf16 = false;
  bool peer_access = false, unified_memory = false, modules = false;
  bool host_addressable = false;  // the host may touch its memory
  bool completes_inline = false;  // the default stream computes in the call that submits
  std::uint64_t memory_total_bytes = 0;
  std::uint32_t compute_units = 0;
  std::uint32_t preferred_vector_bytes = 0;
  std::uint32_t sub_group_width = 0;
  std::uint32_t max_group_size = 0;
};

/// A handle to one device of one runtime; equal handles are the same device. Copies are cheap and
/// keep the runtime alive. All calls are thread-safe.
class PATCHBAY_API Device {
 public:
  /// No device: every call on it but `defined` and comparison is an Error (kInvalidArgument).
  Device() noexcept = default;
  /// The device of that name (or `gpu[:i]`, the i-th accelerator) in the default runtime.
  /// Errors: kInvalidArgument for a bad name; kUnknownDevice, which lists what is there.
  Device(std::string_view name);  // NOLINT(google-explicit-constructor): t.to("cpu")
  Device(const char* name) : Device(std::string_view(name)) {}
  Device(const std::string& name) : Device(std::string_view(name)) {}
  Device(const Device&) = default;
  Device(Device&&) noexcept = default;
  /// Not of what has no name: `tensor.device() = gpu` would do nothing.
  Device& operator=(const Device&) & = default;
  Device& operator=(Device&&) & noexcept = default;
  ~Device() = default;

  /// False for a default-constructed handle, and for one that was moved from.
  bool defined() const noexcept { return state_ != nullptr; }
  /// "cpu:0"; parsing it gives the same device.
  const std::string& name() const;
  const std::string& backend() const;
  int index() const;
  DeviceKind kind() const;
  const DeviceProperties& properties() const;
  Runtime runtime() const;
  /// Asks the driver; opens the device if need be.
  DeviceMemory memory(MemoryKind kind = MemoryKind::kDevice) const;
  /// Gives the driver back what the runtime keeps and nothing uses. Blocks until work on freed
  /// blocks is done.
  void trim_memory() const;
  /// More than this is never taken of the driver's device memory, the runtime's cache included; 0:
  /// no limit. What is reserved already stays.
  void set_memory_limit(std::size_t size_bytes) const;
  /// From now on each buffer's memory comes from the application, without a cache in between; null:
  /// from the runtime's cache again. Buffers give back to where they took.
  void set_memory_resource(std::shared_ptr<MemoryResource> resource) const;
  /// The stream of tensor operations; opens the device if need be.
  Stream default_stream() const;
  /// Blocks until all that was submitted to the device is done. Errors: those of the submissions;
  /// kTimedOut when `timeout` passes first.
  void synchronize(std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max()) const;

  friend bool operator==(const Device& a, const Device& b) { return a.state_ == b.state_; }

  explicit Device(std::shared_ptr<runtime::DeviceState> state) : state_(std::move(state)) {}
  runtime::DeviceState& state() const { return *shared_state(); }
  const std::shared_ptr<runtime::DeviceState>& shared_state() const {
    if (state_ == nullptr) [[unlikely]]
      raise_undefined();
    return state_;
  }

 private:
  friend struct std::hash<Device>;
  [[noreturn]] static void raise_undefined();

  std::shared_ptr<runtime::DeviceState> state_;
};

PATCHBAY_API std::ostream& operator<<(std::ostream& out, const Device& device);

/// The device that creation uses when none is given: that of the innermost scope of this thread,
/// else that of set_default_device, else the default runtime's device that the setting `device`
/// (PATCHBAY_DEVICE) names, else its `cpu:0`. Errors: kUnknownDevice if it is not there.
PATCHBAY_API Device default_device();
/// Changes the default device of all threads, now and later. It keeps its runtime alive.
PATCHBAY_API void set_default_device(const Device& device);

/// Changes this thread's default device until the scope ends.
class PATCHBAY_API DefaultDeviceScope {
 public:
  explicit DefaultDeviceScope(const Device& device);
  ~DefaultDeviceScope();
  DefaultDeviceScope(const DefaultDeviceScope&) = delete;
  DefaultDeviceScope& operator=(const DefaultDeviceScope&) = delete;

 private:
  std::shared_ptr<runtime::DeviceState> previous_;
};

/// Accelerators of the default runtime; a card seen by two plugins counts once. Never throws for
/// want of a driver: `Runtime::explain()` has the reasons.
PATCHBAY_API int num_gpus();
/// The i-th accelerator, else `cpu:0`. Errors: kInvalidArgument for a negative i; kUnknownDevice if
/// `cpu:0` is wanted and hidden or not there.
PATCHBAY_API Device try_gpu(int i = 0);
/// All accelerators; `{cpu:0}` when there is none.
PATCHBAY_API std::vector<Device> try_all_gpus();

}  // namespace patchbay

template <>
struct std::hash<patchbay::Device> {
  std::size_t operator()(const patchbay::Device& device) const noexcept {
    return std::hash<const void*>()(device.state_.get());
  }
};

#endif  // PATCHBAY_DEVICE_H_
