// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The C tables that call the abstract classes: one thunk for each entry, noexcept but for waits
// that pthread_cancel may end. Internal.
#ifndef PATCHBAY_PLUGIN_KIT_THUNKS_HPP_
#define PATCHBAY_PLUGIN_KIT_THUNKS_HPP_

#include <string_view>
#include <utility>

#include "patchbay/plugin/extensions.h"
#include "patchbay/plugin/kit/objects.hpp"
#include "patchbay/plugin/kit/signature_check.hpp"

namespace patchbay::plugin::detail {

inline Driver& object(patchbay_driver* p) { return *reinterpret_cast<Driver*>(p); }
inline Device& object(patchbay_device* p) { return *reinterpret_cast<Device*>(p); }
inline Stream& object(patchbay_stream* p) { return *reinterpret_cast<Stream*>(p); }
inline Event& object(patchbay_event* p) { return *reinterpret_cast<Event*>(p); }
inline Kernel& object(patchbay_kernel* p) { return *reinterpret_cast<Kernel*>(p); }
inline Module& object(patchbay_module* p) { return *reinterpret_cast<Module*>(p); }
inline Graph& object(patchbay_graph* p) { return *reinterpret_cast<Graph*>(p); }

struct Thunks {
  using Status = patchbay_status*;

  template <class T>
  static const patchbay_host* host_of(T& owner) noexcept {
    return owner.host_.table();
  }
  /// Passes `made` to the core and gives it the host of its creator. Null is passed on: the core
  /// names the entry that made nothing.
  template <class Handle, class T>
  static void give(const patchbay_host* host, std::unique_ptr<T> made, Handle** out) {
    if (made != nullptr) made->host_ = Host(host);
    *out = reinterpret_cast<Handle*>(made.release());
  }
  template <class Handle>
  static void destroy(Handle* handle) noexcept {
    const CancellationOff not_cancelled;
    delete &object(handle);
  }
  static Status timed_out(const patchbay_host* host) noexcept {
    return make_status(host, PATCHBAY_TIMED_OUT, "the deadline passed");
  }

  // Driver
  template <class DriverT>
  static Status open(const patchbay_host* host, patchbay_driver** out) noexcept {
    return guarded(host, [&] {
      give<patchbay_driver, Driver>(host, std::make_unique<DriverT>(Host(host)), out);
    });
  }
  static Status open_device_in(patchbay_driver* driver, std::uint32_t index,
                               std::uint64_t native_context, patchbay_device** out) noexcept {
    const auto* host = host_of(object(driver));
    return guarded(host,
                   [&] { give(host, object(driver).open_device_in(index, native_context), out); });
  }
  static Status memory_info(patchbay_driver* driver, std::uint32_t index, std::uint64_t* free_bytes,
                            std::uint64_t* total_bytes) noexcept {
    return guarded(host_of(object(driver)), [&] {
      const auto info = object(driver).memory_info(index);
      *free_bytes = info.free_bytes;
      *total_bytes = info.total_bytes;
    });
  }
  static Status create_graph(patchbay_device* device, patchbay_graph** out) noexcept {
    const auto* host = host_of(object(device));
    return guarded(host, [&] { give(host, object(device).create_graph(), out); });
  }
  static Status begin_graph(patchbay_graph* graph, patchbay_stream** out) noexcept {
    const auto* host = host_of(object(graph));
    return guarded(host, [&] {
      Stream& stream = object(graph).begin();
      stream.host_ = Host(host);
      *out = reinterpret_cast<patchbay_stream*>(&stream);
    });
  }
  static Status end_graph(patchbay_graph* graph) noexcept {
    return guarded(host_of(object(graph)), [&] { object(graph).end(); });
  }
  static Status replay_graph(patchbay_graph* graph, patchbay_stream* stream,
                             patchbay_string name) noexcept {
    return guarded(host_of(object(graph)),
                   [&] { object(graph).replay(object(stream), from_abi(name)); });
  }
  template <class Call>
  static void ignore_errors(const Call& call) noexcept {
    const CancellationOff not_cancelled;
    try {
      call();
    } catch (...) {  // NOLINT(bugprone-empty-catch): a range is only shown
    }
  }
  static void begin_range(patchbay_driver* driver, patchbay_string name) noexcept {
    ignore_errors([&] { object(driver).begin_range(from_abi(name)); });
  }
  static void end_range(patchbay_driver* driver) noexcept {
    ignore_errors([&] { object(driver).end_range(); });
  }
  static const void* get_extension(patchbay_driver* driver, patchbay_string name,
                                   std::uint32_t version) noexcept {
    static constexpr patchbay_adopt_context_table kAdoptContext = {
        sizeof(patchbay_adopt_context_table), open_device_in};
    static constexpr patchbay_memory_info_table kMemoryInfo = {sizeof(patchbay_memory_info_table),
                                                               memory_info};
    static constexpr patchbay_graph_table kGraph = {sizeof(patchbay_graph_table),
                                                    create_graph,
                                                    destroy<patchbay_graph>,
                                                    begin_graph,
                                                    end_graph,
                                                    replay_graph};
    static constexpr patchbay_ranges_table kRanges = {sizeof(patchbay_ranges_table), begin_range,
                                                      end_range};
    static constexpr std::pair<std::string_view, const void*> kTables[] = {
        {PATCHBAY_EXTENSION_ADOPT_CONTEXT, &kAdoptContext},
        {PATCHBAY_EXTENSION_MEMORY_INFO, &kMemoryInfo},
        {PATCHBAY_EXTENSION_GRAPH, &kGraph},
        {PATCHBAY_EXTENSION_RANGES, &kRanges}};
    try {
      for (const auto& [known, table] : kTables) {
        if (from_abi(name) == known && version == 1) return table;
      }
      return object(driver).extension(from_abi(name), version);
    } catch (...) {
      return nullptr;
    }
  }
  static const void* get_device_extension(patchbay_driver* driver, std::uint32_t index,
                                          patchbay_string name, std::uint32_t version) noexcept {
    try {
      return object(driver).device_extension(index, from_abi(name), version);
    } catch (...) {
      return nullptr;
    }
  }
  static Status enumerate(patchbay_driver* driver,
                          void (*found)(void*, const patchbay_device_properties*),
                          void* user) noexcept {
    return guarded(host_of(object(driver)), [&] {
      object(driver).enumerate([&](const patchbay_device_properties& p) { found(user, &p); });
    });
  }
  static Status open_device(patchbay_driver* driver, std::uint32_t index,
                            patchbay_device** out) noexcept {
    const auto* host = host_of(object(driver));
    return guarded(host, [&] { give(host, object(driver).open_device(index), out); });
  }
  static Status native_handle(patchbay_device* device, std::uint32_t kind, void* native,
                              std::uint64_t* out) noexcept {
    return guarded(host_of(object(device)),
                   [&] { *out = object(device).native_handle(kind, native); });
  }
  static patchbay_string feature_name(std::uint32_t) noexcept { return {nullptr, 0}; }

