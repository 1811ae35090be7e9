// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries that all vendors' drivers have: devices, memory, streams, events. Stricter than the
// real ones: each call on a device needs that device's context to be current.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "machine.h"
#include "vendor.h"

namespace patchbay::sim {

PATCHBAY_CARD_ENTRIES(PATCHBAY_SIM_SIGNATURE)
PATCHBAY_SIM_DRIVER_SYMBOLS(PATCHBAY_SIM_DECLARE)

namespace {

constexpr int kGreatestPriority = -5;

/// The blocking streams of the context that are recorded. The default stream, for which they wait,
/// can't be asked how far it is.
std::vector<StreamObject*> recorded_beside(const StreamObject& stream) {
  std::vector<StreamObject*> result;
  if (stream.kind != StreamObject::Kind::kDefault) return result;
  for (const auto& [native, other] : machine().streams) {
    if (&other->context == &stream.context && other->kind == StreamObject::Kind::kBlocking &&
        other->capture != StreamObject::Capture::kNone) {
      result.push_back(other.get());
    }
  }
  return result;
}

/// The error of a call that a stream in recording does not allow, and that spoils the recording.
int spoil_capture(StreamObject& stream) {
  const std::vector<StreamObject*> others = recorded_beside(stream);
  for (StreamObject* const other : others) other->capture = StreamObject::Capture::kSpoilt;
  if (!others.empty()) return kErrorStreamCaptureImplicit;
  if (stream.capture == StreamObject::Capture::kNone) return kSuccess;
  stream.capture = StreamObject::Capture::kSpoilt;
  return kErrorCaptureUnsupported;
}

/// The number of the last work that waiting for the stream is waiting for.
std::uint64_t last_of(const StreamObject& stream) {
  return stream.kind == StreamObject::Kind::kDefault ? machine().post(stream, [] {})
                                                     : stream.queue->last();
}

thread_local NativeContext current_context_of_thread = nullptr;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// on_context for an object of the current context in one of the machine's maps.
template <class Map, class Key, class Body>
int on_object(Map& map, Key key, Body&& body) {
  return on_context([&](ContextObject& context) -> int {
    const auto found = map.find(key);
    if (found == map.end()) {
      if constexpr (std::is_pointer_v<Key>) end_for_unknown_handle(key);
      return kErrorInvalidValue;
    }
    if (&found->second->context != &context) return kErrorInvalidContext;
    return body(*found->second);
  });
}

/// on_context for a stream of the current context.
template <class Body>
int on_stream(NativeStream stream, Body&& body) {
  return on_context([&](ContextObject& context) -> int {
    StreamObject& object = machine().stream_of(context, stream);
    return &object.context == &context ? body(object) : int{kErrorInvalidContext};
  });
}

/// Waits without the lock, and tells what became of the context meanwhile.
int wait_for(const std::shared_ptr<Queue>& queue, std::uint64_t number, ContextObject& context) {
  context.await();
  queue->wait(number);
  return context.broken;
}

/// The context of this thread, for addresses: null if it can't be used.
NativeContext used_context() {
  int code = 0;
  return current_context(code);
}

int copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  if (to == nullptr || from == nullptr) return kErrorInvalidValue;
  return submit(stream, [=] { std::memmove(to, from, bytes); });
}

/// A copy to or from memory of the host. As in the real drivers, it returns when it is done unless
/// that memory is pinned.
int copy_with_host(void* to, const void* from, const void* host, std::size_t bytes,
                   NativeStream stream) {
  const int code = copy(to, from, bytes, stream);
  if (code != kSuccess) return code;
  {
    const std::lock_guard lock(machine().mutex);
    if (machine().is_pinned(host, bytes)) return kSuccess;
  }
  return stream_synchronize(stream);
}

std::byte* device_bytes(Address address, std::size_t bytes, NativeContext context) {
  const std::lock_guard lock(machine().mutex);
  return context != nullptr ? machine().resolve(*context, address, bytes) : nullptr;
}

}  // namespace

int enable_peer(ContextObject& context, const ContextObject& to) {
  if (!machine().config.peer) return kErrorPeerAccessUnsupported;
  if (!context.peers.insert(&to).second) return kErrorPeerAccessAlreadyEnabled;
  ++machine().num_peer_accesses;
  return kSuccess;
}

int copy_between(Address to, NativeContext to_context, Address from, NativeContext from_context,
                 std::size_t bytes, NativeStream stream) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  return copy(device_bytes(to, bytes, to_context), device_bytes(from, bytes, from_context), bytes,
              stream);
}

NativeContext& current_of_thread() { return current_context_of_thread; }

