// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/copy.h"

#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/runtime/copy/copy_plan.h"
#include "core/runtime/copy/host_copier.h"
#include "core/runtime/copy/posted_copy.h"
#include "core/runtime/device/context.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/kernel/launch.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/fault.h"
#include "core/runtime/stream/stream_scope.h"
#include "core/runtime/stream/stream_trace.h"

namespace patchbay::runtime {
namespace {

EndpointTraits traits_of(const BufferState* buffer) {
  if (buffer == nullptr) return {};
  return {buffer->device.get(), static_cast<std::uint32_t>(buffer->kind), buffer->host_addressable};
}

/// The device's own memory.
EndpointTraits traits_of(DeviceState& device) {
  return {&device, PATCHBAY_MEMORY_DEVICE, device.info.properties.host_addressable};
}

char* host_address(const CopyAddress& address) {
  if (address.buffer == nullptr) return static_cast<char*>(address.host);
  const patchbay_memory& memory = address.buffer->memory;
  return static_cast<char*>(memory.base) + memory.offset_bytes + address.offset_bytes;
}

patchbay_memory device_address(const CopyAddress& address) {
  const patchbay_memory& memory = address.buffer->memory;
  return {memory.base, memory.offset_bytes + address.offset_bytes};
}

/// Throws the failure of the work that was to write the source. Called after the waits, when it is
/// known.
void check_source(const CopyRequest& request) {
  if (request.from.buffer != nullptr) request.from.buffer->check_readable(request.operation);
}

/// Errors: kInvalidArgument for buffers of two runtimes, or in a child of fork.
void check_addresses(const CopyRequest& request) {
  for (const CopyAddress* address : {&request.to, &request.from}) {
    if (address->buffer != nullptr) address->buffer->device->check_home(request.operation);
  }
  check_same_runtime(traits_of(request.from.buffer), traits_of(request.to.buffer),
                     request.operation);
}

Route route_of(const CopyRequest& request, bool non_blocking) {
  return choose_route(traits_of(request.from.buffer), traits_of(request.to.buffer),
                      request.size_bytes, non_blocking)
      .route;
}

/// Whether the copy is complete on return even if the call asks for a non-blocking one: the
/// caller's own memory can't be kept alive.
bool always_blocks(const CopyRequest& request) {
  return request.runtime().sync || !request.has_two_buffers();
}

void wait_on_host(const CopyRequest& request) {
  BufferState *const to = request.to.buffer, *const from = request.from.buffer;
  if (to != nullptr) to->wait_on_host(/*writes=*/true, request.operation);
  if (from != nullptr) from->wait_on_host(/*writes=*/false, request.operation);
  check_source(request);
}

/// Calls the plugin's entry for a route without staging.
patchbay_status* enter(const CopyRequest& request, StreamState& stream) {
  const patchbay_memory_table& entries = stream.device.plugin.tables.memory;
  const auto& [to, from, size_bytes, operation, route, chunk_bytes, ring] = request;
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

std::string_view label_of(const CopyAddress& address) {
  return address.buffer != nullptr ? std::string_view(address.buffer->device->info.name_text)
                                   : "host";
}

/// Pinned memory is the host's.
std::string_view memory_of(const CopyAddress& address) {
  const bool is_pinned = address.buffer != nullptr && address.buffer->kind == MemoryKind::kPinned;
  return is_pinned ? "host" : label_of(address);
}

Submission submission_of(const CopyRequest& request) {
  return {.name = request.operation,
          .is_copy = true,
          .size_bytes = request.size_bytes,
          .from = memory_of(request.from),
          .to = memory_of(request.to)};
}

/// Inserts the waits that the buffers need, submits to this thread's stream of the device that
/// makes the copy and notes the new position.
void submit(const CopyRequest& request) {
  BufferState *const to = request.to.buffer, *const from = request.from.buffer;
  const char* const operation = request.operation;
  DeviceState& device = request.mover();
  device.open(operation);
  StreamState& stream = current_stream(device, operation);
  if (stream.completes_inline) {
    wait_on_host(request);
    const output::NoDelivery no_delivery;
    const InlineSpan span(stream, submission_of(request));
    check_call(device, enter(request, stream), operation);
    return;
  }
  if (to != nullptr) to->insert_waits(stream, /*writes=*/true, operation);
  if (from != nullptr) from->insert_waits(stream, /*writes=*/false, operation);
  check_source(request);
  stream.submit(
      submission_of(request),
      [&](std::uint64_t sequence) {
        if (to != nullptr) to->note_use(stream, sequence, /*writes=*/true);
        if (from != nullptr) from->note_use(stream, sequence, /*writes=*/false);
      },
      [&](patchbay_stream*) { return enter(request, stream); });
}

/// Queues the copy on a stream, or makes it on the host.
void move(const CopyRequest& request) {
  if (request.route != Route::kHostToHost) return submit(request);
  wait_on_host(request);
  copy_on_host(request.to, request.from, request.size_bytes);
}

/// Checks the guard. It concerns movement between memories, so not copies within a device.
void honour_guard(const EndpointTraits& to, const EndpointTraits& from, Route route,
                  std::size_t size_bytes, const char* operation) {
  const Context& scope = context();
  if (scope.guard == CopyGuard::Mode::kAllow || route == Route::kSameDevice) return;
  const std::string what = fmt::format("[{}] copy of {} bytes from {} to {} ({})", operation,
                                       size_bytes, name_of(from), name_of(to), to_string(route));
  if (scope.guard == CopyGuard::Mode::kForbid) {
    base::raise(
        ErrorCode::kCopyForbidden,
        "{} inside a CopyGuard: expected that nothing moves. Move it out of the guarded block{}, "
        "or allow it with CopyGuard(CopyGuard::Mode::kAllow).",
        what,
        route == Route::kScalar
            ? fmt::format(", pass a number or a 0-d tensor that is on {}", name_of(to))
            : "");
  }
  DeviceState* device = from.device != nullptr ? from.device : to.device;
  if (device != nullptr) {
    device->runtime.logger.log(LogLevel::kWarning, "{} inside a CopyGuard", what);
  }
}

/// Checks the guard and adds the copy to the trace. Errors: kCopyForbidden; kDeviceLost.
void admit(const CopyRequest& request, TraceSpan& span) {
  honour_guard(traits_of(request.to.buffer), traits_of(request.from.buffer), request.route,
               request.size_bytes, request.operation);
  check_no_callback(request.operation);
  span.add("from", label_of(request.from));
  span.add("to", label_of(request.to));
  span.add("route", to_string(request.route));
  span.add("bytes", request.size_bytes);
  span.add("tag", context().tag);
  for (const CopyAddress* address : {&request.from, &request.to}) {
    if (address->buffer != nullptr) address->buffer->device->check_alive(request.operation);
  }
}

void record(const CopyRequest& request) {
  request.runtime().ledger.record(name_of(traits_of(request.from.buffer)),
                                  name_of(traits_of(request.to.buffer)), request.route,
                                  request.size_bytes);
}

/// After a call that failed half-way, for example for lack of memory: the copy may be queued, and
/// the caller is about to free its own memory, so wait. Buffers need no wait: uses keep them alive.
void finish_callers_memory(const CopyRequest& request) noexcept {
  if (request.has_two_buffers()) return;
  const CopyAddress& address = request.to.buffer != nullptr ? request.to : request.from;
  DeviceState& device = *address.buffer->device;
  if (!device.home.is_here() || device.handle.load() == nullptr) return;
  try {
    current_stream(device, request.operation).finish_quietly();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a callback queues nothing
  }
}

/// Blocks until the copy is done: waits for the destination's last write or, if one end is the
/// caller's own memory, for the stream that moves it.
void finish(const CopyRequest& request) {
  if (request.has_two_buffers()) {
    request.to.buffer->wait_on_host(/*writes=*/false, request.operation);
    request.to.buffer->check_readable(request.operation);
    return;
  }
  const CopyAddress& address = request.to.buffer != nullptr ? request.to : request.from;
  if (address.buffer->host_addressable) return;  // the host itself copied it
  current_stream(*address.buffer->device, request.operation)
      .synchronize(PATCHBAY_NO_DEADLINE, request.operation);
}

/// Makes the copy on the host, queues it on a stream, or posts it to the transfer thread.
void carry_out(const CopyRequest& request, bool blocks) {
  TraceSpan span(request.runtime().tracing.spans(), request.operation);
  admit(request, span);
  const BufferAccess written{request.to.buffer, /*writes=*/request.to.buffer != nullptr,
                             /*reads=*/false};
  const WriteScope scope({&written, 1});
  if (request.route == Route::kStaged || (!blocks && would_wait(request))) {
    post(request, blocks);
    record(request);
    if (blocks) finish(request);
    return;
  }
  BufferState* const to = request.to.buffer;
  try {
    const std::uint64_t known = BufferState::faults_so_far();
    move(request);
    if (to != nullptr && request.size_bytes == to->size_bytes) to->note_rewritten(known);
    record(request);
    if (blocks) finish(request);
  } catch (...) {
    finish_callers_memory(request);
    throw;
  }
}

/// For profiles.
void note_host_copy(const Tracing& tracing, const Submission& what, std::uint64_t begin_ns) {
  const std::uint64_t end_ns = base::now_ns();
  if (const Profilers profilers = tracing.profilers()) {
    add_measured(profilers, "host", what, end_ns - begin_ns);
  }
}

}  // namespace

void submit_leg(const CopyRequest& request, StreamState& stream) {
  stream.submit(
      submission_of(request), [](std::uint64_t) {},
      [&](patchbay_stream*) { return enter(request, stream); });
}

/// Two buffers may wrap memory that overlaps.
void copy_on_host(const CopyAddress& to, const CopyAddress& from, std::size_t size_bytes) {
  const RuntimeState& runtime = (to.buffer != nullptr ? to : from).buffer->device->runtime;
  const Tracing& tracing = runtime.tracing;
  const std::uint64_t begin_ns = tracing.is_on() ? base::now_ns() : 0;
  runtime.host_copier.copy(host_address(to), host_address(from), size_bytes);
  if (begin_ns != 0)
    note_host_copy(tracing, submission_of({to, from, size_bytes, "copy"}), begin_ns);
}

void copy_bytes(const CopyAddress& to, const CopyAddress& from, std::size_t size_bytes,
                bool non_blocking, const char* operation) {
  const bool is_same_memory =
      to.buffer != nullptr && to.buffer == from.buffer && to.offset_bytes == from.offset_bytes;
  if (size_bytes == 0 || is_same_memory) return;
  CopyRequest request{to, from, size_bytes, operation};
  check_addresses(request);
  if (Recorder* recorder = current_recorder()) [[unlikely]] {
    return recorder->copy(to, from, size_bytes, operation);
  }
  const bool blocks = !non_blocking || always_blocks(request);
  request.route = route_of(request, !blocks);
  carry_out(request, blocks);
}

void copy_in_steps(const CopySteps& steps, const CopyAddress& to, const CopyAddress& from,
                   std::size_t size_bytes, bool non_blocking, const char* operation) {
  if (size_bytes == 0) return;
  CopyRequest request{to, from, size_bytes, operation};
  check_addresses(request);
  if (Recorder* recorder = current_recorder()) [[unlikely]] {
    if (steps.pack) steps.pack();
    recorder->copy(to, from, size_bytes, operation);
    if (steps.unpack) steps.unpack();
    return;
  }
  non_blocking = non_blocking && !request.runtime().sync;
  // As for a copy that returns at once: the unpacking kernel is queued after it.
  request.route = route_of(request, /*non_blocking=*/true);
  if (non_blocking && would_wait(steps, request)) {
    TraceSpan span(request.runtime().tracing.spans(), operation);
    admit(request, span);
    post(request, steps);
    record(request);
    return;
  }
  if (steps.pack) steps.pack();
  // A staged copy here blocks: else the unpacking kernel would wait on the host for another thread.
  const bool blocks = (!non_blocking && request.route == Route::kStaged) || always_blocks(request);
  if (blocks) request.route = route_of(request, /*non_blocking=*/false);
  carry_out(request, blocks);
  if (steps.unpack) steps.unpack();
  if (!non_blocking) finish({{steps.to}, {steps.from}, size_bytes, operation});
}

void check_copy_allowed(DeviceState& to, const BufferState* from, std::size_t size_bytes,
                        const char* operation) {
  if (context().guard != CopyGuard::Mode::kForbid || size_bytes == 0) return;
  const EndpointTraits source = traits_of(from);
  const EndpointTraits target = traits_of(to);
  honour_guard(target, source,
               choose_route(source, target, size_bytes, /*non_blocking=*/false).route, size_bytes,
               operation);
}

void check_fetch_allowed(const BufferState& from, std::size_t size_bytes, const char* operation) {
  if (context().guard != CopyGuard::Mode::kForbid || size_bytes == 0) return;
  const EndpointTraits source = traits_of(&from);
  honour_guard({}, source, choose_route(source, {}, size_bytes, /*non_blocking=*/false).route,
               size_bytes, operation);
}

void check_scalar_allowed(DeviceState& to, const BufferState& from, std::size_t size_bytes,
                          const char* operation) {
  if (context().guard != CopyGuard::Mode::kForbid) return;
  honour_guard(traits_of(to), traits_of(&from), Route::kScalar, size_bytes, operation);
}

void record_scalar(DeviceState& to, const BufferState& from, std::size_t size_bytes,
                   const char* operation) {
  honour_guard(traits_of(to), traits_of(&from), Route::kScalar, size_bytes, operation);
  to.runtime.ledger.record(from.device->info.name_text, to.info.name_text, Route::kScalar,
                           size_bytes);
}

void look_at(const CopyAddress& from, std::size_t size_bytes, const char* operation,
             const Look& look) {
  std::vector<std::byte> bytes(size_bytes);
  const CopyGuard allowed(CopyGuard::Mode::kAllow);
  const CopyTag tag("validation");
  copy_bytes({nullptr, 0, bytes.data()}, from, size_bytes, /*non_blocking=*/false, operation);
  look(bytes);
}

void record_kernel_copy(DeviceState& device, std::size_t size_bytes) {
  if (Recorder* recorder = current_recorder()) [[unlikely]] {
    return recorder->kernel_copy(device, size_bytes);
  }
  device.runtime.ledger.record(device.info.name_text, device.info.name_text, Route::kSameDevice,
                               size_bytes);
}

}  // namespace patchbay::runtime
