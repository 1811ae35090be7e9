// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What only NVIDIA's driver has: contexts, and its names of errors.
#include <cstdlib>
#include <cstring>

#include "sim/machine.h"

using namespace patchbay;
using namespace patchbay::cuda;
using namespace patchbay::sim;

PATCHBAY_SIM_OWN_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
PATCHBAY_SIM_OWN_GRAPH_ENTRIES(PATCHBAY_SIM_DECLARE_OWN)
extern "C" PATCHBAY_SIM_EXPORT int cuDriverGetVersion(int* version);

namespace patchbay::sim {

bool own_attribute(int attribute, int& value) {
  const int architecture = std::atoi(machine().config.architecture.c_str());
  if (attribute == vendor::kCapabilityMajor) value = architecture / 10;
  if (attribute == vendor::kCapabilityMinor) value = architecture % 10;
  return attribute == vendor::kCapabilityMajor || attribute == vendor::kCapabilityMinor;
}

/// Machine code is for one architecture, assembly for all from its own on.
Result image_refusal(bool is_code, const std::string& made_for, const std::string& architecture) {
  if (is_code) return made_for == architecture ? kSuccess : kErrorNoBinary;
  return std::stoi(made_for) > std::stoi(architecture) ? kErrorInvalidPtx : kSuccess;
}

}  // namespace patchbay::sim

int cuDriverGetVersion(int* version) {
  *version = Config().driver_version;
  return Config().init_code == 34 ? 34 : kSuccess;  // so does the stub
}

int cuGetErrorName(int code, const char** name) {
  *name = nullptr;
#define PATCHBAY_SIM_NAME(ours, theirs) \
  if (code == (ours) && *name == nullptr && std::strncmp(#theirs, "CUDA_", 5) == 0) *name = #theirs;
  PATCHBAY_CUDA_SHARED_CONSTANTS(PATCHBAY_SIM_NAME)
  PATCHBAY_CUDA_NEW_SHARED_CONSTANTS(PATCHBAY_SIM_NAME)
  if (code == kErrorUnknown) *name = nullptr;  // as an old driver, which does not know the code
  return *name != nullptr ? kSuccess : kErrorInvalidValue;
}

int cuGetErrorString(int code, const char** text) {
  *text = code == kErrorOutOfMemory        ? "out of memory"
          : code == kErrorLaunchFailed     ? "unspecified launch failure"
          : code == kErrorNoDevice         ? "no CUDA-capable device is detected"
          : code == kErrorEccUncorrectable ? "uncorrectable ECC error encountered"
                                           : "simulated";
  return kSuccess;
}

int cuDeviceGet(int* device, int index) {
  *device = index;
  return is_device(index) ? kSuccess : kErrorInvalidDevice;
}

int cuDevicePrimaryCtxRetain(NativeContext* context, int device) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (!machine().initialised) return kErrorNotInitialized;
  if (!is_device(device)) return kErrorInvalidDevice;
  ContextObject& kept = *machine().contexts[static_cast<std::size_t>(device)];
  if (machine().config.stays_broken && kept.broken != kSuccess) return kept.broken;
  *context = &kept;
  ++kept.retained;
  return kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (!is_device(device)) return kErrorInvalidDevice;
  ContextObject& context = *machine().contexts[static_cast<std::size_t>(device)];
  if (context.retained == 0) return kErrorInvalidContext;
  if (--context.retained == 0) machine().reset(context);
  return kSuccess;
}

int cuCtxGetCurrent(NativeContext* context) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  *context = current_of_thread();
  return kSuccess;
}

/// A destroyed context can't be made current, and what was current stays so.
int cuCtxSetCurrent(NativeContext context) {
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (context != nullptr && context->retained == 0) return kErrorInvalidContext;
  current_of_thread() = context;
  return kSuccess;
}

int cuCtxGetDevice(int* device) {
  return on_context([&](ContextObject& context) -> int {
    *device = context.device;
    return kSuccess;
  });
}

int cuCtxEnablePeerAccess(NativeContext to, unsigned) {
  return on_context([&](ContextObject& context) -> int { return enable_peer(context, *to); });
}

int cuMemcpyPeerAsync(Address to, NativeContext to_context, Address from,
                      NativeContext from_context, std::size_t bytes, NativeStream stream) {
  return copy_between(to, to_context, from, from_context, bytes, stream);
}

int cuStreamGetCtx(NativeStream stream, NativeContext* context) {
  if (is_default_stream(stream)) {
    int code = 0;
    *context = current_context(code);
    return code;
  }
  if (const int code = machine().gone(); code != kSuccess) return code;
  const std::lock_guard lock(machine().mutex);
  if (machine().streams.count(stream) == 0) return kErrorInvalidHandle;
  *context = &stream->context;
  return kSuccess;
}

int cuGraphInstantiateWithFlags(NativeReplay* replay, NativeGraph graph, unsigned long long flags) {
  return flags == 0 ? create_replay(replay, graph) : kErrorInvalidValue;
}

int cuGraphExecUpdate_v2(NativeReplay replay, NativeGraph graph, UpdateResult* result) {
  result->code = update_replay(replay, graph);
  return result->code;
}
