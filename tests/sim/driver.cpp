// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of the simulated driver: devices, contexts, memory, streams, events. Stricter than
// the real one: each call on a device wants that device's context current.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>

#include "entries.h"
#include "machine.h"

namespace patchbay::sim {
namespace {

using namespace cuda;

constexpr int kGreatestPriority = -5;

thread_local NativeContext current_of_thread = nullptr;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

bool is_device(int number) { return number >= 0 && number < machine().config.devices; }

/// Runs `body(context)` under the machine's lock, with a context that can be used.
template <class Body>
int on_context(Body&& body) {
  int code = 0;
  ContextObject* const context = current_context(code);
  if (context == nullptr) return code;
  const std::lock_guard lock(machine().mutex);
  return body(*context);
}

/// The same, for an object of the current context in one of the machine's maps.
template <class Map, class Key, class Body>
int on_object(Map& map, Key key, Body&& body) {
  return on_context([&](ContextObject& context) -> int {
    const auto found = map.find(key);
    if (found == map.end()) return kInvalidHandle;
    if (&found->second->context != &context) return kInvalidContext;
    return body(*found->second);
  });
}

/// Waits without the lock, and tells what became of the context meanwhile.
int wait_for(const std::shared_ptr<Queue>& queue, std::uint64_t number, ContextObject& context) {
  context.await();
  queue->wait(number);
  return context.broken;
}

int copy(void* to, const void* from, std::size_t bytes, NativeStream stream) {
  if (to == nullptr || from == nullptr) return kInvalidValue;
  return submit(stream, [=] { std::memmove(to, from, bytes); });
}

std::byte* device_bytes(Address address, std::size_t bytes, NativeContext context) {
  if (machine().gone() != kSuccess) return nullptr;
  const std::lock_guard lock(machine().mutex);
  return context != nullptr ? machine().resolve(*context, address, bytes) : nullptr;
}

}  // namespace

ContextObject* current_context(int& code) {
  ContextObject* const context = current_of_thread;
  if (code = machine().gone(); code != kSuccess) return nullptr;
  const std::lock_guard lock(machine().mutex);
  code = !machine().initialised                         ? kNotInitialized
         : context == nullptr || context->retained == 0 ? kInvalidContext
                                                        : context->broken.load();
  return code == kSuccess ? context : nullptr;
}

}  // namespace patchbay::sim

using namespace patchbay::cuda;
using namespace patchbay::sim;

PATCHBAY_DRIVER_ENTRIES(PATCHBAY_SIM_DECLARE)
extern "C" PATCHBAY_SIM_EXPORT int cuDriverGetVersion(int* version);

int cuInit(unsigned) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  machine().initialise();
  return machine().config.init_code;
}

int cuDriverGetVersion(int* version) {
  *version = Config().driver_version;
  return Config().init_code == 34 ? 34 : kSuccess;  // so does the stub
}