ContextObject* current_context(int& code) {
  Machine& all = machine();
  if (code = all.gone(); code != kSuccess) return nullptr;
  const std::lock_guard lock(all.mutex);
  ContextObject* context = current_of_thread();
  // Without contexts every thread begins on the first device.
  if (!kHasContexts && context == nullptr && all.initialised) context = all.contexts[0].get();
  code = !all.initialised                                                 ? kErrorNotInitialized
         : context == nullptr || (kHasContexts && context->retained == 0) ? kErrorInvalidContext
                                                                          : context->broken.load();
  return code == kSuccess ? context : nullptr;
}

int initialise(unsigned) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  machine().initialise();
  return machine().config.init_code;
}

int device_count(int* count) {
  *count = machine().config.devices;
  return machine().initialised ? kSuccess : kErrorNotInitialized;
}

int device_name(char* name, int size, int device) {
  std::snprintf(name, static_cast<std::size_t>(size), "Simulated card %d", device);
  return is_device(device) ? kSuccess : kErrorInvalidDevice;
}

int device_uuid(Uuid* uuid, int device) {
  std::memset(uuid->bytes, 0, sizeof uuid->bytes);
  std::snprintf(uuid->bytes, sizeof uuid->bytes, "sim %s", kVendor);
  uuid->bytes[15] = static_cast<char>(device);
  return is_device(device) ? kSuccess : kErrorInvalidDevice;
}

int device_total_memory(std::size_t* bytes, int device) {
  *bytes = machine().config.memory_bytes;
  return is_device(device) ? kSuccess : kErrorInvalidDevice;
}

int device_attribute(int* value, int attribute, int device) {
  if (!is_device(device)) return kErrorInvalidDevice;
  const Config& config = machine().config;
  switch (attribute) {
    case vendor::kMaxThreadsPerBlock: *value = 1024; break;
    case vendor::kWarpSize: *value = config.sub_group_width; break;
    case vendor::kMultiprocessorCount: *value = 4; break;
    case vendor::kIntegrated: *value = 0; break;
    case vendor::kL2CacheBytes: *value = 4 << 20; break;
    case vendor::kSharedMemoryBytes: *value = 48 << 10; break;
    case vendor::kClockKhz: *value = 1'500'000; break;
    case vendor::kMemoryClockKhz: *value = 2'000'000; break;
    default: return own_attribute(attribute, *value) ? kSuccess : kErrorInvalidValue;
  }
  return kSuccess;
}

int device_pci(char* address, int size, int device) {
  std::snprintf(address, static_cast<std::size_t>(size),
                kHasContexts ? "0000:5A:%02X.0" : "0000:C1:%02X.0", device);
  return is_device(device) ? kSuccess : kErrorInvalidDevice;
}

int device_can_access_peer(int* can, int from, int to) {
  if (!is_device(from) || !is_device(to)) return kErrorInvalidDevice;
  *can = machine().config.peer && from != to ? 1 : 0;
  return kSuccess;
}

int memory_allocate(Address* address, std::size_t bytes) {
  return on_context([&](ContextObject& context) -> int {
    Machine& all = machine();
    const bool fails = ++all.num_allocations == all.config.fail_allocation;
    if (bytes == 0) return kErrorInvalidValue;
    const Block* const block = fails ? nullptr : all.allocate(context, bytes);
    if (block == nullptr) return kErrorOutOfMemory;
    *address = reinterpret_cast<std::uintptr_t>(block->range.base());
    return kSuccess;
  });
}

/// As the real drivers do, waits for the work on all streams of the context first.
int memory_free(Address address) {
  std::vector<std::pair<std::shared_ptr<Queue>, std::uint64_t>> queued;
  const int code = on_object(machine().blocks, address, [&](Block& block) -> int {
    machine().for_streams(block.context, [&](const StreamObject& stream) {
      queued.emplace_back(stream.queue, stream.queue->last());
    });
    block.context.await();
    return kSuccess;
  });
  if (code != kSuccess) return code;
  for (const auto& [queue, number] : queued) queue->wait(number);
  const std::lock_guard lock(machine().mutex);
  machine().blocks.erase(address);
  return kSuccess;
}

int memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  return on_context([&](ContextObject& context) -> int {
    *total_bytes = machine().config.memory_bytes;
    *free_bytes = *total_bytes - machine().used_bytes(context);
    return kSuccess;
  });
}

int host_allocate(void** pointer, std::size_t bytes, unsigned) {
  return on_context([&](ContextObject&) -> int {
    HostBlock block(bytes);
    if (block.pages == nullptr) return kErrorOutOfMemory;
    *pointer = block.bytes();
    machine().host_blocks.emplace(reinterpret_cast<std::uintptr_t>(*pointer), std::move(block));
    return kSuccess;
  });
}

