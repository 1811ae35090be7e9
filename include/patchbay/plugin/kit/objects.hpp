// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The abstract classes from which a C++ plugin derives. An exception becomes a status.
//
// plugin/tables.h states the contract of each call (threads, ownership, what is queued). Functions
// that are not pure virtual behave like an absent entry.
#ifndef PATCHBAY_PLUGIN_KIT_OBJECTS_HPP_
#define PATCHBAY_PLUGIN_KIT_OBJECTS_HPP_

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "patchbay/plugin/kit/host.hpp"
#include "patchbay/plugin/tables.h"

namespace patchbay::plugin {

using Memory = patchbay_memory;
using Arguments = std::span<const patchbay_argument>;
using ArgumentSpecs = std::span<const patchbay_argument_spec>;

namespace detail {
struct Thunks;

/// The base of every object that the core holds: the host, which creates statuses. The kit sets it
/// after construction; constructors that need the Host take it as an argument.
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
  Host host() const { return host_; }

 private:
  friend struct Thunks;
  Host host_;
};
}  // namespace detail

class Device;

/// A position on a stream.
class Event : public detail::Object {
 public:
  virtual bool is_done() = 0;
  /// Returns false if the deadline passes first.
  virtual bool wait(std::uint64_t deadline_ns) = 0;
  /// Whether pthread_cancel may end wait() by an exception, which has to leave all as it was. A
  /// wait within a driver may not.
  virtual bool is_cancellable() const noexcept { return false; }
  virtual std::uint64_t nanoseconds_since(Event& earlier);
};

/// The function that a stream calls once all earlier work is done or has failed, on any thread.
/// Move-only.
class Callback {
 public:
  Callback(const patchbay_host* host, void (*call)(void* user, patchbay_status*), void* user)
      : host_(host), call_(call), user_(user) {}
  Callback(Callback&& other) noexcept
      : host_(other.host_), call_(std::exchange(other.call_, nullptr)), user_(other.user_) {}
  Callback(const Callback&) = delete;
  Callback& operator=(Callback) = delete;

  /// Runs `wait`, then calls the function with success or the error that `wait` threw. Does nothing
  /// a second time.
  template <class Wait>
  void call_after(const Wait& wait) noexcept {
    patchbay_status* const status = detail::guarded(host_, wait);
    if (const auto call = std::exchange(call_, nullptr)) return call(user_, status);
    Host(host_).release(status);
  }

 private:
  const patchbay_host* host_;
  void (*call_)(void* user, patchbay_status*);
  void* user_;
};

/// An in-order queue. Copies never have 0 bytes.
class Stream : public detail::Object {
 public:
  virtual void copy_to_device(Memory to, const void* from, std::uint64_t size_bytes) = 0;
  virtual void copy_to_host(void* to, Memory from, std::uint64_t size_bytes) = 0;
  virtual void copy_on_device(Memory to, Memory from, std::uint64_t size_bytes) = 0;
  virtual void copy_to_peer(Device& to_device, Memory to, Memory from, std::uint64_t size_bytes);
  virtual void record(Event& event) = 0;
  virtual void wait_event(Event& event) = 0;
  virtual void flush() = 0;
  /// Returns false if the deadline passes first.
  virtual bool synchronize(std::uint64_t deadline_ns) = 0;
  /// Whether synchronize() may be cancelled: see Event::is_cancellable.
  virtual bool is_cancellable() const noexcept { return false; }
  virtual void add_callback(Callback callback);
};

/// Holds everything about an operation that is expensive to prepare, such as compiled code. May be
/// launched from several streams at once.
class Kernel : public detail::Object {
 public:
  virtual std::uint64_t workspace_bytes() const { return 0; }
  /// Whether launch() has a cancellation point: a wait, a file, a driver. A launch without one need
  /// not hold pthread_cancel off, which takes as long as a small call.
  virtual bool has_cancellation_points() const noexcept { return true; }
  virtual void launch(Stream& stream, Arguments arguments, Memory workspace,
                      std::string_view name) = 0;
  /// Only for kernels of modules.
  virtual void launch_grid(Stream& stream, std::span<const std::uint32_t, 3> groups,
                           std::span<const std::uint32_t, 3> group_size, std::uint32_t shared_bytes,
                           Arguments arguments, std::string_view name);
};

/// Code that the user compiles.
class Module : public detail::Object {
 public:
  virtual std::unique_ptr<Kernel> kernel(std::string_view name, ArgumentSpecs arguments) = 0;
};