  // Memory
  static Status allocate(patchbay_device* device, std::uint32_t kind, std::uint64_t size_bytes,
                         std::uint64_t alignment_bytes, patchbay_memory* out) noexcept {
    return guarded(host_of(object(device)), [&] {
      *out = object(device).allocator().allocate(kind, size_bytes, alignment_bytes);
    });
  }
  static void release(patchbay_device* device, std::uint32_t kind,
                      patchbay_memory memory) noexcept {
    object(device).allocator().release(kind, memory);
  }
  static Status info(patchbay_device* device, std::uint64_t* free_bytes,
                     std::uint64_t* total_bytes) noexcept {
    return guarded(host_of(object(device)), [&] {
      const auto info = object(device).allocator().info();
      *free_bytes = info.free_bytes;
      *total_bytes = info.total_bytes;
    });
  }
  static Status wrap_memory(patchbay_device* device, std::uint64_t handle, std::uint64_t size_bytes,
                            patchbay_memory* out) noexcept {
    return guarded(host_of(object(device)),
                   [&] { *out = object(device).allocator().wrap(handle, size_bytes); });
  }
  static Status copy_to_device(patchbay_stream* stream, patchbay_memory to, const void* from,
                               std::uint64_t size_bytes) noexcept {
    return guarded(host_of(object(stream)),
                   [&] { object(stream).copy_to_device(to, from, size_bytes); });
  }
  static Status copy_to_host(patchbay_stream* stream, void* to, patchbay_memory from,
                             std::uint64_t size_bytes) noexcept {
    return guarded(host_of(object(stream)),
                   [&] { object(stream).copy_to_host(to, from, size_bytes); });
  }
  static Status copy_on_device(patchbay_stream* stream, patchbay_memory to, patchbay_memory from,
                               std::uint64_t size_bytes) noexcept {
    return guarded(host_of(object(stream)),
                   [&] { object(stream).copy_on_device(to, from, size_bytes); });
  }
  static Status copy_to_peer(patchbay_stream* stream, patchbay_device* to_device,
                             patchbay_memory to, patchbay_memory from,
                             std::uint64_t size_bytes) noexcept {
    return guarded(host_of(object(stream)),
                   [&] { object(stream).copy_to_peer(object(to_device), to, from, size_bytes); });
  }
  static std::uint32_t can_access_peer(patchbay_device* from, patchbay_device* to) noexcept {
    try {
      return object(from).can_access_peer(object(to)) ? 1 : 0;
    } catch (...) {
      return 0;
    }
  }

