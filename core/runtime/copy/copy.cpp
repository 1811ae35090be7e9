// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/copy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/runtime/copy/copy_plan.h"
#include "core/runtime/copy/links.h"
#include "core/runtime/copy/staging.h"
#include "core/runtime/copy/transfer.h"
#include "core/runtime/device/context.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/recorder.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_trace.h"

namespace patchbay::runtime {
namespace {

Terminal terminal_of(const BufferState* buffer) {
  if (buffer == nullptr) return {};
  return {buffer->device.get(), static_cast<std::uint32_t>(buffer->kind), buffer->host_addressable};
}

char* host_address(const End& end) {
  if (end.buffer == nullptr) return static_cast<char*>(end.host);
  const patchbay_memory& memory = end.buffer->memory;
  return static_cast<char*>(memory.base) + memory.offset_bytes + end.offset_bytes;
}

patchbay_memory device_address(const End& end) {
  const patchbay_memory& memory = end.buffer->memory;
  return {memory.base, memory.offset_bytes + end.offset_bytes};
}

/// Errors: what the work that was to write the source failed with. After the waits, so that the
/// failure is known.
void check_source(const End& from, const char* operation) {
  if (from.buffer != nullptr) from.buffer->check_readable(operation);
}

void check_home(const End& to, const End& from, const char* operation) {
  for (const End* end : {&to, &from}) {
    if (end->buffer != nullptr) end->buffer->device->check_home(operation);
  }
}

void wait_on_host(const End& to, const End& from, const char* operation) {
  if (to.buffer != nullptr) to.buffer->wait_on_host(/*writes=*/true, operation);
  if (from.buffer != nullptr) from.buffer->wait_on_host(/*writes=*/false, operation);
  check_source(from, operation);
}

/// Submits to this thread's stream of `device`, after the waits that the buffers call for, and
/// notes the new position.
template <class Entry>
void submit(DeviceState& device, const End& to, const End& from, std::size_t size_bytes,
            const char* operation, Entry&& entry) {
  device.open(operation);
  StreamState& stream = current_stream(device, operation);
  if (stream.completes_inline) {
    wait_on_host(to, from, operation);
    const InlineSpan span(stream, operation, size_bytes);
    check(entry(stream), operation, device.info.name_text);
    return;
  }
  if (to.buffer != nullptr) to.buffer->insert_waits(stream, /*writes=*/true, operation);
  if (from.buffer != nullptr) from.buffer->insert_waits(stream, /*writes=*/false, operation);
  check_source(from, operation);
  stream.submit(
      {operation, /*is_copy=*/true, size_bytes},
      [&](std::uint64_t sequence) {
        if (to.buffer != nullptr) to.buffer->note_use(stream, sequence, /*writes=*/true);
        if (from.buffer != nullptr) from.buffer->note_use(stream, sequence, /*writes=*/false);
      },
      [&](patchbay_stream*) { return entry(stream); });
}

/// The device whose stream makes a copy of one leg.
DeviceState& mover(Route route, const End& to, const End& from) {
  return *(route == Route::kHostToDevice ? to : from).buffer->device;
}

/// The plugin's entry for a route of one leg.
patchbay_status* enter(Route route, StreamState& stream, const End& to, const End& from,
                       std::size_t size_bytes) {
  const patchbay_memory_table& entries = stream.device.plugin.tables.memory;
  switch (route) {
    case Route::kSameDevice:
      return entries.copy_on_device(stream.handle, device_address(to), device_address(from),
                                    size_bytes);
    case Route::kHostToDevice:
      return entries.copy_to_device(stream.handle, device_address(to), host_address(from),
                                    size_bytes);
    case Route::kDeviceToHost:
      return entries.copy_to_host(stream.handle, host_address(to), device_address(from),
                                  size_bytes);
    default:
      return entries.copy_to_peer(stream.handle, to.buffer->device->open(), device_address(to),
                                  device_address(from), size_bytes);
  }
}

/// The guard concerns movement between memories, so not what stays on one device.
void honour_guard(const Terminal& to, const Terminal& from, Route route, std::size_t size_bytes,
                  const char* operation) {
  const Context& scope = context();
  if (scope.guard == CopyGuard::Mode::kAllow || route == Route::kSameDevice) return;
  const std::string what = fmt::format("[{}] copy of {} bytes from {} to {} ({})", operation,
                                       size_bytes, name_of(from), name_of(to), to_string(route));
  if (scope.guard == CopyGuard::Mode::kForbid) {
    raise(ErrorCode::kCopyForbidden,
          "{} inside a CopyGuard: expected that nothing moves. Move it out of the guarded block, "
          "or allow it with CopyGuard(CopyGuard::Mode::kAllow).",
          what);
  }
  DeviceState* device = from.device != nullptr ? from.device : to.device;
  if (device != nullptr) {
    device->runtime.logger.log(LogLevel::kWarning, "{} inside a CopyGuard", what);
  }
}

/// Queued on a default stream, or done by the host.
void move(Route route, const End& to, const End& from, std::size_t size_bytes,
          const char* operation) {
  if (route == Route::kHostToHost) {
    wait_on_host(to, from, operation);
    return copy_on_host(to, from, size_bytes);
  }
  submit(mover(route, to, from), to, from, size_bytes, operation,
         [&](StreamState& stream) { return enter(route, stream, to, from, size_bytes); });
}

// ------------------------------------------------------------ copies that no stream can order

/// What a copy must follow: positions of streams, of which it is told when they are reached.
struct Before {
  std::vector<std::shared_ptr<EventState>> to, from;
};

/// Copies on their way to `buffer`.
std::vector<std::shared_ptr<TransferJob>> copies_to(BufferState& buffer) {
  std::vector<std::shared_ptr<TransferJob>> copies;
  for (const Position& use : buffer.uses_before(/*writes=*/false)) {
    if (use.queue->as_stream() == nullptr) {
      copies.push_back(std::static_pointer_cast<TransferJob>(use.queue));
    }
  }
  return copies;
}

/// The positions are recorded now: work that is queued later does not hold the copy up.
Before collect(BufferState& to, BufferState& from) {
  const auto record = [](BufferState& buffer, bool writes) {
    std::vector<std::shared_ptr<EventState>> events;
    for (const Position& use : buffer.uses_before(writes)) {
      StreamState* const stream = use.queue->as_stream();
      if (stream == nullptr) continue;
      try {
        events.push_back(stream->record(stream->device.shared()));
      } catch (const Error&) {
        if (!use.inherited) throw;
        stream->finish_quietly();  // what became of it is not this buffer's business
      }
    }
    return events;
  };
  return {record(to, /*writes=*/true), record(from, /*writes=*/false)};
}

/// Of the thread whose turn it is to make such a copy.
StreamState& transfer_stream(DeviceState& device) {
  if (device.transfer_stream == nullptr) {
    patchbay_stream* stream = nullptr;
    const std::uint32_t flags = device.stream_flags(0);
    check(device.plugin.tables.stream.create(device.open(), flags, &stream), "copy",
          device.info.name_text);
    auto made =
        std::make_unique<StreamState>(device, nullptr, own_stream(device, stream, "copy"), flags);
    made->drop_times();
    device.add_stream(*made);
    device.transfer_stream = {made.release(), [](StreamState* ended) { delete ended; }};
  }
  return *device.transfer_stream;
}

/// Queued without waits, and without a note in the buffers.
void submit_leg(Route route, StreamState& stream, const End& to, const End& from,
                std::size_t size_bytes, const char* operation) {
  stream.submit(
      {operation, /*is_copy=*/true, size_bytes}, [](std::uint64_t) {},
      [&](patchbay_stream*) { return enter(route, stream, to, from, size_bytes); });
}

/// The bytes' way: what the thread that makes the copy needs to know of it.
struct Way {
  Route route;
  End to, from;
  std::size_t size_bytes, chunk_bytes;
  std::shared_ptr<StagingRing> ring;  // of a staged copy
  const char* operation;
};

/// An end that the host can address has no stream here: the host makes that leg.
void move_in_chunks(const Way& way, const Before& before) {
  const auto stream_of = [](const End& end) {
    return end.buffer->host_addressable ? nullptr : &transfer_stream(*end.buffer->device);
  };
  const auto wait_for = [](StreamState* stream, const auto& events) {
    for (const auto& event : events) {
      stream != nullptr ? stream->wait(event) : event->wait(PATCHBAY_NO_DEADLINE);
    }
  };
  StreamState *const source = stream_of(way.from), *const target = stream_of(way.to);
  wait_for(source, before.from);
  wait_for(target, before.to);
  stage(source, target, way.to, way.from, way.size_bytes, way.chunk_bytes, *way.ring,
        way.operation);
  if (target != nullptr) target->synchronize(PATCHBAY_NO_DEADLINE);
  if (source != nullptr) source->synchronize(PATCHBAY_NO_DEADLINE);
}

void move_on_streams(const Way& way, const Before& before) {
  if (way.route == Route::kStaged) return move_in_chunks(way, before);
  StreamState& stream = transfer_stream(mover(way.route, way.to, way.from));
  for (const auto& event : before.from) stream.wait(event);
  for (const auto& event : before.to) stream.wait(event);
  submit_leg(way.route, stream, way.to, way.from, way.size_bytes, way.operation);
  stream.synchronize(PATCHBAY_NO_DEADLINE);
}

/// Makes the copy, on the thread whose turn it is.
void make_copy(const Way& way, const Before& before) {
  if (way.route == Route::kHostToHost) {
    for (const auto& event : before.from) event->wait(PATCHBAY_NO_DEADLINE);
    for (const auto& event : before.to) event->wait(PATCHBAY_NO_DEADLINE);
    return copy_on_host(way.to, way.from, way.size_bytes);
  }
  try {
    move_on_streams(way, before);
  } catch (...) {
    // A stream that met a failure keeps it. The next copy gets new ones.
    way.from.buffer->device->transfer_stream.reset();
    way.to.buffer->device->transfer_stream.reset();
    throw;
  }
}

Way make_way(Route route, const End& to, const End& from, std::size_t size_bytes,
             const char* operation) {
  Way way{route, to, from, size_bytes, size_bytes, nullptr, operation};
  if (route != Route::kStaged) return way;
  // Pinned by the device that reads or writes it.
  const End& pinning = from.buffer->host_addressable ? to : from;
  DeviceState& device = *pinning.buffer->device;
  way.chunk_bytes = device.runtime.links.chunk_bytes(from.buffer->device->info.name_text,
                                                     to.buffer->device->info.name_text, size_bytes);
  const std::size_t num_chunks = (size_bytes + way.chunk_bytes - 1) / way.chunk_bytes;
  const std::size_t num_slots = std::min(num_chunks, StagingRing::kMostSlots);
  way.ring = device.runtime.transfer.last_ring();
  if (way.ring == nullptr || !way.ring->fits(device, way.chunk_bytes, num_slots)) {
    way.ring =
        std::make_shared<StagingRing>(Device(pinning.buffer->device), way.chunk_bytes, num_slots);
  }
  return way;
}

Buffer handle_of(BufferState& buffer) {
  buffer.retain();
  return Buffer(&buffer);
}

/// Has a copy from `from` to `to`, which may go by other buffers, made by the transfer thread. If
/// the caller waits for it, this thread makes it where it can.
void post(BufferState& to, BufferState& from, const Way& way, bool blocks,
          std::vector<std::shared_ptr<TransferJob>> after, std::function<void()> work) {
  const auto job = std::make_shared<TransferJob>(handle_of(to), handle_of(from), way.route,
                                                 way.size_bytes, std::move(work));
  job->after = std::move(after);
  from.check_readable(way.operation);  // what is done already is not among them
  Transfer& transfer = from.device->runtime.transfer;
  std::optional<Transfer::Turn> turn = blocks ? transfer.take_turn(job, way.ring) : std::nullopt;
  if (!turn) transfer.add(job, way.ring);
  // Where a kernel unpacks, that is what knows.
  const bool rewrites = way.to.buffer == &to && way.size_bytes == to.size_bytes;
  try {
    from.note_use(job, TransferJob::kPosition, /*writes=*/false);
    to.note_use(job, TransferJob::kPosition, /*writes=*/true, rewrites);
  } catch (const std::bad_alloc&) {
    turn.reset();
    job->finish_quietly();  // no use goes unknown
    throw;
  }
  turn.reset();  // makes the copy
}

void post(const Way& way, bool blocks) {
  way.from.buffer->device->open(way.operation);
  way.to.buffer->device->open(way.operation);
  BufferState &to = *way.to.buffer, &from = *way.from.buffer;
  post(to, from, way, blocks, copies_to(from),
       [way, before = collect(to, from)] { make_copy(way, before); });
}

/// Whether a use of the buffer on that stream (null: on the host) would first wait on the host.
bool would_wait(StreamState* stream, BufferState& buffer, bool writes) {
  const bool waits = stream == nullptr || stream->completes_inline;
  for (const Position& use : buffer.uses_before(writes)) {
    if (waits || !stream->can_wait_for(*use.queue)) return true;
  }
  return false;
}

/// Whether it takes the transfer thread for the call to return at once.
bool would_wait(Route route, const End& to, const End& from, const char* operation) {
  if (route == Route::kSameDevice) return false;  // as an operation on the device
  StreamState* stream = nullptr;
  if (route != Route::kHostToHost) {
    DeviceState& device = mover(route, to, from);
    device.open();
    stream = &current_stream(device, operation);
  }
  return would_wait(stream, *to.buffer, true) || would_wait(stream, *from.buffer, false);
}

/// The kernels run on this thread's streams of their devices, which wait for each other's work.
bool would_wait(const CopySteps& steps, Route route, const char* operation) {
  DeviceState &to = *steps.to->device, &from = *steps.from->device;
  to.open();
  from.open();
  return &to.plugin != &from.plugin || (route == Route::kStaged && steps.unpack) ||
         would_wait(&current_stream(to, operation), *steps.to, true) ||
         would_wait(&current_stream(from, operation), *steps.from, false);
}

std::string_view label_of(const End& end) {
  return end.buffer != nullptr ? std::string_view(end.buffer->device->info.name_text) : "host";
}

RuntimeState& runtime_of(const End& to, const End& from) {
  return (from.buffer != nullptr ? from : to).buffer->device->runtime;
}

/// Asks the guard, and says in the trace what the copy is. Errors: kCopyForbidden; kInvalidArgument
/// for ends of two runtimes; kDeviceLost.
Route admit(const End& to, const End& from, std::size_t size_bytes, bool non_blocking,
            const char* operation, TraceSpan& span) {
  const Terminal source = terminal_of(from.buffer);
  const Terminal target = terminal_of(to.buffer);
  check_same_runtime(source, target, operation);
  const Route route = choose_route(source, target, non_blocking);
  honour_guard(target, source, route, size_bytes, operation);
  check_no_callback(operation);
  span.add("from", label_of(from));
  span.add("to", label_of(to));
  span.add("route", to_string(route));
  span.add("bytes", size_bytes);
  span.add("tag", context().tag);
  for (const End* end : {&from, &to}) {
    if (end->buffer != nullptr) end->buffer->device->check_alive(operation);
  }
  return route;
}

/// In the ledger.
void record(const End& to, const End& from, Route route, std::size_t size_bytes) {
  runtime_of(to, from).ledger.record(name_of(terminal_of(from.buffer)),
                                     name_of(terminal_of(to.buffer)), route, size_bytes);
}

/// After a call that failed half-way, for want of memory say: the copy may be queued, and the
/// caller will give its own memory back. Buffers are kept as long as it takes.
void finish_callers_memory(const End& to, const End& from, const char* operation) noexcept {
  if (to.buffer != nullptr && from.buffer != nullptr) return;
  DeviceState& device = *(to.buffer != nullptr ? to : from).buffer->device;
  if (!device.home.is_here() || device.handle.load() == nullptr) return;
  try {
    current_stream(device, operation).finish_quietly();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): in a callback nothing is queued
  }
}

/// Blocks until the copy is done: by the destination's last write or, where the caller's own
/// memory is an end, by the stream that moves it.
void finish(const End& to, const End& from, const char* operation) {
  if (to.buffer != nullptr && from.buffer != nullptr) {
    to.buffer->wait_on_host(/*writes=*/false, operation);
    to.buffer->check_readable(operation);
    return;
  }
  const BufferState& buffer = to.buffer != nullptr ? *to.buffer : *from.buffer;
  if (buffer.host_addressable) return;  // moved by the host itself
  current_stream(*buffer.device, operation).synchronize(PATCHBAY_NO_DEADLINE, operation);
}

}  // namespace

