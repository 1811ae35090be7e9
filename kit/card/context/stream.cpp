// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/card/context/stream.hpp"

#include <string>

#include "kit/card/context/allocator.hpp"
#include "kit/card/context/context.hpp"
#include "kit/card/context/polling.hpp"

namespace patchbay::card {

bool Event::is_done() {
  if (!is_over(context_, context_.api().event_query, native())) return false;
  context_.launches().forget(position_);
  return true;
}

bool Event::wait(std::uint64_t deadline_ns) {
  if (deadline_ns == PATCHBAY_NO_DEADLINE) {
    context_.wait(context_.api().event_synchronize, native());
  } else if (!poll(context_, context_.api().event_query, native(), host(), deadline_ns)) {
    return false;
  }
  context_.launches().forget(position_);
  return true;
}

std::uint64_t Event::nanoseconds_since(plugin::Event& earlier) {
  if (!is_done() || !earlier.is_done()) plugin::invalid_argument("the event has no time yet");
  float milliseconds = 0;
  context_.call(context_.api().event_elapsed, &milliseconds, static_cast<Event&>(earlier).native(),
                native());
  return milliseconds > 0 ? static_cast<std::uint64_t>(double{milliseconds} * 1e6) : 0;
}

namespace {

constexpr const char* kCopying = "copying";

/// The driver's lowest priority is the normal one.
int priority_of(Context& context, std::uint32_t flags) {
  if ((flags & PATCHBAY_STREAM_HIGH) == 0) return 0;
  int least = 0, greatest = 0;
  context.call(context.api().stream_priorities, &least, &greatest);
  return greatest;
}

std::shared_ptr<const EventHandle> make_end(Context& context) {
  return std::make_shared<const EventHandle>(
      create_event(context, kEventBlockingSync | kEventDisableTiming));
}

StreamHandle create(Context& context, std::uint32_t flags) {
  NativeStream stream = nullptr;
  // kStreamNonBlocking: does not wait for the application's work on the default stream.
  context.call(context.api().stream_create, &stream, static_cast<unsigned>(kStreamNonBlocking),
               priority_of(context, flags));
  return {context, stream};
}

/// Checks the other device of an operation. Its loss does not lose this device.
void check_other(Context& other, const char* doing) {
  if (!other.is_lost()) return;
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, std::string(doing) + ": " + other.why_lost());
}

[[noreturn]] void bad_grid(std::string_view name, const std::string& what) {
  plugin::invalid_argument(std::string(name) + ": grid: " + what);
}

/// Checks the limits of the kernel, of all cards and of the vendor: `most_items` along an axis.
void check_grid(std::string_view name, const Function& function, const LaunchGrid& grid,
                std::uint64_t most_items) {
  constexpr std::uint32_t kMostGroups = 65535, kMostDeep = 64;
  const auto& [groups, size] = grid;
  if (groups[1] > kMostGroups || groups[2] > kMostGroups) {
    bad_grid(name, std::to_string(groups[1]) + " and " + std::to_string(groups[2]) +
                       " groups along axes 1 and 2: expected at most 65535");
  }
  if (size[2] > kMostDeep) {
    bad_grid(name, "a group of " + std::to_string(size[2]) +
                       " work-items along axis 2: expected at most 64");
  }
  const std::uint64_t items = std::uint64_t{size[0]} * size[1] * size[2];
  if (items > function.max_group_size) {
    bad_grid(name, "a group of " + std::to_string(items) + " work-items: this kernel allows " +
                       std::to_string(function.max_group_size));
  }
  for (std::size_t axis = 0; axis < groups.size(); ++axis) {
    const std::uint64_t along = std::uint64_t{groups[axis]} * size[axis];
    if (along > most_items) {
      bad_grid(name, std::to_string(along) + " work-items along axis " + std::to_string(axis) +
                         ": this device takes at most " + std::to_string(most_items));
    }
  }
}

}  // namespace

Stream::Stream(Context& context, std::uint32_t flags)
    : context_(context),
      owned_(create(context, flags)),
      native_(owned_.get()),
      number_(context.launches().new_stream()) {}

Stream::Stream(Context& context, NativeStream borrowed)
    : context_(context),
      native_(borrowed),
      number_(context.launches().new_stream()),
      end_(make_end(context)) {}

Stream::~Stream() {
  callbacks_.reset();
  if (!is_recorded()) context_.call_quietly(context_.api().stream_synchronize, native_);
  context_.launches().forget(context_.launches().last(number_));
}