int host_free(void* pointer) {
  return on_context([&](ContextObject&) -> int {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return machine().host_blocks.erase(address) == 1 ? kSuccess : kErrorInvalidValue;
  });
}

int pointer_attribute(void* value, int attribute, Address address) {
  return on_context([&](ContextObject&) -> int {
    const Block* const block = machine().block_at(address);
    if (block == nullptr) return kErrorInvalidValue;
    if (attribute == kPointerDevice) {
      *static_cast<DeviceNumber*>(value) = block->context.device;
      return kSuccess;
    }
    if (attribute != kPointerContext || block->is_of_pool) return kErrorInvalidValue;
    if (!kHasContexts) {  // an object of the driver's own, which no entry that is used takes
      *static_cast<const void**>(value) = block;
      return kSuccess;
    }
    *static_cast<NativeContext*>(value) = &block->context;
    return kSuccess;
  });
}

int address_range(Address* base, std::size_t* bytes, Address address) {
  return on_context([&](ContextObject&) -> int {
    const Block* const block = machine().block_at(address);
    if (block == nullptr) return kErrorNotFound;
    *base = reinterpret_cast<std::uintptr_t>(block->range.base());
    *bytes = block->size_bytes;
    return kSuccess;
  });
}

int copy_to_device(Address to, const void* from, std::size_t bytes, NativeStream stream) {
  return copy_with_host(device_bytes(to, bytes, used_context()), from, from, bytes, stream);
}

int copy_to_host(void* to, Address from, std::size_t bytes, NativeStream stream) {
  return copy_with_host(to, device_bytes(from, bytes, used_context()), to, bytes, stream);
}

int copy_on_device(Address to, Address from, std::size_t bytes, NativeStream stream) {
  return copy(device_bytes(to, bytes, used_context()), device_bytes(from, bytes, used_context()),
              bytes, stream);
}

int stream_priorities(int* least, int* greatest) {
  return on_context([&](ContextObject&) -> int {
    *least = 0;
    *greatest = kGreatestPriority;
    return kSuccess;
  });
}

int stream_create(NativeStream* stream, unsigned flags, int priority) {
  using Kind = StreamObject::Kind;
  return on_context([&](ContextObject& context) -> int {
    const bool is_alone = (flags & static_cast<unsigned>(kStreamNonBlocking)) != 0;
    auto made =
        std::make_unique<StreamObject>(StreamObject{context,
                                                    std::make_shared<Queue>(machine().config.lazy),
                                                    std::clamp(priority, kGreatestPriority, 0),
                                                    is_alone ? Kind::kNonBlocking : Kind::kBlocking,
                                                    {},
                                                    {}});
    *stream = made.get();
    machine().streams.emplace(*stream, std::move(made));
    return kSuccess;
  });
}

int stream_destroy(NativeStream stream) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  std::unique_ptr<StreamObject> gone;
  {
    const std::lock_guard lock(machine().mutex);
    const auto found = machine().streams.find(stream);
    if (found == machine().streams.end()) end_for_unknown_handle(stream);
    gone = std::move(found->second);
    machine().streams.erase(found);
  }
  gone->context.await();
  gone->queue->finish();
  return gone->context.broken;
}

int stream_is_capturing(NativeStream stream, int* status) {
  return on_stream(stream, [&](StreamObject& object) -> int {
    *status = static_cast<int>(object.capture);
    return recorded_beside(object).empty() ? kSuccess : kErrorStreamCaptureImplicit;
  });
}

int stream_synchronize(NativeStream stream) {
  std::shared_ptr<Queue> queue;
  std::uint64_t number = 0;
  ContextObject* context = nullptr;
  const int code = on_stream(stream, [&](StreamObject& object) -> int {
    if (const int spoilt = spoil_capture(object); spoilt != kSuccess) return spoilt;
    queue = object.queue;
    number = last_of(object);
    context = &object.context;
    return kSuccess;
  });
  return code != kSuccess ? code : wait_for(queue, number, *context);
}

int stream_query(NativeStream stream) {
  return on_stream(stream, [&](StreamObject& object) -> int {
    if (const int spoilt = spoil_capture(object); spoilt != kSuccess) return spoilt;
    object.context.await();
    const std::uint64_t last = last_of(object);
    object.queue->release();
    return object.queue->is_done(last) ? kSuccess : kErrorNotReady;
  });
}

