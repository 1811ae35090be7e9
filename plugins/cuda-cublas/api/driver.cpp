// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "cuda-cublas/api/driver.hpp"

#include <unistd.h>

#include "patchbay/plugin/kit/privileges.hpp"

namespace patchbay::cuda {
namespace {

constexpr int kOldestVersion = 11040;  // the first with cuDeviceGetUuid_v2

[[noreturn]] void no_driver(const std::string& why) {
  throw plugin::StatusError(PATCHBAY_NO_DRIVER, why);
}

/// Called before the entries are looked up: "too old" is a better reason than a missing entry.
int version_of(Library& library) {
  card::Entry<int(int*)> get{"cuDriverGetVersion", nullptr};
  library.find(get);
  int version = 0;
  if (get.function == nullptr) no_driver(library.why());
  if (const int code = get(&version); code != card::kSuccess) {
    no_driver(library.file() + ": cuDriverGetVersion gives " + std::to_string(code) +
              "; is it a stub? Install a driver");
  }
  if (version < kOldestVersion) {
    no_driver(library.file() + " is a driver for CUDA " + version_text(version) + ", expected " +
              version_text(kOldestVersion) + " or newer; install a newer driver");
  }
  return version;
}

/// Whether Windows' driver runs the work (WSL2), which it does in batches.
bool is_on_windows(plugin::Host host) {
  return plugin::is_on(host, "cuda_batches", /*otherwise=*/access("/dev/dxg", F_OK) == 0);
}

const Api& own(const card::Api& api) { return static_cast<const Api&>(api); }

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Api::Api(plugin::Host host) {
  plugin::refuse_raised_privileges("the driver", "CUDA_INJECTION64_PATH, CUDA_CACHE_PATH, HOME");
  const auto path = host.option("cuda_library");
  Library library(path.value_or("libcuda.so.1"), Library::Lifetime::kProcess);
  if (!library) {
    no_driver(library.why() + (path ? " (setting cuda_library)" : "; install NVIDIA's driver"));
  }
  version = version_of(library);
#define PATCHBAY_CUDA_FIND(member, symbol) \
  member.name = #symbol;                   \
  library.find(member);
  PATCHBAY_CUDA_SYMBOLS(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_CUDA_OWN_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  if (!library.is_complete()) no_driver(library.why());
  holds_work_back = is_on_windows(host);
  has_graphs = true;
#define PATCHBAY_CUDA_FIND(member, symbol)        \
  member.name = #symbol;                          \
  library.optional(member.name, member.function); \
  has_graphs = has_graphs && member.function != nullptr;
  PATCHBAY_CUDA_GRAPH_SYMBOLS(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
#define PATCHBAY_CUDA_FIND(member, symbol, parameters) \
  library.optional(member.name, member.function);
  PATCHBAY_CUDA_OWN_GRAPH_ENTRIES(PATCHBAY_CUDA_FIND)
#undef PATCHBAY_CUDA_FIND
  has_graphs = has_graphs && instantiate.function != nullptr;

  context_retain = {primary_retain.name,
                    [](const card::Api& api, NativeContext* context, DeviceNumber device) {
                      return own(api).primary_retain(context, device);
                    }};
  context_release = {primary_release.name, [](const card::Api& api, DeviceNumber device) {
                       return own(api).primary_release(device);
                     }};
  context_get_current = {get_current.name, [](const card::Api& api, NativeContext* context) {
                           return own(api).get_current(context);
                         }};
  context_set_current = {set_current.name, [](const card::Api& api, NativeContext context) {
                           return own(api).set_current(context);
                         }};
  context_device = {current_device.name, [](const card::Api& api, DeviceNumber* device) {
                      return own(api).current_device(device);
                    }};
  context_enable_peer = {enable_peer.name, [](const card::Api& api, NativeContext to) {
                           return own(api).enable_peer(to, 0);
                         }};
  copy_to_peer = {copy_peer.name,
                  [](const card::Api& api, Address to, NativeContext to_context, Address from,
                     NativeContext from_context, std::size_t bytes, NativeStream stream) {
                    return own(api).copy_peer(to, to_context, from, from_context, bytes, stream);
                  }};
  stream_context = {context_of_stream.name,
                    [](const card::Api& api, NativeStream stream, NativeContext* context) {
                      return own(api).context_of_stream(stream, context);
                    }};
  replay_create = {instantiate.name,
                   [](const card::Api& api, card::NativeReplay* replay, card::NativeGraph graph) {
                     return own(api).instantiate(replay, graph, 0);
                   }};
  replay_update = {
      update.name, [](const card::Api& api, card::NativeReplay replay, card::NativeGraph graph) {
        UpdateResult result{};
        const auto& entry = own(api).update;
        return entry.function != nullptr ? entry(replay, graph, &result) : card::kErrorNotSupported;
      }};
}

std::string Api::describe(Result code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(code, &name);
  error_text(code, &text);
  std::string words = name != nullptr ? name : "error " + std::to_string(code);
  if (text != nullptr) words.append(" (").append(text).append(")");
  return words;
}

bool Api::loses_device(Result code) const {
  switch (code) {
    case card::kErrorEccUncorrectable:
    case card::kErrorNvlinkUncorrectable:
    case card::kErrorContained:
    case card::kErrorIllegalAddress:
    case card::kErrorLaunchTimeout:
    case card::kErrorContextIsDestroyed:
    case card::kErrorAssert:
    case card::kErrorHardwareStackError:
    case card::kErrorIllegalInstruction:
    case card::kErrorMisalignedAddress:
    case card::kErrorInvalidAddressSpace:
    case card::kErrorInvalidPc:
    case card::kErrorLaunchFailed:
    case card::kErrorTensorMemoryLeak:
    case card::kErrorMpsClientTerminated:
    case card::kErrorExternalDevice: return true;
    default: return false;
  }
}

}  // namespace patchbay::cuda
