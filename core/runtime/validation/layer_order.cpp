// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Order: which submission follows which, by vector clocks, and which are races.
#include <algorithm>

#include "core/base/error.h"
#include "core/runtime/plugin/plugin_state.h"
#include "core/runtime/validation/guard.h"
#include "core/runtime/validation/layer.h"

namespace patchbay::runtime::validation {
namespace {

std::string name_of(const MemoryAccess& use) {
  if (use.argument >= 0) return fmt::format("argument {}", use.argument);
  return use.writes ? "the destination" : "the source";
}

/// Describes the current call, for a message about it.
std::string caller(const Work& work) {
  const CallSite site = CallSite::here();
  return fmt::format("in [{}] at {}", site.operation(work.operation.c_str()), site.caller());
}

}  // namespace

// ------------------------------------------------------------------------------- streams, events

std::unique_ptr<StreamRecord> Layer::new_stream(DeviceRecord& device, std::uint32_t flags) {
  auto record = std::make_unique<StreamRecord>();
  record->device = device.shared_from_this();
  record->is_default = (flags & PATCHBAY_STREAM_DEFAULT) != 0;
  record->completes_inline = record->is_default && device.info.properties.completes_inline;
  record->made_at = CallSite::here();
  const std::scoped_lock lock(mutex_);
  record->number = ++num_streams_;
  record->name = record->is_default
                     ? "the default stream of " + device.info.name_text
                     : fmt::format("stream {} of {}", ++device.num_streams, device.info.name_text);
  return record;
}

void Layer::forget_stream(const StreamRecord& stream) {
  {
    const std::scoped_lock lock(mutex_);
    done_.raise(stream.number, UINT64_MAX);
  }
  drop(streams_, stream);
}

patchbay_status* Layer::make_event(DeviceRecord& device, std::uint32_t flags,
                                   patchbay_event** event) {
  auto record = std::make_unique<EventRecord>();
  record->device = device.shared_from_this();
  record->made_at = CallSite::here();
  return give(events_, std::move(record), event,
              [&](patchbay_event** own) { return real_.event.create(device.own, flags, own); });
}

void Layer::forget_event(const EventRecord& event) { drop(events_, event); }

Clock Layer::reach_of(const StreamRecord& stream) {
  const std::scoped_lock lock(mutex_);
  Clock reached = stream.known;
  reached.raise(stream.number, stream.submitted);
  return reached;
}

Clock Layer::reach_of(const EventRecord& event) {
  const std::scoped_lock lock(mutex_);
  return event.reached;
}

void Layer::record(EventRecord& event, const StreamRecord& stream) {
  Clock reached = reach_of(stream);
  const std::scoped_lock lock(mutex_);
  reached.forget(done_);
  event.reached = std::move(reached);
}

void Layer::wait_event(StreamRecord& stream, const EventRecord& event) {
  const std::scoped_lock lock(mutex_);
  stream.known.join(event.reached);
  stream.known.forget(done_);
}

void Layer::note_done(const Clock& reached) {
  const std::scoped_lock lock(mutex_);
  done_.join(reached);
}

std::function<void()> Layer::later_note_done(Clock reached) {
  return [link = link_, reached = std::move(reached)] {
    const std::scoped_lock lock(link->mutex);
    if (link->layer != nullptr) link->layer->note_done(reached);
  };
}

bool Layer::has_ended(const Access& access) const {
  return !access.is_inline && access.sequence <= done_.at(access.stream);
}

bool Layer::has_pending(const Block& block) const {
  return !std::all_of(block.accesses.begin(), block.accesses.end(),
                      [this](const Access& access) { return has_ended(access); });
}

bool Layer::is_ordered(const Access& earlier, const StreamRecord& stream) const {
  if (earlier.is_inline) return earlier.thread == std::this_thread::get_id();
  return earlier.stream == stream.number || has_ended(earlier) ||
         earlier.sequence <= stream.known.at(earlier.stream);
}

// ------------------------------------------------------------------------------- submissions

patchbay_status* Layer::begin(StreamRecord& stream, Work& work) {
  std::string fault;
  {
    const std::scoped_lock lock(mutex_);
    fault = find_fault(stream, work);
    if (fault.empty()) {
      work.sequence = ++stream.submitted;
      for (const MemoryAccess& use : work.uses) note(stream, work, use);
    }
  }
  return fault.empty() ? nullptr : findings_.raise(fault);
}

patchbay_status* Layer::end(StreamRecord& stream, const Work& work, patchbay_status* status) {
  const bool has_ended = stream.completes_inline || status != nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (has_ended) forget(stream, work);
    for (const MemoryAccess& use : work.uses) {
      if (!work.is_launch || has_ended || use.block == nullptr) continue;
      std::vector<std::string>& suspects = use.block->suspects;
      if (std::find(suspects.begin(), suspects.end(), work.operation) == suspects.end()) {
        suspects.push_back(work.operation);
      }
    }
  }
  if (status != nullptr || !stream.completes_inline || !work.is_launch) return status;
  for (const MemoryAccess& use : work.uses) {
    if (use.block == nullptr) continue;
    const std::string text = find_damage(*use.block, {work.operation});
    if (!text.empty()) return findings_.raise(text);
  }
  return nullptr;
}

