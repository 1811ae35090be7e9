// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One function for each entry that validation checks. Each calls the plugin's own entry at the end.
#include "core/runtime/validation/entries.h"

#include <memory>
#include <new>
#include <utility>

#include "core/base/status.h"
#include "core/runtime/plugin/pending_call.h"

namespace patchbay::runtime::validation {
namespace {

using Status = patchbay_status*;

auto device_of(const patchbay_device* device) { return Devices::instance().find(device); }
auto stream_of(const patchbay_stream* stream) { return Streams::instance().find(stream); }
auto event_of(const patchbay_event* event) { return Events::instance().find(event); }
/// Whether the plugin made an object. The core reports success without one.
bool is_given(const patchbay_status* status, const void* object) {
  return status == nullptr && object != nullptr;
}
Layer& layer_of(const StreamRecord& stream) { return stream.device->layer; }
Layer& layer_of(const EventRecord& event) { return event.device->layer; }

// ------------------------------------------------------------------------------- plugin

void close_driver(patchbay_driver* driver) {
  const auto layer = Drivers::instance().remove(driver);
  layer->real().plugin.close(driver);
}

Status open_device(patchbay_driver* driver, std::uint32_t index, patchbay_device** device) {
  const auto layer = Drivers::instance().find(driver);
  Status status = layer->real().plugin.open_device(driver, index, device);
  if (is_given(status, *device)) layer->adopt_device(index, *device);
  return status;
}

void close_device(patchbay_device* device) {
  const auto record = device_of(device);
  record->layer.finish_device(*record);
  record->layer.real().plugin.close_device(device);  // which may release scratch memory
  record->layer.forget_device(*record);
  static_cast<void>(Devices::instance().remove(device));
}

// ------------------------------------------------------------------------------- memory

Status allocate(patchbay_device* device, std::uint32_t kind, std::uint64_t size_bytes,
                std::uint64_t alignment_bytes, patchbay_memory* memory) {
  const auto record = device_of(device);
  return record->layer.allocate(record, kind, size_bytes, alignment_bytes, memory);
}

void release(patchbay_device* device, std::uint32_t /*memory_kind*/, patchbay_memory memory) {
  const auto record = device_of(device);
  try {
    record->layer.release(*record, memory);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): without memory the block stays
  }
}

Status wrap_memory(patchbay_device* device, std::uint64_t handle, std::uint64_t size_bytes,
                   patchbay_memory* memory) {
  const auto record = device_of(device);
  Status status = record->layer.real().memory.wrap(device, handle, size_bytes, memory);
  if (is_given(status, memory->base)) record->layer.adopt_memory(record, *memory, size_bytes);
  return status;
}

MemoryAccess range_of(patchbay_memory memory, std::uint64_t size_bytes, bool writes) {
  return {memory, View::range(0, static_cast<std::int64_t>(size_bytes)), writes};
}
MemoryAccess host_range(const void* host, std::uint64_t size_bytes, bool writes) {
  MemoryAccess use = range_of({const_cast<void*>(host), 0}, size_bytes, writes);
  use.is_host = true;
  return use;
}

/// Makes a copy, given by what it writes and reads.
template <class Call>
Status copy(patchbay_stream* stream, MemoryAccess to, MemoryAccess from, const Call& call) {
  const auto record = stream_of(stream);
  Work work{CallSite::here().operation("copy"), false, {std::move(to), std::move(from)}};
  Layer& layer = layer_of(*record);
  return layer.submit(*record, work, [&] { return call(layer.real().memory); });
}

Status copy_to_device(patchbay_stream* stream, patchbay_memory to, const void* from,
                      std::uint64_t size_bytes) {
  return copy(stream, range_of(to, size_bytes, true), host_range(from, size_bytes, false),
              [&](const patchbay_memory_table& real) {
                return real.copy_to_device(stream, to, from, size_bytes);
              });
}

Status copy_to_host(patchbay_stream* stream, void* to, patchbay_memory from,
                    std::uint64_t size_bytes) {
  return copy(stream, host_range(to, size_bytes, true), range_of(from, size_bytes, false),
              [&](const patchbay_memory_table& real) {
                return real.copy_to_host(stream, to, from, size_bytes);
              });
}

Status copy_on_device(patchbay_stream* stream, patchbay_memory to, patchbay_memory from,
                      std::uint64_t size_bytes) {
  return copy(stream, range_of(to, size_bytes, true), range_of(from, size_bytes, false),
              [&](const patchbay_memory_table& real) {
                return real.copy_on_device(stream, to, from, size_bytes);
              });
}

Status copy_to_peer(patchbay_stream* stream, patchbay_device* to_device, patchbay_memory to,
                    patchbay_memory from, std::uint64_t size_bytes) {
  return copy(stream, range_of(to, size_bytes, true), range_of(from, size_bytes, false),
              [&](const patchbay_memory_table& real) {
                return real.copy_to_peer(stream, to_device, to, from, size_bytes);
              });
}

// ------------------------------------------------------------------------------- streams

Status create_stream(patchbay_device* device, std::uint32_t flags, patchbay_stream** stream) {
  const auto record = device_of(device);
  Status status = record->layer.real().stream.create(device, flags, stream);
  if (is_given(status, *stream)) record->layer.adopt_stream(record, *stream, flags);
  return status;
}

Status wrap_stream(patchbay_device* device, std::uint64_t handle, patchbay_stream** stream) {
  const auto record = device_of(device);
  Status status = record->layer.real().stream.wrap(device, handle, stream);
  if (is_given(status, *stream)) record->layer.adopt_stream(record, *stream, 0);
  return status;
}

void destroy_stream(patchbay_stream* stream) {
  const auto record = Streams::instance().remove(stream);
  Layer& layer = layer_of(*record);
  layer.real().stream.destroy(stream);
  layer.forget_stream(*record);
}

/// Failed work has ended; work that timed out has not.
bool has_ended(const patchbay_status* status) {
  return status == nullptr || status->code != PATCHBAY_TIMED_OUT;
}

Status synchronize(patchbay_stream* stream, std::uint64_t deadline_ns) {
  const auto record = stream_of(stream);
  Layer& layer = layer_of(*record);
  const Clock reached = layer.reach_of(*record);
  Status status = layer.real().stream.synchronize(stream, deadline_ns);
  if (has_ended(status)) layer.note_done(reached);
  if (status != nullptr) return status;
  layer.check_guards(*record->device);
  return layer.findings().take_late();
}

Status stream_wait_event(patchbay_stream* stream, patchbay_event* event) {
  const auto record = stream_of(stream);
  Layer& layer = layer_of(*record);
  Status status = layer.real().stream.wait_event(stream, event);
  if (status == nullptr) layer.wait_event(*record, *event_of(event));
  return status;
}

Status add_callback(patchbay_stream* stream, void (*call)(void* user, Status), void* user) {
  const auto record = stream_of(stream);
  Layer& layer = layer_of(*record);
  PendingCall noted([&layer, reached = layer.reach_of(*record), call, user](Status status) {
    try {
      layer.note_done(reached);
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): a later wait notes it
    }
    call(user, status);
  });
  Status status = layer.real().stream.add_callback(stream, PendingCall::make, noted.user());
  if (status == nullptr) noted.hand_over();
  return status;
}

