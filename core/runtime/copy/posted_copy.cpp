// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/copy/posted_copy.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/runtime/copy/host_copier.h"
#include "core/runtime/copy/links.h"
#include "core/runtime/copy/staging.h"
#include "core/runtime/copy/transfer.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay::runtime {
namespace {

using Events = std::vector<std::shared_ptr<EventState>>;

/// Events that a copy must wait for before it uses either end.
struct EarlierWork {
  Events to, from;
};

/// The unfinished copies that write `buffer`.
std::vector<std::shared_ptr<TransferJob>> copies_to(BufferState& buffer) {
  std::vector<std::shared_ptr<TransferJob>> copies;
  for (const Position& use : buffer.uses_before(/*writes=*/false)) {
    if (auto copy = std::dynamic_pointer_cast<TransferJob>(use.queue)) {
      copies.push_back(std::move(copy));
    }
  }
  return copies;
}

/// Waits for uses that are neither on a stream nor such a copy: collective operations, which may
/// themselves post copies that this one would hold up.
void finish_other_work(BufferState& buffer, bool writes, const char* operation) {
  for (const Position& use : buffer.uses_before(writes)) {
    if (use.queue->as_stream() != nullptr || dynamic_cast<TransferJob*>(use.queue.get()) != nullptr)
      continue;
    if (use.inherited) {
      use.queue->finish_quietly();
    } else {
      use.queue->wait_on_host(use.sequence, operation, PATCHBAY_NO_DEADLINE);
    }
  }
}

/// Records the events now, so that work queued later does not delay the copy.
EarlierWork record_earlier_work(BufferState& to, BufferState& from) {
  const auto record = [](BufferState& buffer, bool writes) {
    Events events;
    for (const Position& use : buffer.uses_before(writes)) {
      StreamState* const stream = use.queue->as_stream();
      if (stream == nullptr) continue;
      try {
        auto event = stream->record_unless_done(use.sequence, "copy", stream->device.shared());
        if (event != nullptr) events.push_back(std::move(event));
      } catch (const Error&) {
        if (!use.inherited) throw;
        stream->finish_quietly();  // the failure belongs to an earlier buffer
      }
    }
    return events;
  };
  return {record(to, /*writes=*/true), record(from, /*writes=*/false)};
}

/// The stream for copies of the transfer queue; used only by the thread whose turn it is.
StreamState& transfer_stream(DeviceState& device) {
  if (device.transfer_stream == nullptr) {
    patchbay_stream* stream = nullptr;
    const std::uint32_t flags = device.stream_flags(0);
    check_call(device, device.plugin.tables.stream.create(device.open(), flags, &stream), "copy");
    auto made =
        std::make_unique<StreamState>(device, nullptr, own_stream(device, stream, "copy"), flags);
    made->drop_times();
    device.add_stream(*made);
    device.transfer_stream = {made.release(), [](StreamState* ended) { delete ended; }};
  }
  return *device.transfer_stream;
}

/// Waits on that stream or, if it is null, on the host.
void wait_for(StreamState* stream, const Events& events) {
  for (const auto& event : events) {
    stream != nullptr ? stream->wait(event) : event->wait(PATCHBAY_NO_DEADLINE);
  }
}

/// An end that the host can address has no stream here: the host makes that leg.
void move_in_chunks(const CopyRequest& request, const EarlierWork& earlier) {
  const auto stream_of = [](const CopyAddress& address) {
    return address.buffer->host_addressable ? nullptr : &transfer_stream(*address.buffer->device);
  };
  StreamState *const source = stream_of(request.from), *const target = stream_of(request.to);
  wait_for(source, earlier.from);
  wait_for(target, earlier.to);
  stage(source, target, request);
  if (target != nullptr) target->synchronize(PATCHBAY_NO_DEADLINE);
  if (source != nullptr) source->synchronize(PATCHBAY_NO_DEADLINE);
}

void move_on_streams(const CopyRequest& request, const EarlierWork& earlier) {
  if (request.route == Route::kStaged) return move_in_chunks(request, earlier);
  StreamState& stream = transfer_stream(request.mover());
  wait_for(&stream, earlier.from);
  wait_for(&stream, earlier.to);
  submit_leg(request, stream);
  stream.synchronize(PATCHBAY_NO_DEADLINE);
}

/// Makes the copy, on the thread whose turn it is.
void make_copy(const CopyRequest& request, const EarlierWork& earlier) {
  if (request.route == Route::kHostToHost) {
    wait_for(nullptr, earlier.from);
    wait_for(nullptr, earlier.to);
    return copy_on_host(request.to, request.from, request.size_bytes);
  }
  try {
    move_on_streams(request, earlier);
  } catch (...) {
    // A failed stream stays failed, so the next copy gets new ones.
    request.from.buffer->device->transfer_stream.reset();
    request.to.buffer->device->transfer_stream.reset();
    throw;
  }
}

/// Finds chunks for a staged copy, pinned by a device that reads or writes them.
void prepare_staging(CopyRequest& request) {
  if (request.route != Route::kStaged) return;
  const BufferState &to = *request.to.buffer, &from = *request.from.buffer;
  const Device pinning(from.host_addressable ? to.device : from.device);
  RuntimeState& runtime = request.runtime();
  request.chunk_bytes = runtime.links.chunk_bytes(
      from.device->info.name_text, to.device->info.name_text, request.size_bytes,
      runtime.host_copier.chunk_bytes(from.host_addressable || to.host_addressable));
  const std::size_t num_chunks =
      (request.size_bytes + request.chunk_bytes - 1) / request.chunk_bytes;
  const std::size_t num_slots = std::min(num_chunks, StagingRing::kMostSlots);
  request.ring = runtime.transfer.last_ring();
  if (request.ring == nullptr ||
      !request.ring->fits(pinning.state(), request.chunk_bytes, num_slots)) {
    request.ring = std::make_shared<StagingRing>(pinning, request.chunk_bytes, num_slots);
  }
}

Buffer handle_of(BufferState& buffer) {
  buffer.retain();
  return Buffer(&buffer);
}

/// Queues `work`, which copies from `from` to `to`. `request` may use other buffers.
void post(BufferState& to, BufferState& from, const CopyRequest& request, bool blocks,
          std::function<void()> work) {
  const auto job = std::make_shared<TransferJob>(handle_of(to), handle_of(from), request.route,
                                                 request.size_bytes, std::move(work));
  job->after = copies_to(from);
  from.check_readable(request.operation);  // throws failures of finished work
  Transfer& transfer = from.device->runtime.transfer;
  std::optional<Transfer::OwnCopy> own_copy =
      blocks ? transfer.take_over(job, request.ring) : std::nullopt;
  if (!own_copy) transfer.add(job, request.ring);
  // If a kernel unpacks the bytes, its launch notes that.
  const bool rewrites = request.to.buffer == &to && request.size_bytes == to.size_bytes;
  try {
    from.note_use(job, TransferJob::kPosition, /*writes=*/false);
    to.note_use(job, TransferJob::kPosition, /*writes=*/true, rewrites);
  } catch (const std::bad_alloc&) {
    own_copy.reset();
    job->finish_quietly();  // the buffers may not have noted it
    throw;
  }
  own_copy.reset();  // makes the copy
}

/// Whether using the buffer on that stream (null: on the host) has to wait on the host first.
bool would_wait(StreamState* stream, BufferState& buffer, bool writes) {
  const bool waits = stream == nullptr || stream->completes_inline;
  for (const Position& use : buffer.uses_before(writes)) {
    if (waits || !stream->can_wait_for(*use.queue)) return true;
  }
  return false;
}

}  // namespace