std::string Layer::find_fault(const StreamRecord& stream, Work& work) {
  for (MemoryAccess& use : work.uses) {
    if (std::string fault = find_block(stream, work, use); !fault.empty()) return fault;
  }
  if (std::string fault = find_overlap(work); !fault.empty()) return fault;
  for (const MemoryAccess& use : work.uses) {
    if (std::string fault = find_race(stream, work, use); !fault.empty()) return fault;
  }
  return {};
}

std::string Layer::find_block(const StreamRecord& stream, const Work& work,
                              MemoryAccess& use) const {
  if (use.view.num_elements == 0) return {};
  if (use.is_workspace && use.memory.base == nullptr) return find_growth(stream, work, use, 0);
  use.block = use.is_host ? blocks_.find_address(use.memory.base) : blocks_.find(use.memory);
  if (use.block == nullptr) {
    // The program may have lent memory that the host can address.
    if (use.is_host || is_addressable(*stream.device, PATCHBAY_MEMORY_DEVICE)) return {};
    return fmt::format(
        "[{}] memory is used that was never allocated: expected memory of {}, got base {} at "
        "offset {} ({}). Take it from Buffer::allocate, or wrap it.",
        work.operation, stream.device->info.name_text, use.memory.base, use.memory.offset_bytes,
        caller(work));
  }
  Block& block = *use.block;
  if (block.is_released) {
    return fmt::format(
        "[{}] memory is used after its release: [{}] gave it back ({}; {}). Keep a handle as long "
        "as the memory is used.",
        work.operation, block.released_at.operation("release"), caller(work), describe(block));
  }
  const bool by_address = use.is_host || use.memory.base != block.whole.base;
  const std::uint64_t start = block.memory().offset_bytes +
                              (by_address ? reinterpret_cast<std::uintptr_t>(block.whole.base) -
                                                reinterpret_cast<std::uintptr_t>(use.memory.base)
                                          : 0);
  use.view.begin += static_cast<std::int64_t>(use.memory.offset_bytes - start);
  // The application may own more of its memory than the part that it lent last.
  if (block.is_wrapped ||
      (use.view.begin >= 0 && use.view.end() <= static_cast<std::int64_t>(block.size_bytes))) {
    return {};
  }
  if (use.is_workspace) {
    const auto at = std::min(static_cast<std::uint64_t>(use.view.begin), block.size_bytes);
    return find_growth(stream, work, use, block.size_bytes - at);
  }
  return fmt::format(
      "[{}] a use reaches outside its buffer: expected bytes 0 to {}, got {} to {} ({}; {}). "
      "Correct offset and size.",
      work.operation, block.size_bytes, use.view.begin, use.view.end(), caller(work),
      describe(block));
}