/// Allocates memory of one device. It does no caching; the core does.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// Commits the memory: throws PATCHBAY_OUT_OF_MEMORY if the size is not available.
  virtual Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) = 0;
  virtual void release(std::uint32_t memory_kind, Memory memory) noexcept = 0;
  struct Info {
    std::uint64_t free_bytes, total_bytes;
  };
  virtual Info info() = 0;
  virtual Memory wrap(std::uint64_t native_handle, std::uint64_t size_bytes);
};

/// Launches of one device that its driver replays as one submission.
class Graph : public detail::Object {
 public:
  /// Records what is launched on the returned stream, which the graph owns, until `end`.
  virtual Stream& begin() = 0;
  /// Replaces what was recorded before. Throws if the driver can't record it.
  virtual void end() = 0;
  virtual void replay(Stream& stream, std::string_view name) = 0;
};

/// An opened device. All its streams, kernels and other objects are destroyed before it.
class Device : public detail::Object {
 public:
  virtual Allocator& allocator() = 0;
  virtual std::unique_ptr<Stream> create_stream(std::uint32_t flags) = 0;
  virtual std::unique_ptr<Stream> wrap_stream(std::uint64_t native_handle);
  virtual std::unique_ptr<Event> create_event(std::uint32_t flags) = 0;
  /// Throws `unsupported` with the reason if this device has no such kernel.
  virtual std::unique_ptr<Kernel> prepare(const patchbay_kernel_spec& spec) = 0;
  virtual std::unique_ptr<Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options);
  virtual std::unique_ptr<Graph> create_graph();
  virtual bool can_access_peer(Device&) { return false; }
  virtual std::uint64_t native_handle(std::uint32_t native_kind, void* object);
};

/// A plugin that is in use by one runtime. Constructed from a Host; the constructor throws
/// PATCHBAY_NO_DRIVER or PATCHBAY_NO_DEVICE with the reason.
class Driver : public detail::Object {
 public:
  using Found = std::function<void(const patchbay_device_properties&)>;
  virtual void enumerate(const Found& found) = 0;
  virtual std::unique_ptr<Device> open_device(std::uint32_t index) = 0;
  /// Opens the device in a context of the application, which keeps it while the device is open.
  virtual std::unique_ptr<Device> open_device_in(std::uint32_t index, std::uint64_t native_context);
  /// The memory of a device that need not be open, and is not opened.
  virtual Allocator::Info memory_info(std::uint32_t index);
  /// Show a vendor's profiler what the calling thread does; ranges nest. Nothing is reported: what
  /// these throw is dropped.
  virtual void begin_range(std::string_view) {}
  virtual void end_range() {}
  virtual const void* extension(std::string_view, std::uint32_t) { return nullptr; }
  /// One for that device alone, which is asked for before the other.
  virtual const void* device_extension(std::uint32_t, std::string_view, std::uint32_t) {
    return nullptr;
  }
};

inline std::uint64_t Event::nanoseconds_since(Event&) { unsupported("events have no times"); }
inline void Stream::copy_to_peer(Device&, Memory, Memory, std::uint64_t) {
  unsupported("no copies between devices");
}
inline void Stream::add_callback(Callback) { unsupported("no callbacks"); }
inline void Kernel::launch_grid(Stream&, std::span<const std::uint32_t, 3>,
                                std::span<const std::uint32_t, 3>, std::uint32_t, Arguments,
                                std::string_view) {
  unsupported("this kernel can't be launched with a grid");
}
inline Memory Allocator::wrap(std::uint64_t, std::uint64_t) {
  unsupported("can't wrap memory of the application");
}
inline std::unique_ptr<Stream> Device::wrap_stream(std::uint64_t) {
  unsupported("can't wrap streams of the application");
}
inline std::unique_ptr<Module> Device::load_module(std::string_view, std::string_view,
                                                   std::string_view) {
  unsupported("this device loads no modules");
}
inline std::unique_ptr<Graph> Device::create_graph() {
  unsupported("this device replays no graphs");
}
inline std::unique_ptr<Device> Driver::open_device_in(std::uint32_t, std::uint64_t) {
  unsupported("can't adopt contexts of the application");
}
inline Allocator::Info Driver::memory_info(std::uint32_t) {
  unsupported("the memory of a device is known when it is open");
}
inline std::uint64_t Device::native_handle(std::uint32_t, void*) {
  unsupported("no native handle of this kind");
}

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_OBJECTS_HPP_