int cuGetErrorName(int code, const char** name) {
  *name = nullptr;
#define PATCHBAY_SIM_NAME(ours, theirs, value)                                       \
  if (code == (value) && *name == nullptr && std::strncmp(#theirs, "CUDA_", 5) == 0) \
    *name = #theirs;
  PATCHBAY_DRIVER_CONSTANTS(PATCHBAY_SIM_NAME)
  if (*name == nullptr && code == kInvalidHandle) *name = "CUDA_ERROR_INVALID_HANDLE";
  if (*name == nullptr && code == kNotSupported) *name = "CUDA_ERROR_NOT_SUPPORTED";
  return *name != nullptr ? kSuccess : kInvalidValue;
}

int cuGetErrorString(int code, const char** text) {
  *text = code == kErrorOutOfMemory        ? "out of memory"
          : code == kErrorLaunchFailed     ? "unspecified launch failure"
          : code == kErrorNoDevice         ? "no CUDA-capable device is detected"
          : code == kErrorEccUncorrectable ? "uncorrectable ECC error encountered"
                                           : "simulated";
  return kSuccess;
}

int cuDeviceGetCount(int* count) {
  *count = machine().config.devices;
  return machine().initialised ? kSuccess : kNotInitialized;
}

int cuDeviceGet(int* device, int index) {
  *device = index;
  return is_device(index) ? kSuccess : kInvalidDevice;
}

int cuDeviceGetName(char* name, int size, int device) {
  std::snprintf(name, static_cast<std::size_t>(size), "Simulated card %d", device);
  return is_device(device) ? kSuccess : kInvalidDevice;
}

int cuDeviceGetUuid_v2(Uuid* uuid, int device) {
  std::memcpy(uuid->bytes, "patchbay sim   ", 16);
  uuid->bytes[15] = static_cast<char>(device);
  return is_device(device) ? kSuccess : kInvalidDevice;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  *bytes = machine().config.memory_bytes;
  return is_device(device) ? kSuccess : kInvalidDevice;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (!is_device(device)) return kInvalidDevice;
  switch (attribute) {
    case kMaxThreadsPerBlock: *value = 1024; break;
    case kWarpSize: *value = 1; break;  // work-items of the executor do not run in step
    case kMultiprocessorCount: *value = 4; break;
    case kIntegrated: *value = 0; break;
    case kCapabilityMajor: *value = machine().config.architecture / 10; break;
    case kCapabilityMinor: *value = machine().config.architecture % 10; break;
    default: return kInvalidValue;
  }
  return kSuccess;
}

int cuDeviceGetPCIBusId(char* address, int size, int device) {
  std::snprintf(address, static_cast<std::size_t>(size), "0000:5A:%02X.0", device);
  return is_device(device) ? kSuccess : kInvalidDevice;
}

int cuDeviceCanAccessPeer(int* can, int from, int to) {
  if (!is_device(from) || !is_device(to)) return kInvalidDevice;
  *can = machine().config.peer && from != to ? 1 : 0;
  return kSuccess;
}

int cuDevicePrimaryCtxRetain(NativeContext* context, int device) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (!machine().initialised) return kNotInitialized;
  if (!is_device(device)) return kInvalidDevice;
  *context = machine().contexts[static_cast<std::size_t>(device)].get();
  ++(*context)->retained;
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (!is_device(device)) return kInvalidDevice;
  ContextObject& context = *machine().contexts[static_cast<std::size_t>(device)];
  if (context.retained == 0) return kInvalidContext;
  if (--context.retained == 0) machine().reset(context);
  return kSuccess;
}

int cuCtxGetCurrent(NativeContext* context) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  *context = current_of_thread;
  return kSuccess;
}

/// One that is not there any more can't be made current, and what was current stays so.
int cuCtxSetCurrent(NativeContext context) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (context != nullptr && context->retained == 0) return kInvalidContext;
  current_of_thread = context;
  return kSuccess;
}

int cuCtxGetDevice(int* device) {
  return on_context([&](ContextObject& context) -> int {
    *device = context.device;
    return kSuccess;
  });
}

int cuCtxEnablePeerAccess(NativeContext to, unsigned) {
  return on_context([&](ContextObject& context) -> int {
    if (!machine().config.peer) return kPeerUnsupported;
    if (!context.peers.insert(to).second) return kErrorPeerAccessAlreadyEnabled;
    ++machine().num_peer_accesses;
    return kSuccess;
  });
}

int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  return on_context([&](ContextObject& context) -> int {
    Machine& all = machine();
    const bool fails = ++all.num_allocations == all.config.fail_allocation;
    if (bytes == 0) return kInvalidValue;
    const Block* const block = fails ? nullptr : all.allocate(context, bytes);
    if (block == nullptr) return kErrorOutOfMemory;
    *address = reinterpret_cast<std::uintptr_t>(block->range.base());
    return kSuccess;
  });
}