/// The core asks for the size once, when it has prepared the kernel.
std::string Layer::find_growth(const StreamRecord& stream, const Work& work,
                               const MemoryAccess& use, std::uint64_t given_bytes) const {
  return fmt::format(
      "[{}] the plugin '{}' broke the plugin interface: workspace_bytes gave {} for a launch, "
      "expected at most {}, as when the kernel was prepared ({}). Tell the author of the plugin.",
      work.operation, plugin_.name, use.view.num_elements, given_bytes,
      stream.device->info.name_text);
}

std::string Layer::find_overlap(const Work& work) const {
  for (const MemoryAccess& out : work.uses) {
    if (!out.writes || out.block == nullptr) continue;
    if (out.argument >= 0 && out.view.repeats_elements()) {
      return fmt::format(
          "[{}] argument {} is written and has one element at several indices: expected strides "
          "above 0, got 0 ({}; {}). Write to a tensor of its own.",
          work.operation, out.argument, caller(work), describe(*out.block));
    }
    for (const MemoryAccess& other : work.uses) {
      if (&other == &out || other.block != out.block || other.view == out.view ||
          !share_bytes(out.view, other.view)) {
        continue;
      }
      return fmt::format(
          "[{}] {} is written and overlaps {} in part: expected the very same elements or none, "
          "got bytes {} to {} and {} to {} ({}; {}). Use other memory, or a copy.",
          work.operation, name_of(out), name_of(other), out.view.begin, out.view.end(),
          other.view.begin, other.view.end(), caller(work), describe(*out.block));
    }
  }
  return {};
}

std::string Layer::find_race(const StreamRecord& stream, const Work& work,
                             const MemoryAccess& use) const {
  if (use.block == nullptr) return {};
  for (const Access& earlier : use.block->accesses) {
    if ((!use.writes && !earlier.writes) || is_ordered(earlier, stream) ||
        !share_bytes(earlier.view, use.view)) {
      continue;
    }
    const char* mine = use.writes ? "written" : "read";
    const char* other = earlier.writes ? "writing" : "reading";
    if (earlier.is_inline) {
      return fmt::format(
          "[{}] a buffer is {} while another thread is in [{}], {} it ({}; {}). Order the threads, "
          "or give each memory of its own.",
          work.operation, mine, earlier.operation, other, caller(work), describe(*use.block));
    }
    return fmt::format(
        "[{}] a buffer is {} on {} while [{}] on {} may still be {} it, and no wait is between "
        "them ({}; {}). Let the stream wait first: stream.wait(other.record()).",
        work.operation, mine, stream.name, earlier.operation, earlier.stream_name, other,
        caller(work), describe(*use.block));
  }
  return {};
}

void Layer::note(const StreamRecord& stream, const Work& work, const MemoryAccess& use) {
  if (use.block == nullptr) return;
  std::vector<Access>& accesses = use.block->accesses;
  std::erase_if(accesses, [&](const Access& access) {
    const bool is_same = access.stream == stream.number && access.writes == use.writes &&
                         access.view == use.view && !access.is_inline;
    return is_same || has_ended(access);
  });
  // Forgets the oldest pending use above this number.
  constexpr std::size_t kMostKept = 256;
  if (accesses.size() >= kMostKept) accesses.erase(accesses.begin());
  accesses.push_back({stream.number, work.sequence, use.writes, stream.completes_inline,
                      std::this_thread::get_id(), use.view, work.operation, stream.name});
}

void Layer::forget(const StreamRecord& stream, const Work& work) {
  for (const MemoryAccess& use : work.uses) {
    if (use.block == nullptr) continue;
    std::erase_if(use.block->accesses, [&](const Access& access) {
      return access.stream == stream.number && access.sequence == work.sequence;
    });
  }
}

}  // namespace patchbay::runtime::validation
