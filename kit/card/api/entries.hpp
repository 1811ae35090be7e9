// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The entries of a driver for cards. The vendors' drivers have the same entries, with the same
// parameters, codes and flags, under different names. A vendor's table names them.
#ifndef PATCHBAY_KIT_CARD_API_ENTRIES_HPP_
#define PATCHBAY_KIT_CARD_API_ENTRIES_HPP_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "patchbay/plugin/kit/error.hpp"

#include "kit/library/library.hpp"

namespace patchbay::card {

// The driver's enumerations are passed as ints.
using Result = int;
using DeviceNumber = int;
using Address = std::uint64_t;  // in device memory
using NativeContext = struct ContextObject*;
using NativeStream = struct StreamObject*;
using NativeEvent = struct EventObject*;
using NativeModule = struct ModuleObject*;
using NativeFunction = struct FunctionObject*;
using NativeGraph = struct GraphObject*;
using NativeReplay = struct ReplayObject*;  // a graph that can run
struct Uuid {
  char bytes[16];
};

template <class Signature>
using Entry = Symbol<Signature>;

// Codes. A vendor's check of its declarations compares them with its headers.
inline constexpr Result kSuccess = 0, kErrorInvalidValue = 1, kErrorOutOfMemory = 2,
                        kErrorNotInitialized = 3, kErrorDeinitialized = 4, kErrorNoDevice = 100,
                        kErrorInvalidDevice = 101, kErrorInvalidImage = 200,
                        kErrorInvalidContext = 201, kErrorNoBinary = 209,
                        kErrorEccUncorrectable = 214, kErrorPeerAccessUnsupported = 217,
                        kErrorInvalidPtx = 218, kErrorNvlinkUncorrectable = 220,
                        kErrorUnsupportedPtxVersion = 222, kErrorContained = 226,
                        kErrorObjectInit = 303, kErrorInvalidHandle = 400, kErrorNotFound = 500,
                        kErrorNotReady = 600, kErrorIllegalAddress = 700, kErrorLaunchTimeout = 702,
                        kErrorPeerAccessAlreadyEnabled = 704, kErrorContextIsDestroyed = 709,
                        kErrorAssert = 710, kErrorHardwareStackError = 714,
                        kErrorIllegalInstruction = 715, kErrorMisalignedAddress = 716,
                        kErrorInvalidAddressSpace = 717, kErrorInvalidPc = 718,
                        kErrorLaunchFailed = 719, kErrorTensorMemoryLeak = 721,
                        kErrorNotSupported = 801, kErrorMpsClientTerminated = 810,
                        kErrorStreamCaptureImplicit = 906, kErrorExternalDevice = 911,
                        kErrorUnknown = 999;

// Flags and attributes.
inline constexpr int kPointerContext = 1, kPointerDevice = 9;
inline constexpr int kFunctionMaxThreads = 0;
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;
inline constexpr int kHostAllocPortable = 1;
inline constexpr int kStreamNonBlocking = 1;
inline constexpr int kCaptureRelaxed = 2;  // a mode: other calls of the program go on
inline constexpr int kNotCapturing = 0;    // a status
// Streams: the default one, and each thread's own.
inline constexpr std::uintptr_t kLegacyStream = 1, kPerThread = 2;
inline constexpr int kEventDefault = 0, kEventBlockingSync = 1, kEventDisableTiming = 2;

// Entry by entry.
// clang-format off
// our name, parameters; all return a Result
#define PATCHBAY_CARD_ENTRIES(entry) \
  entry(initialise, (unsigned flags)) \
  entry(device_count, (int* count)) \
  entry(device_name, (char* name, int size, DeviceNumber)) \
  entry(device_uuid, (Uuid*, DeviceNumber)) \
  entry(device_total_memory, (std::size_t* bytes, DeviceNumber)) \
  entry(device_attribute, (int* value, int attribute, DeviceNumber)) \
  entry(device_pci, (char* address, int size, DeviceNumber)) \
  entry(device_can_access_peer, (int* can, DeviceNumber from, DeviceNumber to)) \
  entry(memory_allocate, (Address*, std::size_t bytes)) \
  entry(memory_free, (Address)) \
  entry(memory_info, (std::size_t* free_bytes, std::size_t* total_bytes)) \
  entry(host_allocate, (void**, std::size_t bytes, unsigned flags)) \
  entry(host_free, (void*)) \
  entry(pointer_attribute, (void* value, int attribute, Address)) \
  entry(address_range, (Address* base, std::size_t* bytes, Address)) \
  entry(copy_to_device, (Address to, const void* from, std::size_t bytes, NativeStream)) \
  entry(copy_to_host, (void* to, Address from, std::size_t bytes, NativeStream)) \
  entry(copy_on_device, (Address to, Address from, std::size_t bytes, NativeStream)) \
  entry(stream_priorities, (int* least, int* greatest)) \
  entry(stream_create, (NativeStream*, unsigned flags, int priority)) \
  entry(stream_destroy, (NativeStream)) \
  entry(stream_synchronize, (NativeStream)) \
  entry(stream_query, (NativeStream)) \
  entry(stream_wait_event, (NativeStream, NativeEvent, unsigned flags)) \
  entry(stream_is_capturing, (NativeStream, int* status)) \
  entry(event_create, (NativeEvent*, unsigned flags)) \
  entry(event_destroy, (NativeEvent)) \
  entry(event_record, (NativeEvent, NativeStream)) \
  entry(event_query, (NativeEvent)) \
  entry(event_synchronize, (NativeEvent)) \
  entry(event_elapsed, (float* milliseconds, NativeEvent from, NativeEvent to)) \
  entry(module_load, (NativeModule*, const void* image, unsigned num_options, int* options, \
        void** values)) \
  entry(module_unload, (NativeModule)) \
  entry(module_function, (NativeFunction*, NativeModule, const char* name)) \
  entry(function_attribute, (int* value, int attribute, NativeFunction)) \
  entry(launch, (NativeFunction, unsigned groups_x, unsigned groups_y, unsigned groups_z, \
        unsigned group_x, unsigned group_y, unsigned group_z, unsigned shared_bytes, \
        NativeStream, void** arguments, void** extra))

// Recorded launches. A driver that lacks one of them replays nothing.
#define PATCHBAY_CARD_GRAPH_ENTRIES(entry) \
  entry(capture_begin, (NativeStream, int mode)) \
  entry(capture_end, (NativeStream, NativeGraph*)) \
  entry(graph_destroy, (NativeGraph)) \
  entry(replay_launch, (NativeReplay, NativeStream)) \
  entry(replay_destroy, (NativeReplay))

// What the vendors do differently: the table fills in functions of its own, which get the driver. A
// driver without `replay_update` makes a changed graph again.
#define PATCHBAY_CARD_ADAPTED_ENTRIES(entry) \
  entry(context_retain, (const Api&, NativeContext*, DeviceNumber)) \
  entry(context_release, (const Api&, DeviceNumber)) \
  entry(context_get_current, (const Api&, NativeContext*)) \
  entry(context_set_current, (const Api&, NativeContext)) \
  entry(context_device, (const Api&, DeviceNumber*)) \
  entry(context_enable_peer, (const Api&, NativeContext to)) \
  entry(copy_to_peer, (const Api&, Address to, NativeContext to_context, Address from, \
        NativeContext from_context, std::size_t bytes, NativeStream)) \
  entry(stream_context, (const Api&, NativeStream, NativeContext*)) \
  entry(replay_create, (const Api&, NativeReplay*, NativeGraph)) \
  entry(replay_update, (const Api&, NativeReplay, NativeGraph))
// clang-format on

/// One vendor's driver. The vendor's class opens the library and fills the entries.
class Api {
 public:
  virtual ~Api() = default;