bool would_wait(const CopyRequest& request) {
  if (request.route == Route::kSameDevice) return false;  // queued like an operation on the device
  StreamState* stream = nullptr;
  if (request.route != Route::kHostToHost) {
    DeviceState& device = request.mover();
    device.open();
    stream = &current_stream(device, request.operation);
  }
  return would_wait(stream, *request.to.buffer, true) ||
         would_wait(stream, *request.from.buffer, false);
}

bool would_wait(const CopySteps& steps, const CopyRequest& request) {
  DeviceState &to = *steps.to->device, &from = *steps.from->device;
  to.open();
  from.open();
  return &to.plugin != &from.plugin || (request.route == Route::kStaged && steps.unpack) ||
         would_wait(&current_stream(to, request.operation), *steps.to, true) ||
         would_wait(&current_stream(from, request.operation), *steps.from, false);
}

void post(CopyRequest request, bool blocks) {
  prepare_staging(request);
  BufferState &to = *request.to.buffer, &from = *request.from.buffer;
  finish_other_work(to, /*writes=*/true, request.operation);
  finish_other_work(from, /*writes=*/false, request.operation);
  from.device->open(request.operation);
  to.device->open(request.operation);
  post(to, from, request, blocks,
       [request, earlier = record_earlier_work(to, from)] { make_copy(request, earlier); });
}

void post(CopyRequest request, const CopySteps& steps) {
  prepare_staging(request);
  finish_other_work(*steps.to, /*writes=*/true, request.operation);
  finish_other_work(*steps.from, /*writes=*/false, request.operation);
  post(*steps.to, *steps.from, request, /*blocks=*/false, [request, steps] {
    if (steps.pack) steps.pack();
    make_copy(request, record_earlier_work(*request.to.buffer, *request.from.buffer));
    if (!steps.unpack) return;
    steps.unpack();
    steps.to->wait_on_host(/*writes=*/false);  // the copy ends with its last kernel
  });
}

}  // namespace patchbay::runtime