bool Stream::is_recorded() const {
  if (owned_.get() != nullptr) return false;
  int status = kNotCapturing;
  const Result code = context_.call_quietly(context_.api().stream_is_capturing, native_, &status);
  // The code is that of the default stream, where a stream that waits for it is recorded.
  return code == kErrorStreamCaptureImplicit || status != kNotCapturing;
}

void Stream::check_not_recorded(const char* doing) const {
  if (!is_recorded()) return;
  const bool is_default = reinterpret_cast<std::uintptr_t>(native_) <= kLegacyStream;
  plugin::invalid_argument(
      std::string(doing) + ": the application records " +
      (is_default ? "a stream that waits for the default stream" : "this stream") +
      " into a graph; end that first");
}

template <class Entry, class... Arguments>
void Stream::submit(const Entry& entry, const Arguments&... arguments) {
  context_.call(entry, arguments...);
  mark_end();
}

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  check_not_recorded(kCopying);
  submit(context_.api().copy_to_device, address_of(to), from, size_bytes, native_);
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  check_not_recorded(kCopying);
  submit(context_.api().copy_to_host, to, address_of(from), size_bytes, native_);
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  check_not_recorded(kCopying);
  submit(context_.api().copy_on_device, address_of(to), address_of(from), size_bytes, native_);
}

void Stream::copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                          std::uint64_t size_bytes) {
  check_not_recorded(kCopying);
  auto& target = static_cast<PeerDevice&>(to_device);
  check_other(target.context(), "copying to another device");
  context_.enable_access(target.context());
  submit(context_.api().copy_to_peer, context_.api(), address_of(to), target.context().native(),
         address_of(from), context_.native(), size_bytes, native_);
}

void Stream::record(plugin::Event& event) {
  auto& recorded = static_cast<Event&>(event);
  recorded.set(context_.launches().last(number_));
  if (is_recorded()) {
    recorded.follow(end_);
    return;
  }
  context_.call(context_.api().event_record, recorded.native(), native_);
  flush();
}

void Stream::wait_event(plugin::Event& event) {
  constexpr const char* kWaiting = "waiting for an event";
  check_not_recorded(kWaiting);
  auto& awaited = static_cast<Event&>(event);
  Context& other = awaited.context();
  if (&other != &context_) {
    // Query the event first, because our own call would return the other device's error.
    const auto& query = context_.api().event_query;
    if (!other.is_lost()) other.notice(query.name, other.attempt(query, awaited.native()));
    check_other(other, kWaiting);
  }
  submit(context_.api().stream_wait_event, native_, awaited.native(), 0u);
}

void Stream::mark_end() {
  if (end_ == nullptr) return;
  if (end_.use_count() > 1) end_ = make_end(context_);  // others follow the event
  context_.call(context_.api().event_record, end_->get(), native_);
}

void Stream::flush() {
  context_.check_alive();
  const bool asks = context_.api().holds_work_back && !is_recorded();
  if (asks) static_cast<void>(is_over(context_, context_.api().stream_query, native_));
}

bool Stream::synchronize(std::uint64_t deadline_ns) {
  check_not_recorded("waiting for a stream");
  const Position position = context_.launches().last(number_);
  if (deadline_ns == PATCHBAY_NO_DEADLINE) {
    context_.wait(context_.api().stream_synchronize, native_);
  } else if (!poll(context_, context_.api().stream_query, native_, host(), deadline_ns)) {
    return false;
  }
  context_.launches().forget(position);
  return true;
}

/// Makes the call on a thread that waits for events. The driver's own host functions delay later
/// work on the stream, and are not called if earlier work failed.
void Stream::add_callback(plugin::Callback callback) {
  if (callbacks_ == nullptr) callbacks_ = std::make_unique<device::Worker>();
  std::shared_ptr<const EventHandle> event = end_;
  if (!is_recorded()) {
    event = make_end(context_);
    context_.call(context_.api().event_record, event->get(), native_);
  }
  const auto shared = std::make_shared<plugin::Callback>(std::move(callback));
  callbacks_->post([this, event, shared] {
    shared->call_after([&] { context_.wait(context_.api().event_synchronize, event->get()); });
  });
}

void Stream::launch(std::string_view name, const Function& function, const LaunchGrid& grid,
                    std::uint32_t shared_bytes, void** arguments) {
  const auto& [groups, size] = grid;
  check_grid(name, function, grid, context_.api().most_items);
  check_not_recorded("launching a kernel");
  const auto& entry = context_.api().launch;
  const Result code =
      context_.attempt(entry, function.native, groups[0], groups[1], groups[2], size[0], size[1],
                       size[2], shared_bytes, native_, arguments, static_cast<void**>(nullptr));
  if (code != kSuccess) context_.fail(entry.name, code, name);
  note(name);
}

}  // namespace patchbay::card
