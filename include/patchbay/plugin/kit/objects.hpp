// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The abstract classes that a plugin in C++ derives from. What throws becomes a status.
//
// The contract of each call (threads, ownership, what is queued) stands in plugin/tables.h.
// Functions that are not pure have the default behaviour of an absent entry.
#ifndef PATCHBAY_PLUGIN_KIT_OBJECTS_HPP_
#define PATCHBAY_PLUGIN_KIT_OBJECTS_HPP_

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "patchbay/plugin/kit/host.hpp"
#include "patchbay/plugin/tables.h"

namespace patchbay::plugin {

using Memory = patchbay_memory;
using Arguments = std::span<const patchbay_argument>;
using ArgumentSpecs = std::span<const patchbay_argument_spec>;

namespace detail {
struct Thunks;

/// What every object that crosses the boundary knows: the host that statuses are made with. It is
/// set after construction; constructors take the Host from their maker when they need it.
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
  /// False when the deadline passed first.
  virtual bool wait(std::uint64_t deadline_ns) = 0;
  virtual std::uint64_t nanoseconds_since(Event& earlier);
};

/// An in-order queue. 0 bytes are never passed to the copies.
class Stream : public detail::Object {
 public:
  virtual void copy_to_device(Memory to, const void* from, std::uint64_t size_bytes) = 0;
  virtual void copy_to_host(void* to, Memory from, std::uint64_t size_bytes) = 0;
  virtual void copy_on_device(Memory to, Memory from, std::uint64_t size_bytes) = 0;
  virtual void copy_to_peer(Device& to_device, Memory to, Memory from, std::uint64_t size_bytes);
  virtual void record(Event& event) = 0;
  virtual void wait_event(Event& event) = 0;
  virtual void flush() = 0;
  /// False when the deadline passed first.
  virtual bool synchronize(std::uint64_t deadline_ns) = 0;
  virtual void add_callback(void (*call)(void* user, patchbay_status*), void* user);
};

/// What is costly about an operation on one device: compiled code, descriptors, chosen
/// algorithm. Launched from several streams at once.
class Kernel : public detail::Object {
 public:
  virtual std::uint64_t workspace_bytes() const { return 0; }
  virtual void launch(Stream& stream, Arguments arguments, Memory workspace,
                      std::string_view name) = 0;
  /// Kernels of modules only.
  virtual void launch_grid(Stream& stream, std::span<const std::uint32_t, 3> groups,
                           std::span<const std::uint32_t, 3> group_size, std::uint32_t shared_bytes,
                           Arguments arguments, std::string_view name);
};

/// Users' compiled code.
class Module : public detail::Object {
 public:
  virtual std::unique_ptr<Kernel> kernel(std::string_view name, ArgumentSpecs arguments) = 0;
};

/// Raw memory of one device; no caching, that is the core's.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// Really commits: what does not fit fails here, with PATCHBAY_OUT_OF_MEMORY.
  virtual Memory allocate(std::uint32_t memory_kind, std::uint64_t size_bytes,
                          std::uint64_t alignment_bytes) = 0;
  virtual void release(std::uint32_t memory_kind, Memory memory) noexcept = 0;
  struct Info {
    std::uint64_t free_bytes, total_bytes;
  };
  virtual Info info() = 0;
  virtual Memory wrap(std::uint64_t native_handle, std::uint64_t size_bytes);
};

/// An opened device. Its children (streams, kernels ...) are gone before it goes.
class Device : public detail::Object {
 public:
  virtual Allocator& allocator() = 0;
  virtual std::unique_ptr<Stream> create_stream(std::uint32_t flags) = 0;
  virtual std::unique_ptr<Stream> wrap_stream(std::uint64_t native_handle);
  virtual std::unique_ptr<Event> create_event(std::uint32_t flags) = 0;
  /// Throws `unsupported` with the reason when this device has no such kernel.
  virtual std::unique_ptr<Kernel> prepare(const patchbay_kernel_spec& spec) = 0;
  virtual std::unique_ptr<Module> load_module(std::string_view format, std::string_view code,
                                              std::string_view options);
  virtual bool can_access_peer(Device&) { return false; }
  virtual std::uint64_t native_handle(std::uint32_t native_kind, void* object);
};

/// The plugin at work in one runtime. Constructed from a Host; the constructor throws
/// PATCHBAY_NO_DRIVER or PATCHBAY_NO_DEVICE with the reason.
class Driver : public detail::Object {
 public:
  using Found = std::function<void(const patchbay_device_properties&)>;
  virtual void enumerate(const Found& found) = 0;
  virtual std::unique_ptr<Device> open_device(std::uint32_t index) = 0;
  /// The same in a context that the application made, and keeps as long as the device is open.
  virtual std::unique_ptr<Device> open_device_in(std::uint32_t index, std::uint64_t native_context);
  virtual const void* extension(std::string_view, std::uint32_t) { return nullptr; }
};

inline std::uint64_t Event::nanoseconds_since(Event&) { unsupported("events carry no times"); }
inline void Stream::copy_to_peer(Device&, Memory, Memory, std::uint64_t) {
  unsupported("no copies between devices");
}
inline void Stream::add_callback(void (*)(void*, patchbay_status*), void*) {
  unsupported("no callbacks");
}
inline void Kernel::launch_grid(Stream&, std::span<const std::uint32_t, 3>,
                                std::span<const std::uint32_t, 3>, std::uint32_t, Arguments,
                                std::string_view) {
  unsupported("this kernel takes no grid");
}
inline Memory Allocator::wrap(std::uint64_t, std::uint64_t) {
  unsupported("memory of the application is not taken");
}
inline std::unique_ptr<Stream> Device::wrap_stream(std::uint64_t) {
  unsupported("streams of the application are not taken");
}
inline std::unique_ptr<Module> Device::load_module(std::string_view, std::string_view,
                                                   std::string_view) {
  unsupported("this device loads no modules");
}
inline std::unique_ptr<Device> Driver::open_device_in(std::uint32_t, std::uint64_t) {
  unsupported("contexts of the application are not taken");
}
inline std::uint64_t Device::native_handle(std::uint32_t, void*) {
  unsupported("no native handle of this kind");
}

}  // namespace patchbay::plugin

#endif  // PATCHBAY_PLUGIN_KIT_OBJECTS_HPP_
