// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Validates one plugin of one runtime: wraps its tables with entries that check and note each call
// and pass it on. Other plugins keep their own entries, so they cost nothing.
#ifndef PATCHBAY_CORE_RUNTIME_VALIDATION_LAYER_H_
#define PATCHBAY_CORE_RUNTIME_VALIDATION_LAYER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "patchbay/plugin/host.h"
#include "patchbay/validation.h"

#include "core/output/logger.h"
#include "core/runtime/device/bad_answer.h"
#include "core/runtime/plugin/plugin_tables.h"
#include "core/runtime/plugin/table_layer.h"
#include "core/runtime/validation/records.h"

namespace patchbay::runtime {

struct PluginState;

}  // namespace patchbay::runtime

namespace patchbay::runtime::validation {

/// What validation found: logged, kept for the report, and returned as a status. Thread-safe.
class Findings {
 public:
  explicit Findings(output::Logger& logger) : logger_(logger) {}

  /// Adds a finding about the current call and returns the call's status.
  patchbay_status* raise(const std::string& text);
  /// Adds a finding about earlier work. The next call that waits returns it.
  void add_late(const std::string& text);
  /// The first late finding that no call has returned; null if there is none.
  patchbay_status* take_late();
  /// Drops the late findings, which the report has listed.
  void forget_late();

  std::uint64_t count() const;
  std::vector<std::string> texts() const;

 private:
  static constexpr std::size_t kMostKept = 1000;
  void keep(const std::string& text, bool is_late);

  output::Logger& logger_;
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::vector<std::string> texts_;
  std::deque<std::string> late_;
};

/// Memory that a submission uses.
struct MemoryAccess {
  patchbay_memory memory{};
  View view;  // from `memory`, then from the start of the block
  bool writes = false;
  bool is_host = false;  // the other end of a copy; may be in no block
  int argument = -1;     // of a launch
  bool is_workspace = false;
  std::shared_ptr<Block> block = nullptr;
};

/// A submission that is about to be made.
struct Work {
  std::string operation;
  bool is_launch = false;  // may reach outside its arguments
  std::vector<MemoryAccess> uses;
  std::uint64_t sequence = 0;
};

class Layer final : public TableLayer {
 public:
  /// Wraps the tables of a plugin whose devices are enumerated but not open; `open_device` is the
  /// caller's to wrap.
  explicit Layer(PluginState& plugin);
  ~Layer() override;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const PluginTables& real() const { return real_; }
  Findings& findings() { return findings_; }

  patchbay_status* open_device(std::uint32_t index, patchbay_device** device) override;
  void adopt_device(std::uint32_t index, patchbay_device*& device) override;
  patchbay_device* own_device(patchbay_device* device) const override;
  /// Checks everything a last time, before the plugin closes the device.
  void finish_device(DeviceRecord& device);
  /// The device is closed. Logs what still lives. The record is gone.
  void forget_device(DeviceRecord& device);

  patchbay_status* allocate(DeviceRecord& device, std::uint32_t kind, std::uint64_t size_bytes,
                            std::uint64_t alignment_bytes, patchbay_memory* memory);
  void release(DeviceRecord& device, patchbay_memory memory);
  void adopt_memory(DeviceRecord& device, patchbay_memory memory, std::uint64_t size_bytes);

  /// Makes a stream by the plugin's `create(patchbay_stream**)`, and a record for it. `flags` are
  /// those of the call.
  template <class Create>
  patchbay_status* make_stream(DeviceRecord& device, std::uint32_t flags, patchbay_stream** stream,
                               const Create& create) {
    return give(streams_, new_stream(device, flags), stream, create);
  }
  /// The stream is gone and its work has ended; so is the record.
  void forget_stream(const StreamRecord& stream);
  patchbay_status* make_event(DeviceRecord& device, std::uint32_t flags, patchbay_event** event);
  void forget_event(const EventRecord& event);
  /// What the stream will have reached when all work submitted so far is done.
  Clock reach_of(const StreamRecord& stream);
  Clock reach_of(const EventRecord& event);
  void record(EventRecord& event, const StreamRecord& stream);
  void wait_event(StreamRecord& stream, const EventRecord& event);
  /// Notes that the host has waited for this.
  void note_done(const Clock& reached);
  /// A function that notes the same, and that may be called when the layer is gone.
  std::function<void()> later_note_done(Clock reached);
  /// Checks the guards that may have been touched.
  void check_guards(DeviceRecord& device);

