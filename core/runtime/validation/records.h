// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What validation knows of one plugin's objects. The layer's mutex guards it, except constants and
// where another mutex is named.
//
// The core's handle of a device, a stream or an event is the address of its record. The plugin's
// own objects would not do: several objects, plugins and runtimes may have one of one address.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_RECORDS_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_RECORDS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "patchbay/plugin/abi.h"

#include "core/output/delivery.h"
#include "core/runtime/memory/view.h"
#include "core/runtime/plugin/device_info.h"

namespace patchbay::runtime::validation {

/// Where the program called the library. Linux only: uses the stack and the dynamic linker.
/// Capturing takes about a microsecond; names are looked up only when requested.
class CallSite {
 public:
  static CallSite here() noexcept;

  /// The library function that the program called: "ones". `fallback` if it has no name, for
  /// example after a tail call.
  std::string operation(const char* fallback) const;
  /// The caller: "main+0x2f (program+0x11a3)", without the name if the program does not export it;
  /// empty if unknown.
  std::string caller() const;

 private:
  int first_outside() const;

  std::array<void*, 40> frames_{};
  int num_frames_ = 0;
};

class Layer;
struct Block;

/// How far each stream has come, by stream number: a vector clock.
class Clock {
 public:
  std::uint64_t at(std::uint64_t stream) const {
    const auto found = reached_.find(stream);
    return found != reached_.end() ? found->second : 0;
  }
  void raise(std::uint64_t stream, std::uint64_t sequence) {
    std::uint64_t& reached = reached_[stream];
    reached = std::max(reached, sequence);
  }
  void join(const Clock& other) {
    for (const auto& [stream, sequence] : other.reached_) raise(stream, sequence);
  }
  /// Drops what `other` has reached too.
  void forget(const Clock& other) {
    std::erase_if(reached_, [&](const auto& one) { return one.second <= other.at(one.first); });
  }

 private:
  std::map<std::uint64_t, std::uint64_t> reached_;
};

struct DeviceRecord : std::enable_shared_from_this<DeviceRecord> {
  DeviceRecord(Layer& owner, const DeviceInfo& described, patchbay_device* opened)
      : layer(owner), info(described), own(opened) {}

  Layer& layer;
  const DeviceInfo& info;
  patchbay_device* const own;  // the plugin's object
  unsigned num_streams = 0;
  std::deque<std::shared_ptr<Block>> released;  // not freed yet, oldest first
  std::uint64_t released_bytes = 0;
  bool closes = false;  // released memory goes back at once; under the layer's mutex

  output::NoDeliveryMutex stream_mutex;  // not held together with the layer's
  patchbay_stream* stream = nullptr;     // the layer's own, for memory that the host can't address
  bool has_stream_ended = false;         // it is not made again, though the plugin may allocate
};

struct StreamRecord {
  std::shared_ptr<DeviceRecord> device;
  patchbay_stream* own = nullptr;
  std::uint64_t number = 0;  // among all streams of the layer
  std::string name;          // "stream 1 of fake:0"
  bool is_default = false;
  bool completes_inline = false;
  std::uint64_t submitted = 0;
  Clock known;  // what its next submission follows, on other streams
  CallSite made_at;
};

struct EventRecord {
  std::shared_ptr<DeviceRecord> device;
  patchbay_event* own = nullptr;
  Clock reached;  // when the event is done
  CallSite made_at;
};

inline DeviceRecord& record_of(patchbay_device* handle) {
  return *reinterpret_cast<DeviceRecord*>(handle);
}
inline StreamRecord& record_of(patchbay_stream* handle) {
  return *reinterpret_cast<StreamRecord*>(handle);
}
inline EventRecord& record_of(patchbay_event* handle) {
  return *reinterpret_cast<EventRecord*>(handle);
}

/// One use of a block by one submission.
struct Access {
  std::uint64_t stream = 0, sequence = 0;
  bool writes = false;
  bool is_inline = false;  // ends with its call, on `thread`
  std::thread::id thread;
  View view;
  std::string operation, stream_name;
};

/// The memory of one allocate call, with guard bytes around what the caller sees.
struct Block {
  std::shared_ptr<DeviceRecord> device;
  std::uint32_t kind = PATCHBAY_MEMORY_DEVICE;
  patchbay_memory whole{};  // what the plugin returned
  std::uint64_t front_bytes = 0, size_bytes = 0, whole_bytes = 0;
  bool is_wrapped = false;  // the application's own: not guarded, not reported as live
  bool is_released = false;
  bool is_scratch = false;  // the plugin's, which may release it while it closes the device
  std::string tag;
  CallSite made_at, released_at;
  std::vector<Access> accesses;       // those that may not have ended
  std::vector<std::string> suspects;  // users since the guards were last whole

  output::NoDeliveryMutex bytes_mutex;  // not the layer's
  bool is_guarded = false;  // its bytes are known and can be checked; under `bytes_mutex`

  patchbay_memory memory() const { return {whole.base, whole.offset_bytes + front_bytes}; }
};

/// Blocks by location: the address if the host can use the memory, so that a pointer into the
/// middle finds its block; else the plugin's handle and an offset. Takes no lock.
class BlockMap {
 public:
  void add(std::shared_ptr<Block> block);
  void remove(const Block& block);
  /// The block that holds that byte, guards included; null if there is none.
  std::shared_ptr<Block> find(patchbay_memory memory) const;
  std::shared_ptr<Block> find_address(const void* address) const;
  std::vector<std::shared_ptr<Block>> all() const;
  std::vector<std::shared_ptr<Block>> of(const DeviceRecord& device) const;

 private:
  using Key = std::pair<std::uintptr_t, std::uint64_t>;  // 0 and an address, or base and offset
  static Key key_of(const Block& block);
  std::shared_ptr<Block> at(const Key& key) const;

  std::map<Key, std::shared_ptr<Block>> blocks_;
};

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_RECORDS_H_