// ------------------------------------------------------------------------------- events

Status create_event(patchbay_device* device, std::uint32_t flags, patchbay_event** event) {
  const auto record = device_of(device);
  Status status = record->layer.real().event.create(device, flags, event);
  if (!is_given(status, *event)) return status;
  auto made = std::make_shared<EventRecord>();
  made->device = record;
  made->made_at = CallSite::here();
  Events::instance().add(*event, std::move(made));
  return nullptr;
}

void destroy_event(patchbay_event* event) {
  const auto record = Events::instance().remove(event);
  Layer& layer = layer_of(*record);
  layer.real().event.destroy(event);
}

Status record_event(patchbay_event* event, patchbay_stream* stream) {
  const auto record = event_of(event);
  Layer& layer = layer_of(*record);
  layer.record(*record, *stream_of(stream));
  return layer.real().event.record(event, stream);
}

Status query_event(patchbay_event* event, std::uint32_t* done) {
  const auto record = event_of(event);
  Layer& layer = layer_of(*record);
  const Clock reached = layer.reach_of(*record);
  Status status = layer.real().event.query(event, done);
  if (status != nullptr || *done != 0) layer.note_done(reached);
  return status;
}

Status wait_event(patchbay_event* event, std::uint64_t deadline_ns) {
  const auto record = event_of(event);
  Layer& layer = layer_of(*record);
  const Clock reached = layer.reach_of(*record);
  Status status = layer.real().event.wait(event, deadline_ns);
  if (has_ended(status)) layer.note_done(reached);
  return status;
}