  /// Checks and notes `work`, makes it by `call` and, if it has ended, checks its effects.
  template <class Call>
  patchbay_status* submit(StreamRecord& stream, Work& work, const Call& call) {
    if (patchbay_status* refused = begin(stream, work)) return refused;
    return end(stream, work, call());
  }

  /// Checks all guards and the recently released memory.
  void look();
  /// The live objects of its devices, in no order.
  std::vector<LiveObject> live();
  /// Logs one line for each live object, the largest first.
  void log_live() override;
  bool has_report() override { return findings_.count() != 0 || !live().empty(); }

 private:
  template <class Record>
  using Records = std::unordered_map<const Record*, std::unique_ptr<Record>>;
  /// Makes an object of the plugin's, whose handle is the record from now on. After a failure, or a
  /// success that gives nothing, there is neither.
  template <class Record, class Handle, class Create>
  patchbay_status* give(Records<Record>& records, std::unique_ptr<Record> made, Handle** handle,
                        const Create& create) {
    Record* const record = made.get();
    {
      const std::scoped_lock lock(mutex_);
      records.emplace(record, std::move(made));
    }
    patchbay_status* const status = ask_for(record->own, create);
    *handle = record->own != nullptr ? reinterpret_cast<Handle*>(record) : nullptr;
    if (*handle == nullptr) drop(records, *record);
    return status;
  }
  template <class Record>
  void drop(Records<Record>& records, const Record& record) {
    const std::scoped_lock lock(mutex_);
    records.erase(&record);
  }
  std::unique_ptr<StreamRecord> new_stream(DeviceRecord& device, std::uint32_t flags);

  patchbay_status* begin(StreamRecord& stream, Work& work);
  patchbay_status* end(StreamRecord& stream, const Work& work, patchbay_status* status);
  // These return what is wrong, or nothing. The caller holds the mutex.
  std::string find_block(const StreamRecord& stream, const Work& work, MemoryAccess& use) const;
  std::string find_growth(const StreamRecord& stream, const Work& work, const MemoryAccess& use,
                          std::uint64_t given_bytes) const;
  std::string find_overlap(const Work& work) const;
  std::string find_race(const StreamRecord& stream, const Work& work,
                        const MemoryAccess& use) const;
  std::string find_fault(const StreamRecord& stream, Work& work);
  bool is_ordered(const Access& earlier, const StreamRecord& stream) const;
  bool has_ended(const Access& access) const;
  bool has_pending(const Block& block) const;
  void note(const StreamRecord& stream, const Work& work, const MemoryAccess& use);
  void forget(const StreamRecord& stream, const Work& work);

  /// Repairs damaged guards and returns a sentence about them; empty if they are whole. `suspects`
  /// are the operations that may have damaged them.
  std::string find_damage(Block& block, const std::vector<std::string>& suspects);
  void check_guards(const std::vector<std::shared_ptr<Block>>& blocks, bool also_unsuspected);
  std::string find_user(const Block& block);
  void check_released(Block& block);
  void report_left(const Block& block);
  bool takes_back(DeviceRecord& device, Block& block);
  /// Gives the memory back to the plugin.
  void release_now(DeviceRecord& device, Block& block);
  void keep_released(DeviceRecord& device, std::shared_ptr<Block> block);
  void give_back(DeviceRecord& device, std::uint64_t most_kept_bytes);

  /// For functions that may be called when the layer is gone.
  struct Link {
    std::mutex mutex;
    Layer* layer;
  };

  PluginState& plugin_;
  const PluginTables real_;
  const std::shared_ptr<Link> link_ = std::make_shared<Link>();
  Findings findings_;
  std::mutex mutex_;  // not held while a plugin or a sink is called
  BlockMap blocks_;
  std::unordered_map<const DeviceRecord*, std::shared_ptr<DeviceRecord>> devices_;  // open
  Records<StreamRecord> streams_;
  Records<EventRecord> events_;
  std::uint64_t num_streams_ = 0;
  Clock done_;  // what the host has waited for
};

/// Replaces the entries of a plugin that take or give a device, a stream or an event (entries.cpp),
/// which are records on the core's side. Leaves `open_device`, whose driver is no record.
void install(PluginTables& tables);

/// "fake:0; buffer of 400 bytes made by [ones] at main+0x1f (program+0x2ab)"
std::string describe(const Block& block);
std::string to_text(const LiveObject& object);

}  // namespace patchbay::runtime::validation

#endif  // PATCHBAY_CORE_RUNTIME_VALIDATION_LAYER_H_