int cuMemFree_v2(Address address) {
  return on_object(machine().blocks, address, [&](Block&) -> int {
    machine().blocks.erase(address);
    return kSuccess;
  });
}

int cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return on_context([&](ContextObject& context) -> int {
    *total_bytes = machine().config.memory_bytes;
    *free_bytes = *total_bytes - machine().used_bytes(context);
    return kSuccess;
  });
}

int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return on_context([&](ContextObject&) -> int {
    HostBlock block(bytes);
    if (block.pages == nullptr) return kErrorOutOfMemory;
    *pointer = block.bytes();
    machine().host_blocks.emplace(reinterpret_cast<std::uintptr_t>(*pointer), std::move(block));
    return kSuccess;
  });
}

int cuMemFreeHost(void* pointer) {
  return on_context([&](ContextObject&) -> int {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    return machine().host_blocks.erase(address) == 1 ? kSuccess : kInvalidValue;
  });
}

int cuPointerGetAttribute(void* value, int attribute, Address address) {
  return on_context([&](ContextObject&) -> int {
    const Block* const block = machine().block_at(address);
    if (block == nullptr) return kInvalidValue;
    if (attribute == kPointerDevice) {
      *static_cast<DeviceNumber*>(value) = block->context.device;
      return kSuccess;
    }
    if (attribute != kPointerContext || block->is_of_pool) return kInvalidValue;
    *static_cast<NativeContext*>(value) = &block->context;
    return kSuccess;
  });
}

int cuMemGetAddressRange_v2(Address* base, std::size_t* bytes, Address address) {
  return on_context([&](ContextObject&) -> int {
    const Block* const block = machine().block_at(address);
    if (block == nullptr) return kNotFound;
    *base = reinterpret_cast<std::uintptr_t>(block->range.base());
    *bytes = block->size_bytes;
    return kSuccess;
  });
}

int cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, NativeStream stream) {
  return copy(device_bytes(to, bytes, current_of_thread), from, bytes, stream);
}

int cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, NativeStream stream) {
  return copy(to, device_bytes(from, bytes, current_of_thread), bytes, stream);
}

int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, NativeStream stream) {
  return copy(device_bytes(to, bytes, current_of_thread),
              device_bytes(from, bytes, current_of_thread), bytes, stream);
}

int cuMemcpyPeerAsync(Address to, NativeContext to_context, Address from,
                      NativeContext from_context, std::size_t bytes, NativeStream stream) {
  return copy(device_bytes(to, bytes, to_context), device_bytes(from, bytes, from_context), bytes,
              stream);
}

int cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return on_context([&](ContextObject&) -> int {
    *least = 0;
    *greatest = kGreatestPriority;
    return kSuccess;
  });
}

int cuStreamCreateWithPriority(NativeStream* stream, unsigned, int priority) {
  return on_context([&](ContextObject& context) -> int {
    auto made = std::make_unique<StreamObject>(StreamObject{
        context, std::make_shared<Queue>(), std::clamp(priority, kGreatestPriority, 0)});
    *stream = made.get();
    machine().streams.emplace(*stream, std::move(made));
    return kSuccess;
  });
}

int cuStreamDestroy_v2(NativeStream stream) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  std::unique_ptr<StreamObject> gone;
  {
    const std::lock_guard lock(machine().mutex);
    const auto found = machine().streams.find(stream);
    if (found == machine().streams.end()) return kInvalidHandle;
    gone = std::move(found->second);
    machine().streams.erase(found);
  }
  gone->context.await();
  gone->queue->finish();
  return gone->context.broken;
}

int cuStreamSynchronize(NativeStream stream) {
  std::shared_ptr<Queue> queue;
  ContextObject* context = nullptr;
  const int code = on_object(machine().streams, stream, [&](StreamObject& object) -> int {
    queue = object.queue;
    context = &object.context;
    return kSuccess;
  });
  return code != kSuccess ? code : wait_for(queue, queue->last(), *context);
}