  // Streams and events
  static Status create_stream(patchbay_device* device, std::uint32_t flags,
                              patchbay_stream** out) noexcept {
    const auto* host = host_of(object(device));
    return guarded(host, [&] { give(host, object(device).create_stream(flags), out); });
  }
  static Status wrap_stream(patchbay_device* device, std::uint64_t handle,
                            patchbay_stream** out) noexcept {
    const auto* host = host_of(object(device));
    return guarded(host, [&] { give(host, object(device).wrap_stream(handle), out); });
  }
  static Status flush(patchbay_stream* stream) noexcept {
    return guarded(host_of(object(stream)), [&] { object(stream).flush(); });
  }
  /// `wait()` returns false if the deadline passed.
  template <class T, class Wait>
  static Status wait_for(T& waited_for, const Wait& wait) {
    const auto* host = host_of(waited_for);
    bool done = false;
    const auto body = [&] { done = wait(); };
    Status status =
        waited_for.is_cancellable() ? guarded_cancellable(host, body) : guarded(host, body);
    return status != nullptr || done ? status : timed_out(host);
  }
  static Status synchronize(patchbay_stream* stream, std::uint64_t deadline_ns) {
    return wait_for(object(stream), [&] { return object(stream).synchronize(deadline_ns); });
  }
  static Status stream_wait_event(patchbay_stream* stream, patchbay_event* event) noexcept {
    return guarded(host_of(object(stream)), [&] { object(stream).wait_event(object(event)); });
  }
  static Status add_callback(patchbay_stream* stream, void (*call)(void*, patchbay_status*),
                             void* user) noexcept {
    const auto* host = host_of(object(stream));
    return guarded(host, [&] { object(stream).add_callback(Callback(host, call, user)); });
  }
  static Status create_event(patchbay_device* device, std::uint32_t flags,
                             patchbay_event** out) noexcept {
    const auto* host = host_of(object(device));
    return guarded(host, [&] { give(host, object(device).create_event(flags), out); });
  }
  static Status record(patchbay_event* event, patchbay_stream* stream) noexcept {
    return guarded(host_of(object(stream)), [&] { object(stream).record(object(event)); });
  }
  static Status query(patchbay_event* event, std::uint32_t* done) noexcept {
    return guarded(host_of(object(event)), [&] { *done = object(event).is_done() ? 1 : 0; });
  }
  static Status wait(patchbay_event* event, std::uint64_t deadline_ns) {
    return wait_for(object(event), [&] { return object(event).wait(deadline_ns); });
  }
  static Status elapsed(patchbay_event* from, patchbay_event* to,
                        std::uint64_t* nanoseconds) noexcept {
    return guarded(host_of(object(to)),
                   [&] { *nanoseconds = object(to).nanoseconds_since(object(from)); });
  }

  // Kernels
  static Status prepare(patchbay_device* device, const patchbay_kernel_spec* spec,
                        patchbay_kernel** out) noexcept {
    const auto* host = host_of(object(device));
    return guarded(host, [&] {
      check_signature(*spec);
      give(host, object(device).prepare(*spec), out);
    });
  }
  static std::uint64_t workspace_bytes(patchbay_kernel* kernel) noexcept {
    return object(kernel).workspace_bytes();
  }
  static Status launch(patchbay_stream* stream, patchbay_kernel* kernel,
                       const patchbay_argument* arguments, std::uint32_t num_arguments,
                       patchbay_memory workspace, patchbay_string name) noexcept {
    const auto* host = host_of(object(stream));
    const auto body = [&] {
      object(kernel).launch(object(stream), {arguments, num_arguments}, workspace, from_abi(name));
    };
    return object(kernel).has_cancellation_points() ? guarded(host, body)
                                                    : guarded_cancellable(host, body);
  }
  static Status load_module(patchbay_device* device, patchbay_string format, patchbay_string code,
                            patchbay_string options, patchbay_module** out) noexcept {
    const auto* host = host_of(object(device));
    return guarded(host, [&] {
      give(host, object(device).load_module(from_abi(format), from_abi(code), from_abi(options)),
           out);
    });
  }
  static Status module_kernel(patchbay_module* module, patchbay_string name,
                              const patchbay_argument_spec* arguments, std::uint32_t num_arguments,
                              patchbay_kernel** out) noexcept {
    const auto* host = host_of(object(module));
    return guarded(host, [&] {
      give(host, object(module).kernel(from_abi(name), {arguments, num_arguments}), out);
    });
  }
  static Status launch_grid(patchbay_stream* stream, patchbay_kernel* kernel,
                            const std::uint32_t groups[3], const std::uint32_t group_size[3],
                            std::uint32_t shared_bytes, const patchbay_argument* arguments,
                            std::uint32_t num_arguments, patchbay_string name) noexcept {
    return guarded(host_of(object(stream)), [&] {
      object(kernel).launch_grid(object(stream), std::span<const std::uint32_t, 3>(groups, 3),
                                 std::span<const std::uint32_t, 3>(group_size, 3), shared_bytes,
                                 {arguments, num_arguments}, from_abi(name));
    });
  }
};

}  // namespace patchbay::plugin::detail

#endif  // PATCHBAY_PLUGIN_KIT_THUNKS_HPP_