// ------------------------------------------------------------------------------- kernels

Work launch_of(patchbay_string name, const patchbay_argument* arguments,
               std::uint32_t num_arguments) {
  Work work{{name.data, name.size}, true, {}};
  for (std::uint32_t i = 0; i < num_arguments; ++i) {
    const patchbay_argument& argument = arguments[i];
    if (argument.kind != PATCHBAY_TENSOR || argument.value.memory.base == nullptr) continue;
    work.uses.push_back({argument.value.memory, View::of(argument, 0),
                         (argument.access & PATCHBAY_WRITE) != 0, false, static_cast<int>(i)});
  }
  return work;
}

Status launch(patchbay_stream* stream, patchbay_kernel* kernel, const patchbay_argument* arguments,
              std::uint32_t num_arguments, patchbay_memory workspace, patchbay_string name) {
  const auto record = stream_of(stream);
  Layer& layer = layer_of(*record);
  Work work = launch_of(name, arguments, num_arguments);
  const std::uint64_t workspace_bytes = layer.real().kernel.workspace_bytes(kernel);
  if (workspace.base != nullptr) work.uses.push_back(range_of(workspace, workspace_bytes, true));
  return layer.submit(*record, work, [&] {
    return layer.real().kernel.launch(stream, kernel, arguments, num_arguments, workspace, name);
  });
}

Status launch_grid(patchbay_stream* stream, patchbay_kernel* kernel, const std::uint32_t groups[3],
                   const std::uint32_t group_size[3], std::uint32_t shared_bytes,
                   const patchbay_argument* arguments, std::uint32_t num_arguments,
                   patchbay_string name) {
  const auto record = stream_of(stream);
  Layer& layer = layer_of(*record);
  Work work = launch_of(name, arguments, num_arguments);
  return layer.submit(*record, work, [&] {
    return layer.real().kernel.launch_grid(stream, kernel, groups, group_size, shared_bytes,
                                           arguments, num_arguments, name);
  });
}

}  // namespace

void install(PluginTables& tables) {
  tables.plugin.close = close_driver;
  tables.plugin.open_device = open_device;
  tables.plugin.close_device = close_device;
  tables.memory.allocate = allocate;
  tables.memory.release = release;
  tables.memory.wrap = wrap_memory;
  tables.memory.copy_to_device = copy_to_device;
  tables.memory.copy_to_host = copy_to_host;
  tables.memory.copy_on_device = copy_on_device;
  tables.memory.copy_to_peer = copy_to_peer;
  tables.stream.create = create_stream;
  tables.stream.wrap = wrap_stream;
  tables.stream.destroy = destroy_stream;
  tables.stream.synchronize = synchronize;
  tables.stream.wait_event = stream_wait_event;
  tables.stream.add_callback = add_callback;
  tables.event.create = create_event;
  tables.event.destroy = destroy_event;
  tables.event.record = record_event;
  tables.event.query = query_event;
  tables.event.wait = wait_event;
  tables.kernel.launch = launch;
  tables.kernel.launch_grid = launch_grid;
}

}  // namespace patchbay::runtime::validation
