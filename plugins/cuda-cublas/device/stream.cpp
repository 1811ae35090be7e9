// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/device/stream.hpp"

#include <string>

#include "cuda-cublas/device/allocator.hpp"
#include "cuda-cublas/device/device.hpp"
#include "cuda-cublas/device/event.hpp"
#include "cuda-cublas/device/polling.hpp"

namespace patchbay::cuda {
namespace {

/// The driver's lowest priority is the normal one.
int priority_of(Context& context, std::uint32_t flags) {
  if ((flags & PATCHBAY_STREAM_HIGH) == 0) return 0;
  int least = 0, greatest = 0;
  context.call(context.driver().context_stream_priorities, &least, &greatest);
  return greatest;
}

StreamHandle create(Context& context, std::uint32_t flags) {
  NativeStream stream = nullptr;
  // kStreamNonBlocking: does not wait for the application's work on the default stream.
  context.call(context.driver().stream_create, &stream, static_cast<unsigned>(kStreamNonBlocking),
               priority_of(context, flags));
  return {context, stream};
}

/// Checks the other device of an operation. Its loss does not lose this device.
void check_other(Context& other, const char* doing) {
  if (!other.is_lost()) return;
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, std::string(doing) + ": " + other.why_lost());
}

}  // namespace

Stream::Stream(Context& context, std::uint32_t flags)
    : context_(context),
      owned_(create(context, flags)),
      native_(owned_.get()),
      number_(context.launches().new_stream()) {}

Stream::Stream(Context& context, NativeStream borrowed)
    : context_(context), native_(borrowed), number_(context.launches().new_stream()) {}

Stream::~Stream() {
  callbacks_.reset();
  context_.call_quietly(context_.driver().stream_synchronize, native_);
  context_.launches().forget(context_.launches().last(number_));
}

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  context_.call(context_.driver().copy_to_device, address_of(to), from, size_bytes, native_);
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  context_.call(context_.driver().copy_to_host, to, address_of(from), size_bytes, native_);
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  context_.call(context_.driver().copy_on_device, address_of(to), address_of(from), size_bytes,
                native_);
}

void Stream::copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                          std::uint64_t size_bytes) {
  auto& target = static_cast<Device&>(to_device);
  check_other(target.context(), "copying to another device");
  context_.enable_access(target.context());
  context_.call(context_.driver().copy_to_peer, address_of(to), target.context().native(),
                address_of(from), context_.native(), size_bytes, native_);
}

void Stream::record(plugin::Event& event) {
  auto& recorded = static_cast<Event&>(event);
  const Position position = context_.launches().last(number_);
  context_.call(context_.driver().event_record, recorded.native(), native_);
  recorded.set(position);
}

void Stream::wait_event(plugin::Event& event) {
  auto& awaited = static_cast<Event&>(event);
  Context& other = awaited.context();
  if (&other != &context_) {
    // Query the event first, because our own call would return the other device's error.
    const auto& query = context_.driver().event_query;
    if (!other.is_lost()) other.notice(query.name, other.attempt(query, awaited.native()));
    check_other(other, "waiting for an event");
  }
  context_.call(context_.driver().stream_wait_event, native_, awaited.native(), 0u);
}

/// Submitted work starts by itself.
void Stream::flush() { context_.check_alive(); }

bool Stream::synchronize(std::uint64_t deadline_ns) {
  const DriverTable& driver = context_.driver();
  const Position position = context_.launches().last(number_);
  if (deadline_ns == PATCHBAY_NO_DEADLINE) {
    context_.call(driver.stream_synchronize, native_);
  } else if (!poll(context_, driver.stream_query, native_, host(), deadline_ns)) {
    return false;
  }
  context_.launches().forget(position);
  return true;
}

/// Makes the call on a thread that waits for events. The driver's own host functions delay later
/// work on the stream, and are not called if earlier work failed.
void Stream::add_callback(plugin::Callback callback) {
  if (callbacks_ == nullptr) callbacks_ = std::make_unique<device::Worker>();
  const auto event = std::make_shared<const EventHandle>(
      cuda::create_event(context_, kEventBlockingSync | kEventDisableTiming));
  context_.call(context_.driver().event_record, event->get(), native_);
  const auto shared = std::make_shared<plugin::Callback>(std::move(callback));
  callbacks_->post([this, event, shared] {
    shared->call_after([&] { context_.call(context_.driver().event_synchronize, event->get()); });
  });
}

void Stream::launch(std::string_view name, NativeFunction function, const LaunchGrid& grid,
                    std::uint32_t shared_bytes, void** arguments) {
  const auto& [groups, size] = grid;
  const auto& entry = context_.driver().launch;
  const Result code =
      context_.attempt(entry, function, groups[0], groups[1], groups[2], size[0], size[1], size[2],
                       shared_bytes, native_, arguments, static_cast<void**>(nullptr));
  if (code != kSuccess) context_.fail(entry.name, code, name);
  note(name);
}

}  // namespace patchbay::cuda
