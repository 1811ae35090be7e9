// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "hip/api/driver.hpp"

#include <cstring>
#include <optional>
#include <vector>

#include "patchbay/plugin/kit/privileges.hpp"

#include "hip/api/toolkit.hpp"
#include "kit/card/api/entries.hpp"

namespace patchbay::hip {
namespace {

using card::NativeContext;

// The first with hipDeviceGetUuid, and the first whose streams record every launch.
constexpr int kOldestVersion = 50200000, kOldestWithGraphs = 60000000;
constexpr int kWithoutGraphs = 702;  // its replays gave wrong values: ROCm/clr, issue 279

[[noreturn]] void no_driver(const std::string& why) {
  throw plugin::StatusError(PATCHBAY_NO_DRIVER, why);
}

const Api& own(const card::Api& api) { return static_cast<const Api&>(api); }

// A context is its device's number and 1, as a pointer that is never followed; null is none.
NativeContext context_of(DeviceNumber device) {
  return reinterpret_cast<NativeContext>(static_cast<std::uintptr_t>(device) + 1);
}
DeviceNumber device_of(NativeContext context) {
  return static_cast<DeviceNumber>(reinterpret_cast<std::uintptr_t>(context) - 1);
}

}  // namespace

int major_version(int version) { return version / 10000000; }

std::string version_text(int version) {
  return std::to_string(major_version(version)) + "." + std::to_string(version / 100000 % 100) +
         "." + std::to_string(version % 100000);
}

Api::Api(plugin::Host host) {
  plugin::refuse_raised_privileges("the driver", "HIP_PATH, ROCM_PATH, HOME");
  const auto path = host.option("hip_library");
  const auto files = path ? std::vector{*path} : driver_files({7, 6, 5});
  Library library = Library::loaded_or_first_of(files, Library::Lifetime::kProcess);
  if (!library) {
    no_driver(library.why() + (path ? " (setting hip_library)" : "; install AMD's ROCm"));
  }
  library.find(runtime_version);
  if (runtime_version.function == nullptr) no_driver(library.why());
  if (const int code = runtime_version(&version); code != card::kSuccess) {
    no_driver(library.file() + ": " + runtime_version.name + " gives " + std::to_string(code));
  }
  if (version < kOldestVersion) {
    no_driver(library.file() + " is HIP " + version_text(version) +
              ", expected 5.2 or newer; install a newer ROCm");
  }
#define PATCHBAY_HIP_FIND(member, symbol) \
  member.name = #symbol;                  \
  library.find(member);
  PATCHBAY_HIP_SYMBOLS(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
#define PATCHBAY_HIP_FIND(member, symbol, parameters) library.find(member);
  PATCHBAY_HIP_OWN_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
#define PATCHBAY_HIP_FIND(member, symbol) library.find(member);
  PATCHBAY_HIP_TEXT_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
  library.optional(stream_device_.name, stream_device_.function);
  library.optional(properties_.name, properties_.function);
  if (properties_.function == nullptr) {
    properties_.name = kPropertiesSymbol;
    architecture_offset_ = kArchitectureOffset;
    library.find(properties_);
  }
  if (!library.is_complete()) no_driver(library.why());
  has_graphs = version >= kOldestWithGraphs && version / 100000 != kWithoutGraphs;
#define PATCHBAY_HIP_FIND(member, symbol)         \
  member.name = #symbol;                          \
  library.optional(member.name, member.function); \
  has_graphs = has_graphs && member.function != nullptr;
  PATCHBAY_HIP_GRAPH_SYMBOLS(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND
#define PATCHBAY_HIP_FIND(member, symbol, parameters) \
  library.optional(member.name, member.function);     \
  has_graphs = has_graphs && member.function != nullptr;
  PATCHBAY_HIP_OWN_GRAPH_ENTRIES(PATCHBAY_HIP_FIND)
#undef PATCHBAY_HIP_FIND

  most_items = 0xffffffff;
  has_contexts = false;
  knows_legacy_stream = false;  // hipStreamGetDevice follows the handle
  // A device has one context, which is always there.
  context_retain = {set_device.name,
                    [](const card::Api&, NativeContext* context, DeviceNumber device) -> int {
                      *context = context_of(device);
                      return card::kSuccess;
                    }};
  context_release = {set_device.name,
                     [](const card::Api&, DeviceNumber) -> int { return card::kSuccess; }};
  context_get_current = {get_device.name, [](const card::Api& api, NativeContext* context) -> int {
                           DeviceNumber device = 0;
                           const Result code = own(api).get_device(&device);
                           *context = code == card::kSuccess ? context_of(device) : nullptr;
                           return code;
                         }};
  context_set_current = {set_device.name, [](const card::Api& api, NativeContext context) -> int {
                           return own(api).set_device(device_of(context));
                         }};
  context_device = {get_device.name, [](const card::Api& api, DeviceNumber* device) -> int {
                      return own(api).get_device(device);
                    }};
  context_enable_peer = {enable_peer.name, [](const card::Api& api, NativeContext to) -> int {
                           return own(api).enable_peer(device_of(to), 0);
                         }};
  copy_to_peer = {copy_peer.name,
                  [](const card::Api& api, Address to, NativeContext to_context, Address from,
                     NativeContext from_context, std::size_t bytes, NativeStream stream) -> int {
                    return own(api).copy_peer(to, device_of(to_context), from,
                                              device_of(from_context), bytes, stream);
                  }};
  // Older versions can't tell: the stream is taken for one of the current device.
  stream_context = {stream_device_.name,
                    [](const card::Api& api, NativeStream stream, NativeContext* context) -> int {
                      const Api& hip = own(api);
                      DeviceNumber device = 0;
                      const Result code = hip.stream_device_.function != nullptr
                                              ? hip.stream_device_(stream, &device)
                                              : hip.get_device(&device);
                      *context = code == card::kSuccess ? context_of(device) : nullptr;
                      return code;
                    }};
  // No replay_update: a graph takes new memory for the arguments at each update and frees none of
  // it before its end, and without room a replay has the old arguments or ends the process
  // (ROCm/rocm-systems, issues 10713, 10714 and 10021).
  replay_create = {
      instantiate.name,
      [](const card::Api& api, card::NativeReplay* replay, card::NativeGraph graph) -> int {
        void* node = nullptr;
        return own(api).instantiate(replay, graph, &node, nullptr, 0);
      }};
}

std::string Api::describe(Result code) const {
  const char* const name = error_name(code);
  const char* const text = error_text(code);
  std::string words = name != nullptr ? name : "error " + std::to_string(code);
  // Some versions give the name for the text too.
  if (text != nullptr && words != text) words.append(" (").append(text).append(")");
  return words;
}

/// kErrorContextIsDestroyed does not: it is what a stream that does not exist any more gives.
bool Api::loses_device(Result code) const {
  switch (code) {
    case card::kErrorEccUncorrectable:
    case card::kErrorIllegalAddress:
    case card::kErrorLaunchTimeout:
    case card::kErrorAssert:
    case card::kErrorLaunchFailed:
    case kErrorRuntimeMemory:
    case kErrorRuntimeOther: return true;
    // What version 7 gives for faults without a code of their own. All devices of the process give
    // it from then on.
    case card::kErrorUnknown: return major_version(version) >= 7;
    default: return false;
  }
}

std::string Api::architecture(DeviceNumber device) const {
  std::vector<char> properties(kPropertiesBytes);
  card::call(*this, properties_, static_cast<void*>(properties.data()), device);
  const char* const name = properties.data() + architecture_offset_;
  return {name, strnlen(name, kArchitectureBytes)};
}

}  // namespace patchbay::hip
