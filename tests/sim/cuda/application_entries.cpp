// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "sim/cuda/application_entries.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/machine.h"

using namespace patchbay::sim;

PATCHBAY_SIM_APPLICATION_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
extern "C" int cuCtxSetCurrent(NativeContext context);
extern "C" int cuMemAlloc_v2(Address* address, std::size_t bytes);

int cuCtxCreate_v2(NativeContext* context, unsigned, DeviceNumber device) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  {
    const std::lock_guard lock(machine().mutex);
    if (!machine().initialised) return kErrorNotInitialized;
    if (device < 0 || device >= machine().config.devices) return kErrorInvalidDevice;
    auto made = std::make_unique<ContextObject>();
    made->device = device;
    made->retained = 1;
    *context = made.get();
    machine().made_contexts.push_back(std::move(made));
  }
  return cuCtxSetCurrent(*context);
}

int cuCtxDestroy_v2(NativeContext context) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  std::vector<std::unique_ptr<StreamObject>> streams;  // whose threads end without the lock
  const std::lock_guard lock(machine().mutex);
  auto& made = machine().made_contexts;
  const auto found = std::find_if(made.begin(), made.end(),
                                  [=](const auto& known) { return known.get() == context; });
  if (found == made.end() || context->retained == 0) return kErrorInvalidContext;
  // It stays as an object, for a thread may have it current; what lived there does not.
  context->retained = 0;
  streams = machine().clear(*context);
  return kSuccess;
}

int cuMemAllocAsync(Address* address, std::size_t bytes, NativeStream) {
  const int code = cuMemAlloc_v2(address, bytes);
  if (code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  machine().blocks.at(*address)->is_of_pool = true;
  return kSuccess;
}

int cuStreamGetPriority(NativeStream stream, int* priority) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (machine().streams.count(stream) == 0) return kErrorInvalidHandle;
  *priority = stream->priority;
  return kSuccess;
}

int cuLaunchHostFunc(NativeStream stream, void (*call)(void*), void* user) {
  return submit(stream, [=] { call(user); });
}
