// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What only AMD's driver has: devices in place of contexts, texts as results, and properties in a
// structure that differs between versions.
#include <cstring>

#include "sim/machine.h"

using namespace patchbay;
using namespace patchbay::sim;

PATCHBAY_SIM_OWN_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
PATCHBAY_SIM_OWN_GRAPH_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
#define PATCHBAY_SIM_DECLARE_TEXT(member, symbol) \
  extern "C" PATCHBAY_SIM_EXPORT const char* symbol(int code);
PATCHBAY_HIP_TEXT_ENTRIES(PATCHBAY_SIM_DECLARE_TEXT)
extern "C" {
PATCHBAY_SIM_EXPORT int hipStreamGetDevice(NativeStream stream, int* device);
PATCHBAY_SIM_EXPORT int hipGetDeviceProperties(void* properties, int device);
PATCHBAY_SIM_EXPORT int hipGetDevicePropertiesR0600(void* properties, int device);
}

namespace patchbay::sim {
namespace {

NativeContext context_of(int device) {
  return machine().contexts[static_cast<std::size_t>(device)].get();
}

/// Writes the whole structure, as the driver does.
int write_properties(void* properties, int device, std::size_t size, std::size_t offset) {
  if (!is_device(device)) return kErrorInvalidDevice;
  std::memset(properties, 0x5A, size);
  const std::string& architecture = machine().config.architecture;
  std::memcpy(static_cast<char*>(properties) + offset, architecture.c_str(),
              architecture.size() + 1);
  return kSuccess;
}

}  // namespace

bool own_attribute(int, int&) { return false; }

/// Code is for one architecture with its features.
Result image_refusal(bool, const std::string& made_for, const std::string& architecture) {
  return made_for == architecture ? kSuccess : kErrorNoBinary;
}

}  // namespace patchbay::sim

int hipRuntimeGetVersion(int* version) {
  *version = Config().driver_version;
  return kSuccess;
}

const char* hipGetErrorName(int code) {
#define PATCHBAY_SIM_NAME(ours, theirs) \
  if (code == (ours) && std::strncmp(#theirs, "hip", 3) == 0) return #theirs;
  PATCHBAY_HIP_SHARED_CONSTANTS(PATCHBAY_SIM_NAME)
  return "hipErrorUnknown";
}

const char* hipGetErrorString(int code) {
  return code == kErrorOutOfMemory        ? "out of memory"
         : code == kErrorLaunchFailed     ? "unspecified launch failure"
         : code == kErrorNoDevice         ? "no ROCm-capable device is detected"
         : code == kErrorInvalidDevice    ? "invalid device ordinal"
         : code == kErrorEccUncorrectable ? "uncorrectable ECC error encountered"
                                          : "simulated";
}

int hipGetDevice(int* device) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const NativeContext context = current_of_thread();
  *device = context != nullptr ? context->device : 0;
  return machine().initialised ? kSuccess : kErrorNotInitialized;
}

int hipSetDevice(int device) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (!machine().initialised) return kErrorNotInitialized;
  if (!is_device(device)) return kErrorInvalidDevice;
  current_of_thread() = context_of(device);
  return kSuccess;
}

int hipDeviceEnablePeerAccess(int to, unsigned) {
  return on_context([&](ContextObject& context) -> int {
    return is_device(to) ? enable_peer(context, *context_of(to)) : kErrorInvalidDevice;
  });
}

int hipMemcpyPeerAsync(Address to, int to_device, Address from, int from_device, std::size_t bytes,
                       NativeStream stream) {
  if (!is_device(to_device) || !is_device(from_device)) return kErrorInvalidDevice;
  return copy_between(to, context_of(to_device), from, context_of(from_device), bytes, stream);
}

/// Reads the object of every handle but null and each thread's own; handle 1 has none.
int hipStreamGetDevice(NativeStream stream, int* device) {
  if (reinterpret_cast<std::uintptr_t>(stream) == kLegacyStream) end_for_unknown_handle(stream);
  if (is_default_stream(stream)) {
    int code = 0;
    const ContextObject* const context = current_context(code);
    if (context != nullptr) *device = context->device;
    return code;
  }
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (machine().streams.count(stream) == 0) return kErrorInvalidHandle;
  *device = stream->context.device;
  return kSuccess;
}

int hipGetDeviceProperties(void* properties, int device) {
  return write_properties(properties, device, 792, vendor::kArchitectureOffset);
}

int hipGetDevicePropertiesR0600(void* properties, int device) {
  return write_properties(properties, device, 1472, vendor::kArchitectureOffset6);
}

int hipGraphInstantiate(NativeReplay* replay, NativeGraph graph, void**, char*, std::size_t) {
  return create_replay(replay, graph);
}
