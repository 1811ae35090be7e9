// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Validation of one plugin of one runtime: its tables are wrapped by entries that check, note, and
// call on. A plugin that is not validated keeps its own entries, so that it pays for nothing.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_LAYER_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_LAYER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "patchbay/validation.h"

#include "core/runtime/plugin/plugin_tables.h"
#include "core/runtime/plugin/table_layer.h"
#include "core/runtime/validation/block_map.h"
#include "core/runtime/validation/findings.h"
#include "core/runtime/validation/records.h"

namespace patchbay::runtime {
struct PluginState;
}

namespace patchbay::runtime::validation {

/// A piece of memory that a submission uses.
struct MemoryAccess {
  patchbay_memory memory{};
  View view;  // from `memory`; once the block is found, from its start
  bool writes = false;
  bool is_host = false;  // the other end of a copy, which may be nobody's
  int argument = -1;     // of a launch
  std::shared_ptr<Block> block = nullptr;
};

/// What is about to be submitted.
struct Work {
  std::string operation;
  bool is_launch = false;  // it may reach outside its arguments
  std::vector<MemoryAccess> uses;
  std::uint64_t sequence = 0;
};

class Layer final : public TableLayer {
 public:
  /// Wraps the tables of a plugin whose devices are enumerated and not yet open.
  explicit Layer(PluginState& plugin);
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const PluginTables& real() const { return real_; }
  Findings& findings() { return findings_; }

  /// Knows an open device from here on.
  void adopt_device(std::uint32_t index, patchbay_device* device) override;
  /// Looks at everything a last time, and logs what is left.
  void forget_device(DeviceRecord& device);

  patchbay_status* allocate(const std::shared_ptr<DeviceRecord>& device, std::uint32_t kind,
                            std::uint64_t size_bytes, std::uint64_t alignment_bytes,
                            patchbay_memory* memory);
  void release(DeviceRecord& device, patchbay_memory memory);
  void adopt_memory(const std::shared_ptr<DeviceRecord>& device, patchbay_memory memory,
                    std::uint64_t size_bytes);

  /// With the flags that it was created with.
  void adopt_stream(const std::shared_ptr<DeviceRecord>& device, const patchbay_stream* stream,
                    std::uint32_t flags);
  /// The stream is gone, and all that was submitted to it has ended.
  void forget_stream(const StreamRecord& stream);
  /// What the stream will have reached once all is done that is submitted now.
  Clock reach_of(const StreamRecord& stream);
  Clock reach_of(const EventRecord& event);
  void record(EventRecord& event, const StreamRecord& stream);
  void wait_event(StreamRecord& stream, const EventRecord& event);
  /// The host has seen that this is done.
  void note_done(const Clock& reached);
  /// Looks at the guards that may have been touched.
  void check_guards(DeviceRecord& device);

  /// Checks `work`, notes it, makes it by `call`, and looks at what it did if it has ended.
  template <class Call>
  patchbay_status* submit(StreamRecord& stream, Work& work, const Call& call) {
    if (patchbay_status* refused = begin(stream, work)) return refused;
    return end(stream, work, call());
  }

  /// Looks at all guards, and at what was released last.
  void look();
  /// What lives of its devices, in no order.
  std::vector<LiveObject> live();
  /// One line for each, the largest first.
  void log_live() override;

 private:
  patchbay_status* begin(StreamRecord& stream, Work& work);
  patchbay_status* end(StreamRecord& stream, const Work& work, patchbay_status* status);
  // Empty, or what is wrong; the mutex is held.
  std::string find_block(const StreamRecord& stream, const Work& work, MemoryAccess& use) const;
  std::string find_overlap(const Work& work) const;
  std::string find_race(const StreamRecord& stream, const Work& work,
                        const MemoryAccess& use) const;
  std::string find_fault(const StreamRecord& stream, Work& work);
  bool is_ordered(const Access& earlier, const StreamRecord& stream) const;
  bool has_ended(const Access& access) const;
  bool has_pending(const Block& block) const;
  void note(const StreamRecord& stream, const Work& work, const MemoryAccess& use);
  void forget(const StreamRecord& stream, const Work& work);

  /// A sentence on damaged guards, which are whole again afterwards; empty if they are.
  std::string find_damage(Block& block, const std::vector<std::string>& suspects,
                          std::string_view operation);
  void check_guards(const std::vector<std::shared_ptr<Block>>& blocks, bool also_unsuspected);
  std::string find_user(const Block& block);
  void check_released(Block& block);
  void keep_released(DeviceRecord& device, std::shared_ptr<Block> block);
  void give_back(DeviceRecord& device, std::uint64_t most_kept_bytes);

  PluginState& plugin_;
  const PluginTables real_;
  Findings findings_;
  std::mutex mutex_;  // no plugin and no sink is called while it is held
  BlockMap blocks_;
  std::uint64_t num_streams_ = 0;
  Clock done_;  // what the host has seen done
};

/// "fake:0; buffer of 400 bytes made by [ones] at main+0x1f (program+0x2ab)"
std::string describe(const Block& block);
std::string to_text(const LiveObject& object);

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_LAYER_H_