  /// For example "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  virtual std::string describe(Result code) const = 0;
  /// Whether the code means that the context, and with it the device, can't be used any more.
  virtual bool loses_device(Result code) const = 0;

  int version = 0;  // as the driver counts
  /// Whether devices have contexts that an application can create and lend.
  bool has_contexts = true;
  bool has_graphs = false;
  /// Whether every call takes kLegacyStream for the default stream, as it takes null.
  bool knows_legacy_stream = true;
  /// Whether the driver keeps submitted work back until somebody asks how far a stream is.
  bool holds_work_back = false;
  /// The limit of work-items along an axis of a grid.
  std::uint64_t most_items = std::numeric_limits<std::uint64_t>::max();
#define PATCHBAY_CARD_MEMBER(member, parameters) Entry<int parameters> member{"", nullptr};
  PATCHBAY_CARD_ENTRIES(PATCHBAY_CARD_MEMBER)
  PATCHBAY_CARD_GRAPH_ENTRIES(PATCHBAY_CARD_MEMBER)
  PATCHBAY_CARD_ADAPTED_ENTRIES(PATCHBAY_CARD_MEMBER)
#undef PATCHBAY_CARD_MEMBER

 protected:
  Api() = default;
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;
};

/// "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
std::string describe(const Api& api, std::string_view entry, Result code);

/// Throws unless the call succeeded; for calls that use no open device. The message ends with the
/// driver's own explanation.
void check(const Api& api, std::string_view entry, Result code, std::string_view log = {});

/// Calls an entry that needs no open device; throws unless it succeeds.
template <class... P, class... A>
void call(const Api& api, const Entry<int(P...)>& entry, A&&... arguments) {
  check(api, entry.name, entry(arguments...));
}

}  // namespace patchbay::card

#endif  // PATCHBAY_KIT_CARD_API_ENTRIES_HPP_
