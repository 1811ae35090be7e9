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

/// The name of a device, which need not exist: `backend[:index]`. The backend is [a-z][a-z0-9_]*,
/// the index a decimal number from 0 to 255 without leading zeros. "cpu" is "cpu:0".
struct PATCHBAY_API DeviceName {
  static constexpr int kMaxIndex = 255;
  std::string backend;
  int index = 0;

  /// Errors: kInvalidArgument, which quotes the text, says what is wrong and shows a valid name.
  static DeviceName parse(std::string_view text);
  std::string to_string() const;
  friend bool operator==(const DeviceName&, const DeviceName&) = default;
};

/// The properties of a device, as its plugin reports them. Sizes are in bytes.
struct DeviceProperties {
  std::string name, vendor, driver_version;
  std::string pci_address;              // "0000:65:00.0"; empty if there is none
  std::array<std::uint8_t, 16> uuid{};  // zeros if there is none
  DeviceKind kind = DeviceKind::kCpu;
  bool f64 = false, f16 = false, bf16 = false;
  bool peer_access = false, modules = false;
  bool unified_memory = false;         // shares its physical memory with the host
  bool unified_buffers = false;        // has memory of MemoryKind::kUnified
  bool stream_priorities = false;      // StreamOptions::priority has an effect
  bool pageable_copies_block = false;  // see docs/copies.md
  bool host_addressable = false;       // the host may read and write its memory
  bool completes_inline = false;       // the default stream computes in the call that submits
  std::uint64_t memory_total_bytes = 0;
  std::uint32_t compute_units = 0;
  std::uint32_t preferred_vector_bytes = 0;
  std::uint32_t sub_group_width = 0;
  std::uint32_t max_group_size = 0;
  // Not known if empty or 0.
  std::string architecture;  // as its compiler calls it: "sm_90", "gfx90a"
  std::uint64_t l2_cache_bytes = 0;
  std::uint64_t shared_memory_bytes = 0;  // the most that one group of a kernel can have
  std::uint32_t clock_khz = 0;            // the highest, of the compute units
  std::uint32_t memory_clock_khz = 0;     // the highest
  int numa_node = -1;                     // of the PCI device; -1 if not known
};

/// Whether both are the same card, seen by two plugins: their PCI addresses are equal, or their
/// UUIDs where an address is not known. False if neither is known.
PATCHBAY_API bool is_same_hardware(const DeviceProperties& a, const DeviceProperties& b);

/// A handle to one device of one runtime. Equal handles are the same device. Copies are cheap and
/// keep the runtime alive. All calls are thread-safe.
class PATCHBAY_API Device {
 public:
  /// No device. Every call on it except `defined` and comparison throws kInvalidArgument.
  Device() noexcept = default;
  /// The device of that name, or the i-th accelerator (`gpu[:i]`), of the default runtime. Opens
  /// its plugin. Errors: kInvalidArgument for a bad name; kUnknownDevice, which lists the devices.
  Device(std::string_view name);  // NOLINT(google-explicit-constructor): t.to("cpu")
  Device(const char* name) : Device(std::string_view(name != nullptr ? name : "")) {}
  Device(const std::string& name) : Device(std::string_view(name)) {}
  Device(const Device&) = default;
  Device(Device&&) noexcept = default;
  /// Only for named handles: `tensor.device() = gpu` would do nothing.
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
  /// Memory statistics. Asks the driver; opens the device only if its plugin needs that to tell.
  DeviceMemory memory(MemoryKind kind = MemoryKind::kDevice) const;
  /// Returns unused cached memory to the driver. Blocks until work on freed blocks is done.
  void trim_memory() const;
  /// Limits the device memory that the runtime allocates from the driver, including its cache. 0:
  /// no limit. Memory that is already allocated stays.
  void set_memory_limit(std::size_t size_bytes) const;
  /// The memory of later buffers comes from this resource, without a cache. Null: from the
  /// runtime's cache again. A buffer always releases its memory to the resource that it came from.
  void set_memory_resource(const std::shared_ptr<MemoryResource>& resource) const;
  /// The stream of tensor operations. Opens the device if it is not open.
  Stream default_stream() const;
  /// Blocks until all work submitted to the device is done. Errors: those of the submissions;
  /// kTimedOut if `timeout` passes first.
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

/// The device of new tensors that name none: the device of this thread's innermost
/// DefaultDeviceScope, else of set_default_device, else of the setting `device` (PATCHBAY_DEVICE)
/// in the default runtime, else first_cpu(). Errors: kUnknownDevice if there is no such device.
PATCHBAY_API Device default_device();
/// Sets the default device of all threads, including later ones. It keeps its runtime alive.
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

/// The number of accelerators of the default runtime. A card that two plugins see counts once. 0 if
/// there is no driver: `Runtime::explain()` gives the reasons.
PATCHBAY_API int num_gpus();
/// The first visible CPU device whose memory the host can address: `cpu:0` unless it is hidden.
/// Errors: kUnknownDevice if there is none; an accelerator never takes its place.
PATCHBAY_API Device first_cpu();
/// The i-th accelerator, else first_cpu(). Errors: kInvalidArgument for a negative i; those of
/// first_cpu.
PATCHBAY_API Device try_gpu(int i = 0);
/// All accelerators, or `{first_cpu()}` if there is none.
PATCHBAY_API std::vector<Device> try_all_gpus();

}  // namespace patchbay

template <>
struct std::hash<patchbay::Device> {
  std::size_t operator()(const patchbay::Device& device) const noexcept {
    return std::hash<const void*>()(device.state_.get());
  }
};

#endif  // PATCHBAY_DEVICE_H_
