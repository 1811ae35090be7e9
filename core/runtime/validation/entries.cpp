// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// One function for each entry that takes or gives a device, a stream or an event. Each calls the
// plugin's own entry with the plugin's own objects; most check or note the call as well.
#include <algorithm>
#include <new>
#include <utility>

#include "core/base/status.h"
#include "core/runtime/plugin/pending_call.h"
#include "core/runtime/search/arrival.h"
#include "core/runtime/validation/layer.h"

namespace patchbay::runtime::validation {
namespace {

using Status = patchbay_status*;

const PluginTables& real_of(const DeviceRecord& device) { return device.layer.real(); }
const PluginTables& real_of(const StreamRecord& stream) { return real_of(*stream.device); }
const PluginTables& real_of(const EventRecord& event) { return real_of(*event.device); }
Layer& layer_of(const StreamRecord& stream) { return stream.device->layer; }
Layer& layer_of(const EventRecord& event) { return event.device->layer; }

// ------------------------------------------------------------------------------- plugin

void close_device(patchbay_device* device) {
  DeviceRecord& record = record_of(device);
  Layer& layer = record.layer;
  layer.finish_device(record);
  layer.real().plugin.close_device(record.own);  // which may release scratch memory
  layer.forget_device(record);
}

Status native_handle(patchbay_device* device, std::uint32_t kind, void* object,
                     std::uint64_t* handle) {
  const DeviceRecord& record = record_of(device);
  if (kind == PATCHBAY_NATIVE_STREAM) object = record_of(static_cast<patchbay_stream*>(object)).own;
  if (kind == PATCHBAY_NATIVE_EVENT) object = record_of(static_cast<patchbay_event*>(object)).own;
  return real_of(record).plugin.native_handle(record.own, kind, object, handle);
}

// ------------------------------------------------------------------------------- memory

Status allocate(patchbay_device* device, std::uint32_t kind, std::uint64_t size_bytes,
                std::uint64_t alignment_bytes, patchbay_memory* memory) {
  DeviceRecord& record = record_of(device);
  return record.layer.allocate(record, kind, size_bytes, alignment_bytes, memory);
}

void release(patchbay_device* device, std::uint32_t /*memory_kind*/, patchbay_memory memory) {
  DeviceRecord& record = record_of(device);
  try {
    record.layer.release(record, memory);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): without memory the block stays
  }
}

Status memory_info(patchbay_device* device, std::uint64_t* free_bytes, std::uint64_t* total_bytes) {
  const DeviceRecord& record = record_of(device);
  return real_of(record).memory.info(record.own, free_bytes, total_bytes);
}

std::uint32_t can_access_peer(patchbay_device* from, patchbay_device* to) {
  const DeviceRecord& record = record_of(from);
  return real_of(record).memory.can_access_peer(record.own, record_of(to).own);
}

Status wrap_memory(patchbay_device* device, std::uint64_t handle, std::uint64_t size_bytes,
                   patchbay_memory* memory) {
  DeviceRecord& record = record_of(device);
  Status status = real_of(record).memory.wrap(record.own, handle, size_bytes, memory);
  if (status == nullptr && memory->base != nullptr) {
    record.layer.adopt_memory(record, *memory, size_bytes);
  }
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
  StreamRecord& record = record_of(stream);
  Work work{CallSite::here().operation("copy"), false, {std::move(to), std::move(from)}};
  return layer_of(record).submit(record, work,
                                 [&] { return call(real_of(record).memory, record.own); });
}

Status copy_to_device(patchbay_stream* stream, patchbay_memory to, const void* from,
                      std::uint64_t size_bytes) {
  return copy(stream, range_of(to, size_bytes, true), host_range(from, size_bytes, false),
              [&](const patchbay_memory_table& real, patchbay_stream* own) {
                return real.copy_to_device(own, to, from, size_bytes);
              });
}

Status copy_to_host(patchbay_stream* stream, void* to, patchbay_memory from,
                    std::uint64_t size_bytes) {
  return copy(stream, host_range(to, size_bytes, true), range_of(from, size_bytes, false),
              [&](const patchbay_memory_table& real, patchbay_stream* own) {
                return real.copy_to_host(own, to, from, size_bytes);
              });
}

Status copy_on_device(patchbay_stream* stream, patchbay_memory to, patchbay_memory from,
                      std::uint64_t size_bytes) {
  return copy(stream, range_of(to, size_bytes, true), range_of(from, size_bytes, false),
              [&](const patchbay_memory_table& real, patchbay_stream* own) {
                return real.copy_on_device(own, to, from, size_bytes);
              });
}

Status copy_to_peer(patchbay_stream* stream, patchbay_device* to_device, patchbay_memory to,
                    patchbay_memory from, std::uint64_t size_bytes) {
  return copy(stream, range_of(to, size_bytes, true), range_of(from, size_bytes, false),
              [&](const patchbay_memory_table& real, patchbay_stream* own) {
                return real.copy_to_peer(own, record_of(to_device).own, to, from, size_bytes);
              });
}

// ------------------------------------------------------------------------------- streams

Status create_stream(patchbay_device* device, std::uint32_t flags, patchbay_stream** stream) {
  DeviceRecord& record = record_of(device);
  return record.layer.make_stream(record, flags, stream, [&](patchbay_stream** own) {
    return real_of(record).stream.create(record.own, flags, own);
  });
}

Status wrap_stream(patchbay_device* device, std::uint64_t handle, patchbay_stream** stream) {
  DeviceRecord& record = record_of(device);
  return record.layer.make_stream(record, 0, stream, [&](patchbay_stream** own) {
    return real_of(record).stream.wrap(record.own, handle, own);
  });
}

void destroy_stream(patchbay_stream* stream) {
  const StreamRecord& record = record_of(stream);
  real_of(record).stream.destroy(record.own);
  layer_of(record).forget_stream(record);
}

Status flush(patchbay_stream* stream) {
  const StreamRecord& record = record_of(stream);
  return real_of(record).stream.flush(record.own);
}

/// Failed work has ended; work that timed out has not.
bool has_ended(const patchbay_status* status) {
  return status == nullptr || status->code != PATCHBAY_TIMED_OUT;
}

Status synchronize(patchbay_stream* stream, std::uint64_t deadline_ns) {
  const StreamRecord& record = record_of(stream);
  Layer& layer = layer_of(record);
  const Clock reached = layer.reach_of(record);
  Status status = layer.real().stream.synchronize(record.own, deadline_ns);
  if (has_ended(status)) layer.note_done(reached);
  if (status != nullptr) return status;
  layer.check_guards(*record.device);
  return layer.findings().take_late();
}

Status stream_wait_event(patchbay_stream* stream, patchbay_event* event) {
  StreamRecord& record = record_of(stream);
  const EventRecord& awaited = record_of(event);
  Status status = real_of(record).stream.wait_event(record.own, awaited.own);
  if (status == nullptr) layer_of(record).wait_event(record, awaited);
  return status;
}

Status add_callback(patchbay_stream* stream, void (*call)(void* user, Status), void* user) {
  const StreamRecord& record = record_of(stream);
  Layer& layer = layer_of(record);
  // A plugin may make the call when the runtime is gone.
  PendingCall noted(
      [note_done = layer.later_note_done(layer.reach_of(record)), call, user](Status status) {
        try {
          note_done();
        } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): a later wait notes it
        }
        call(user, status);
      });
  Status status = layer.real().stream.add_callback(record.own, PendingCall::make, noted.user());
  if (status == nullptr) noted.hand_over();
  return status;
}