void copy_bytes(const End& to, const End& from, std::size_t size_bytes, bool non_blocking,
                const char* operation) {
  const bool is_same_place =
      to.buffer != nullptr && to.buffer == from.buffer && to.offset_bytes == from.offset_bytes;
  if (size_bytes == 0 || is_same_place) return;
  check_home(to, from, operation);
  if (Recorder* recorder = current_recorder()) [[unlikely]] {
    check_same_runtime(terminal_of(from.buffer), terminal_of(to.buffer), operation);
    return recorder->copy(to, from, size_bytes, operation);
  }
  TraceSpan span(runtime_of(to, from).tracing.tracer(), operation);
  // The caller's own memory is not ours to keep: such a copy is always complete on return.
  const bool blocks =
      !non_blocking || runtime_of(to, from).sync || to.buffer == nullptr || from.buffer == nullptr;
  const Route route = admit(to, from, size_bytes, !blocks, operation, span);
  if (route == Route::kStaged || (!blocks && would_wait(route, to, from, operation))) {
    post(make_way(route, to, from, size_bytes, operation), blocks);
    record(to, from, route, size_bytes);
    if (blocks) finish(to, from, operation);
    return;
  }
  try {
    const std::uint64_t known = BufferState::faults_so_far();
    move(route, to, from, size_bytes, operation);
    if (to.buffer != nullptr && size_bytes == to.buffer->size_bytes) {
      to.buffer->note_rewritten(known);
    }
    record(to, from, route, size_bytes);
    if (blocks) finish(to, from, operation);
  } catch (...) {
    finish_callers_memory(to, from, operation);
    throw;
  }
}