int cuStreamQuery(NativeStream stream) {
  return on_object(machine().streams, stream, [&](StreamObject& object) -> int {
    object.context.await();
    return object.queue->is_done(object.queue->last()) ? kSuccess : kErrorNotReady;
  });
}

int cuStreamWaitEvent(NativeStream stream, NativeEvent event, unsigned) {
  return on_object(machine().streams, stream, [&](StreamObject& object) -> int {
    if (machine().events.count(event) == 0) return kInvalidHandle;
    if (const auto mark = event->mark) {
      object.queue->post([mark] { mark->queue->wait(mark->number); });
    }
    return kSuccess;
  });
}

int cuStreamGetCtx(NativeStream stream, NativeContext* context) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (machine().streams.count(stream) == 0) return kInvalidHandle;
  *context = &stream->context;
  return kSuccess;
}

int cuEventCreate(NativeEvent* event, unsigned flags) {
  return on_context([&](ContextObject& context) -> int {
    auto made = std::make_unique<EventObject>(
        EventObject{context, nullptr, (flags & static_cast<unsigned>(kEventDisableTiming)) == 0});
    *event = made.get();
    machine().events.emplace(*event, std::move(made));
    return kSuccess;
  });
}

int cuEventDestroy_v2(NativeEvent event) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  return machine().events.erase(event) == 1 ? kSuccess : kInvalidHandle;
}

int cuEventRecord(NativeEvent event, NativeStream stream) {
  return on_object(machine().events, event, [&](EventObject& object) -> int {
    if (machine().streams.count(stream) == 0) return kInvalidHandle;
    if (&stream->context != &object.context) return kInvalidHandle;
    const auto mark = std::make_shared<Mark>();
    mark->queue = stream->queue;
    mark->number = stream->queue->post([mark] { mark->reached_ns = now_ns(); });
    object.mark = mark;
    return kSuccess;
  });
}

int cuEventQuery(NativeEvent event) {
  return on_object(machine().events, event, [&](EventObject& object) -> int {
    const auto& mark = object.mark;
    object.context.await();
    return mark == nullptr || mark->queue->is_done(mark->number) ? kSuccess : kErrorNotReady;
  });
}

int cuEventSynchronize(NativeEvent event) {
  std::shared_ptr<Mark> mark;
  ContextObject* context = nullptr;
  const int code = on_object(machine().events, event, [&](EventObject& object) -> int {
    mark = object.mark;
    context = &object.context;
    return kSuccess;
  });
  return code != kSuccess || mark == nullptr ? code : wait_for(mark->queue, mark->number, *context);
}

int cuEventElapsedTime(float* milliseconds, NativeEvent from, NativeEvent to) {
  return on_object(machine().events, to, [&](EventObject& object) -> int {
    if (machine().events.count(from) == 0) return kInvalidHandle;
    if (from->mark == nullptr || object.mark == nullptr) return kInvalidHandle;
    if (!from->has_time || !object.has_time) return kInvalidHandle;
    *milliseconds = static_cast<float>(object.mark->reached_ns - from->mark->reached_ns) * 1e-6f;
    return kSuccess;
  });
}

void patchbay_sim_set_gone(int code) { machine().gone_code = code; }

void patchbay_sim_count(patchbay_sim_counters* counters) {
  Machine& all = machine();
  const std::lock_guard lock(all.mutex);
  const auto num_library_blocks = std::count_if(
      all.blocks.begin(), all.blocks.end(), [](const auto& b) { return b.second->is_of_library; });
  *counters = {0,
               all.blocks.size() - static_cast<std::size_t>(num_library_blocks),
               all.host_blocks.size(),
               all.streams.size(),
               all.events.size(),
               all.modules.size(),
               all.num_blas_handles,
               all.num_peer_accesses};
  for (const auto* contexts : {&all.contexts, &all.made_contexts}) {
    for (const auto& context : *contexts) {
      counters->contexts += static_cast<std::uint64_t>(context->retained);
    }
  }
}