// ------------------------------------------------------------------------------- events

Status create_event(patchbay_device* device, std::uint32_t flags, patchbay_event** event) {
  DeviceRecord& record = record_of(device);
  return record.layer.make_event(record, flags, event);
}

void destroy_event(patchbay_event* event) {
  const EventRecord& record = record_of(event);
  real_of(record).event.destroy(record.own);
  layer_of(record).forget_event(record);
}

Status record_event(patchbay_event* event, patchbay_stream* stream) {
  EventRecord& record = record_of(event);
  const StreamRecord& recorded = record_of(stream);
  layer_of(record).record(record, recorded);
  return real_of(record).event.record(record.own, recorded.own);
}

Status query_event(patchbay_event* event, std::uint32_t* done) {
  const EventRecord& record = record_of(event);
  Layer& layer = layer_of(record);
  const Clock reached = layer.reach_of(record);
  Status status = layer.real().event.query(record.own, done);
  if (status != nullptr || *done != 0) layer.note_done(reached);
  return status;
}

Status wait_event(patchbay_event* event, std::uint64_t deadline_ns) {
  const EventRecord& record = record_of(event);
  Layer& layer = layer_of(record);
  const Clock reached = layer.reach_of(record);
  Status status = layer.real().event.wait(record.own, deadline_ns);
  if (has_ended(status)) layer.note_done(reached);
  return status;
}