void copy_in_steps(const CopySteps& steps, const End& to, const End& from, std::size_t size_bytes,
                   bool non_blocking, const char* operation) {
  if (size_bytes == 0) return;
  check_home(to, from, operation);
  if (current_recorder() != nullptr) [[unlikely]] {
    if (steps.pack) steps.pack();
    copy_bytes(to, from, size_bytes, non_blocking, operation);
    if (steps.unpack) steps.unpack();
    return;
  }
  non_blocking = non_blocking && !runtime_of(to, from).sync;
  const Terminal source = terminal_of(from.buffer), target = terminal_of(to.buffer);
  // As of a copy that returns at once, for the kernel that unpacks follows it.
  const Route route = choose_route(source, target, /*non_blocking=*/true);
  if (non_blocking && would_wait(steps, route, operation)) {
    TraceSpan span(runtime_of(to, from).tracing.tracer(), operation);
    admit(to, from, size_bytes, non_blocking, operation, span);
    const Way way = make_way(route, to, from, size_bytes, operation);
    post(*steps.to, *steps.from, way, /*blocks=*/false, copies_to(*steps.from), [way, steps] {
      if (steps.pack) steps.pack();
      make_copy(way, collect(*way.to.buffer, *way.from.buffer));
      if (!steps.unpack) return;
      steps.unpack();
      steps.to->wait_on_host(/*writes=*/false);  // the end of the copy is that of its last kernel
    });
    record(to, from, route, size_bytes);
    return;
  }
  if (steps.pack) steps.pack();
  // What is staged would change threads, and the kernel that unpacks wait for it on the host.
  copy_bytes(to, from, size_bytes, non_blocking || route != Route::kStaged, operation);
  if (steps.unpack) steps.unpack();
  if (!non_blocking) finish({steps.to, 0, nullptr}, {steps.from, 0, nullptr}, operation);
}