int stream_wait_event(NativeStream stream, NativeEvent event, unsigned) {
  return on_stream(stream, [&](StreamObject& object) -> int {
    if (machine().events.count(event) == 0) end_for_unknown_handle(event);
    // A real stream that waits for a captured event joins the recording. Nobody wants that here.
    const bool is_recorded = object.capture != StreamObject::Capture::kNone;
    if (event->is_captured) return is_recorded ? kSuccess : kErrorCapturedEvent;
    if (is_recorded) {
      object.capture = StreamObject::Capture::kSpoilt;
      return kErrorCaptureIsolation;
    }
    if (const auto mark = event->mark) {
      machine().post(object, [mark] { mark->queue->wait(mark->number); });
    }
    return kSuccess;
  });
}

int event_create(NativeEvent* event, unsigned flags) {
  return on_context([&](ContextObject& context) -> int {
    auto made = std::make_unique<EventObject>(
        EventObject{context, nullptr, (flags & static_cast<unsigned>(kEventDisableTiming)) == 0});
    *event = made.get();
    machine().events.emplace(*event, std::move(made));
    return kSuccess;
  });
}

int event_destroy(NativeEvent event) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (machine().events.erase(event) == 0) end_for_unknown_handle(event);
  return kSuccess;
}

int event_record(NativeEvent event, NativeStream stream) {
  return on_object(machine().events, event, [&](EventObject& object) -> int {
    const StreamObject& target = machine().stream_of(object.context, stream);
    if (&target.context != &object.context) return kErrorInvalidHandle;
    object.is_captured = target.capture != StreamObject::Capture::kNone;
    if (object.is_captured) return kSuccess;
    const auto mark = std::make_shared<Mark>();
    mark->queue = target.queue;
    mark->number = machine().post(target, [mark] { mark->reached_ns = now_ns(); });
    object.mark = mark;
    return kSuccess;
  });
}

int event_query(NativeEvent event) {
  return on_object(machine().events, event, [&](EventObject& object) -> int {
    if (object.is_captured) return kErrorCapturedEvent;
    const auto& mark = object.mark;
    object.context.await();
    return mark == nullptr || mark->queue->is_done(mark->number) ? kSuccess : kErrorNotReady;
  });
}

int event_synchronize(NativeEvent event) {
  std::shared_ptr<Mark> mark;
  ContextObject* context = nullptr;
  const int code = on_object(machine().events, event, [&](EventObject& object) -> int {
    if (object.is_captured) return kErrorCapturedEvent;
    mark = object.mark;
    context = &object.context;
    return kSuccess;
  });
  return code != kSuccess || mark == nullptr ? code : wait_for(mark->queue, mark->number, *context);
}

int event_elapsed(float* milliseconds, NativeEvent from, NativeEvent to) {
  return on_object(machine().events, to, [&](EventObject& object) -> int {
    if (machine().events.count(from) == 0) end_for_unknown_handle(from);
    if (from->is_captured || object.is_captured) return kErrorCapturedEvent;
    if (from->mark == nullptr || object.mark == nullptr) return kErrorInvalidHandle;
    if (!from->has_time || !object.has_time) return kErrorInvalidHandle;
    *milliseconds = static_cast<float>(object.mark->reached_ns - from->mark->reached_ns) * 1e-6f;
    return kSuccess;
  });
}

}  // namespace patchbay::sim

using namespace patchbay::sim;

void patchbay_sim_set_gone(int code) { machine().gone_code = code; }

void patchbay_sim_count(patchbay_sim_counters* counters) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  // What lives in a broken context of a vendor without contexts can't be freed by the program.
  const auto count = [](const auto& objects) {
    return static_cast<std::uint64_t>(
        std::count_if(objects.begin(), objects.end(), [](const auto& entry) {
          return kHasContexts || entry.second->context.broken == kSuccess;
        }));
  };
  const auto num_library_blocks = static_cast<std::uint64_t>(std::count_if(
      all.blocks.begin(), all.blocks.end(), [](const auto& b) { return b.second->is_of_library; }));
  *counters = {0,
               count(all.blocks) - num_library_blocks,
               all.host_blocks.size(),
               count(all.streams),
               count(all.events),
               count(all.modules),
               all.num_blas_handles,
               all.num_blas_lt_objects,
               all.num_blas_lt_searches,
               all.num_dnn_objects,
               count(all.graphs) + count(all.replays),
               all.num_graphs_made,
               all.num_graph_updates,
               all.num_graph_runs,
               all.num_peer_accesses,
               all.num_launches};
  for (const auto* contexts : {&all.contexts, &all.made_contexts}) {
    for (const auto& context : *contexts) {
      counters->contexts += static_cast<std::uint64_t>(context->retained);
    }
  }
}