Status elapsed(patchbay_event* from, patchbay_event* to, std::uint64_t* nanoseconds) {
  const EventRecord& record = record_of(from);
  return real_of(record).event.elapsed(record.own, record_of(to).own, nanoseconds);
}

// ------------------------------------------------------------------------------- kernels

Status prepare(patchbay_device* device, const patchbay_kernel_spec* spec,
               patchbay_kernel** kernel) {
  const DeviceRecord& record = record_of(device);
  return real_of(record).kernel.prepare(record.own, spec, kernel);
}

Status load_module(patchbay_device* device, patchbay_string format, patchbay_string code,
                   patchbay_string options, patchbay_module** module) {
  const DeviceRecord& record = record_of(device);
  return real_of(record).kernel.load_module(record.own, format, code, options, module);
}

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
  StreamRecord& record = record_of(stream);
  Layer& layer = layer_of(record);
  Work work = launch_of(name, arguments, num_arguments);
  const std::uint64_t workspace_bytes = layer.real().kernel.workspace_bytes(kernel);
  work.uses.push_back(range_of(workspace, std::min(workspace_bytes, kMostMemoryBytes), true));
  work.uses.back().is_workspace = true;
  return layer.submit(record, work, [&] {
    return layer.real().kernel.launch(record.own, kernel, arguments, num_arguments, workspace,
                                      name);
  });
}

Status launch_grid(patchbay_stream* stream, patchbay_kernel* kernel, const std::uint32_t groups[3],
                   const std::uint32_t group_size[3], std::uint32_t shared_bytes,
                   const patchbay_argument* arguments, std::uint32_t num_arguments,
                   patchbay_string name) {
  StreamRecord& record = record_of(stream);
  Layer& layer = layer_of(record);
  Work work = launch_of(name, arguments, num_arguments);
  return layer.submit(record, work, [&] {
    return layer.real().kernel.launch_grid(record.own, kernel, groups, group_size, shared_bytes,
                                           arguments, num_arguments, name);
  });
}

// All entries that take a device, a stream or an event are replaced below, but for `open_device`.
// If a size changes, a table has got entries that may take one, too.
static_assert(sizeof(patchbay_plugin) == 184 && sizeof(patchbay_memory_table) == 80 &&
              sizeof(patchbay_stream_table) == 64 && sizeof(patchbay_event_table) == 56 &&
              sizeof(patchbay_kernel_table) == 72);

}  // namespace

void install(PluginTables& tables) {
  tables.plugin.close_device = close_device;
  tables.plugin.native_handle = native_handle;
  tables.memory.allocate = allocate;
  tables.memory.release = release;
  tables.memory.info = memory_info;
  tables.memory.copy_to_device = copy_to_device;
  tables.memory.copy_to_host = copy_to_host;
  tables.memory.copy_on_device = copy_on_device;
  tables.memory.copy_to_peer = copy_to_peer;
  tables.memory.can_access_peer = can_access_peer;
  tables.memory.wrap = wrap_memory;
  tables.stream.create = create_stream;
  tables.stream.wrap = wrap_stream;
  tables.stream.destroy = destroy_stream;
  tables.stream.flush = flush;
  tables.stream.synchronize = synchronize;
  tables.stream.wait_event = stream_wait_event;
  tables.stream.add_callback = add_callback;
  tables.event.create = create_event;
  tables.event.destroy = destroy_event;
  tables.event.record = record_event;
  tables.event.query = query_event;
  tables.event.wait = wait_event;
  tables.event.elapsed = elapsed;
  tables.kernel.prepare = prepare;
  tables.kernel.load_module = load_module;
  tables.kernel.launch = launch;
  tables.kernel.launch_grid = launch_grid;
}

}  // namespace patchbay::runtime::validation