void queue_to_device(StreamState& stream, const End& to, const End& from, std::size_t size_bytes,
                     const char* operation) {
  submit_leg(Route::kHostToDevice, stream, to, from, size_bytes, operation);
}

void queue_to_host(StreamState& stream, const End& to, const End& from, std::size_t size_bytes,
                   const char* operation) {
  submit_leg(Route::kDeviceToHost, stream, to, from, size_bytes, operation);
}

/// Two buffers may wrap memory that overlaps.
void copy_on_host(const End& to, const End& from, std::size_t size_bytes) {
  std::memmove(host_address(to), host_address(from), size_bytes);
}

void check_copy_allowed(DeviceState& to, const BufferState* from, std::size_t size_bytes,
                        const char* operation) {
  if (context().guard != CopyGuard::Mode::kForbid || size_bytes == 0) return;
  const Terminal source = terminal_of(from);
  const Terminal target = {&to, PATCHBAY_MEMORY_DEVICE, to.info.properties.host_addressable};
  honour_guard(target, source, choose_route(source, target, false), size_bytes, operation);
}

void check_fetch_allowed(const BufferState& from, std::size_t size_bytes, const char* operation) {
  if (context().guard != CopyGuard::Mode::kForbid || size_bytes == 0) return;
  const Terminal source = terminal_of(&from);
  honour_guard({}, source, choose_route(source, {}, false), size_bytes, operation);
}

void record_kernel_copy(DeviceState& device, std::size_t size_bytes) {
  if (Recorder* recorder = current_recorder()) [[unlikely]] {
    return recorder->kernel_copy(device, size_bytes);
  }
  device.runtime.ledger.record(device.info.name_text, device.info.name_text, Route::kSameDevice,
                               size_bytes);
}

}  // namespace patchbay::runtime
