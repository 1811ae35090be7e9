// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/memory/buffer_state.h"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <new>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/runtime/device/device_state.h"
#include "core/runtime/device/runtime_state.h"
#include "core/runtime/memory/allocator.h"
#include "core/runtime/stream/stream_scope.h"

namespace patchbay::runtime {

namespace {

bool can_address(const DeviceState& device, MemoryKind kind) {
  return ((device.info.host_addressable_kinds >> static_cast<unsigned>(kind)) & 1) != 0;
}

}  // namespace

BufferState::BufferState(std::shared_ptr<DeviceState> owner, MemoryKind memory_kind,
                         const Allocation& taken)
    : kind(memory_kind),
      host_addressable(can_address(*owner, memory_kind)),
      memory(taken.block != nullptr ? taken.block->memory() : patchbay_memory{nullptr, 0}),
      size_bytes(taken.size_bytes),
      device(std::move(owner)),
      allocation(taken) {
  if (taken.block == nullptr || taken.block->uses.empty()) return;
  for (const PastUse& use : taken.block->uses) {
    if (use.is_done()) continue;
    if (auto queue = use.held()) {
      uses_.push_back({.queue = std::move(queue),
                       .sequence = use.sequence,
                       .writes = use.writes,
                       .inherited = true,
                       .past_cover = use.cover});
    } else {
      use.wait();
    }
  }
  taken.block->uses.clear();
  tracked.store(!uses_.empty(), std::memory_order_relaxed);
}

BufferState::BufferState(std::shared_ptr<DeviceState> owner, patchbay_memory lent, std::size_t size,
                         std::function<void()> callback, bool may_not_be_written)
    : is_read_only(may_not_be_written),
      kind(MemoryKind::kDevice),
      host_addressable(can_address(*owner, kind)),
      memory(lent),
      size_bytes(size),
      device(std::move(owner)),
      released(std::make_unique<std::function<void()>>(std::move(callback))),
      is_exposed_(true) {}

std::uint64_t BufferState::new_contents() noexcept {
  // Threads take numbers in blocks, so that they rarely wait for each other.
  constexpr std::uint64_t kBlock = 1 << 20;
  static constinit std::atomic<std::uint64_t> num_taken{0};
  constinit thread_local std::uint64_t next = 0;
  if (next % kBlock == 0) next = num_taken.fetch_add(kBlock, std::memory_order_relaxed);
  return ++next;
}

void BufferState::raise_read_only(std::string_view operation, std::string_view what) const {
  base::raise(
      ErrorCode::kInvalidArgument,
      "[{}] {} is read-only: its owner lent the memory to be read ({}). Write to a clone or a "
      "copy of it.",
      operation, what, device->info.name_text);
}

bool BufferState::has_address() const { return host_addressable || device->info.has_addresses; }

/// Keeps the queues of forgotten uses until the buffer's lock is released. The buffer may have the
/// last handle of a stream, whose end takes locks and waits for callbacks.
class BufferState::Forgotten {
 public:
  void keep(std::shared_ptr<Queue>& queue) noexcept {
    if (num_few_ < few_.size()) {
      few_[num_few_++] = std::move(queue);
      return;
    }
    try {
      more_.push_back(std::move(queue));
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): it goes with its use
    }
  }

 private:
  std::array<std::shared_ptr<Queue>, 4> few_;
  std::size_t num_few_ = 0;
  std::vector<std::shared_ptr<Queue>> more_;
};

void BufferState::forget_done(Forgotten& forgotten) {
  auto kept = uses_.begin();
  for (auto use = uses_.begin(); use != uses_.end(); ++use) {
    if (!use->is_done()) {
      if (kept != use) *kept = std::move(*use);
      ++kept;
      continue;
    }
    if (use->writes && !use->inherited) {
      if (FaultPtr fault = use->queue->progress->fault_at(use->sequence)) {
        set_fault(std::move(fault));
      }
    }
    forgotten.keep(use->queue);
  }
  uses_.erase(kept, uses_.end());
}

void BufferState::check_readable_slowly(std::string_view operation) {
  device->check_home(operation);
  Forgotten forgotten;
  const std::scoped_lock lock(mutex_);
  forget_done(forgotten);
  if (fault_) throw memory_error(*fault_, operation);
}

void BufferState::note_unwritten(FaultPtr why) {
  if (!device->home.is_here()) return;
  const std::scoped_lock lock(mutex_);
  set_fault(std::move(why));
  tracked.store(true, std::memory_order_release);
}

constinit std::atomic<std::uint64_t> BufferState::num_faults{0};

void BufferState::set_fault(FaultPtr fault) {
  fault_ = std::move(fault);
  fault_number_ = num_faults.fetch_add(1, std::memory_order_acq_rel) + 1;
}

void BufferState::forget_fault(std::uint64_t after) {
  Forgotten forgotten;
  const std::scoped_lock lock(mutex_);
  forget_done(forgotten);
  if (fault_number_ <= after) fault_.reset();
  if (uses_.empty() && !fault_) tracked.store(false, std::memory_order_release);
}

// Forgets nothing, because the caller holds the stream's mutex and no other stream may end under
// it. The waits before the submission have forgotten the uses that were done. A write covers the
// uses that its stream has waited for: later work need not wait for them again, but they stay,
// because they may fail, and because the stream may fail and end before them.
void BufferState::note_use(StreamState& stream, std::uint64_t sequence, bool writes) {
  const std::uint64_t failures = StreamProgress::num_failures();
  const std::scoped_lock lock(mutex_);
  Position* same = nullptr;
  for (Position& use : uses_) {
    const bool is_own = use.queue.get() == &stream;
    if (is_own && use.writes == writes && !use.inherited) {
      same = &use;
    } else if (writes &&
               (is_own ? use.sequence < sequence
                       : use.awaited_by == stream.id && use.failures_when_awaited == failures)) {
      use.cover = {failures, true};
    }
  }
  ++num_uses_;
  if (same != nullptr) {
    same->sequence = std::max(same->sequence, sequence);
    same->number = num_uses_;
    same->awaited_by = 0;
    same->cover = {};
  } else {
    uses_.push_back(
        {.queue = stream.shared(), .sequence = sequence, .writes = writes, .number = num_uses_});
  }
  tracked.store(true, std::memory_order_release);
}

void BufferState::note_use(std::shared_ptr<Queue> copy, std::uint64_t sequence, bool writes,
                           bool rewrites) {
  Forgotten forgotten;
  const std::scoped_lock lock(mutex_);
  forget_done(forgotten);
  if (rewrites) {
    fault_.reset();
    // The failures of earlier copies no longer concern this buffer.
    for (Position& use : uses_) use.inherited |= use.queue->as_stream() == nullptr;
  }
  uses_.push_back(
      {.queue = std::move(copy), .sequence = sequence, .writes = writes, .number = ++num_uses_});
  tracked.store(true, std::memory_order_release);
}

template <class Wanted>
std::vector<Position> BufferState::pending(Wanted&& wanted) {
  Forgotten forgotten;
  const std::scoped_lock lock(mutex_);
  forget_done(forgotten);
  std::vector<Position> result;
  std::copy_if(uses_.begin(), uses_.end(), std::back_inserter(result),
               [&](const Position& use) { return wanted(use) && !use.queue->is_ordered_here(); });
  return result;
}

/// A read must wait for every write; a write must wait for every use.
std::vector<Position> BufferState::uses_before(bool writes) {
  if (!tracked.load(std::memory_order_acquire)) return {};
  return pending([=](const Position& use) { return writes || use.writes; });
}

void BufferState::wait_for(StreamState& stream, const Position& use, std::string_view operation) {
  try {
    stream.wait_for(*use.queue, use.sequence, operation);
  } catch (const Error&) {
    if (!use.inherited) throw;
    use.queue->finish_quietly();  // the failure belongs to an earlier buffer
  }
}

/// Waits for the wanted uses that no other use covers, and notes that `stream` does. A failure
/// meanwhile may have ended the use that covers another, so that it looks again.
template <class Wanted, class Covered>
void BufferState::insert_waits_for(StreamState& stream, std::string_view operation,
                                   const Wanted& wanted, const Covered& covered) {
  if (!tracked.load(std::memory_order_acquire)) return;
  std::uint64_t failures = 0;
  std::uint64_t last = 0;  // the number of the last use that it waits for
  bool waits = false;
  do {
    failures = StreamProgress::num_failures();
    for (const Position& use : pending([&](const Position& each) {
           last = std::max(last, each.number);
           return wanted(each) && !covered(each, failures);
         })) {
      wait_for(stream, use, operation);
      waits |= use.queue.get() != &stream;
    }
  } while (StreamProgress::num_failures() != failures);
  if (!waits) return;
  const std::scoped_lock lock(mutex_);
  for (Position& use : uses_) {
    // What is no stream was waited for on the host, or is the copy that this belongs to.
    if (use.number > last || !wanted(use) || use.queue->as_stream() == nullptr) continue;
    use.awaited_by = stream.id;
    use.failures_when_awaited = failures;
  }
}

void BufferState::insert_inherited_waits(StreamState& stream) {
  insert_waits_for(
      stream, "wait", [](const Position& use) { return use.inherited; },
      [](const Position& use, std::uint64_t failures) { return use.past_cover.holds(failures); });
}

void BufferState::finish_inherited() {
  device->check_home("wait");
  if (!tracked.load(std::memory_order_acquire)) return;
  for (const Position& use : pending([](const Position& use) { return use.inherited; })) {
    use.queue->finish_quietly();
  }
}

void BufferState::insert_waits(StreamState& stream, bool writes, std::string_view operation) {
  insert_waits_for(
      stream, operation, [=](const Position& use) { return writes || use.writes; },
      [](const Position& use, std::uint64_t failures) {
        return use.cover.holds(failures) || use.past_cover.holds(failures);
      });
}

void BufferState::wait_on_host_slowly(bool writes, std::string_view operation) {
  device->check_home(operation);
  check_no_callback(operation);
  for (const Position& use : uses_before(writes)) {
    if (use.inherited) {
      use.queue->finish_quietly();  // the failure belongs to an earlier buffer
    } else {
      use.queue->wait_on_host(use.sequence, operation, PATCHBAY_NO_DEADLINE);
    }
  }
}

/// The last unfinished use of each queue, which all others precede: a longer list would grow with
/// each change of owner. Does not keep the queues alive. Of uses by one submission the one counts
/// that has the weaker cover.
std::vector<PastUse> BufferState::take_past_uses() {
  Forgotten forgotten;
  forget_done(forgotten);  // no other owner is left, so no lock
  const auto cover_of = [](const Position& use) {
    const bool is_newer =
        !use.past_cover.is_set ||
        (use.cover.is_set && use.cover.num_failures >= use.past_cover.num_failures);
    return is_newer ? use.cover : use.past_cover;
  };
  const auto order = [&](const Position& use) {
    const Cover cover = cover_of(use);
    return std::tuple(use.queue->progress.get(), use.sequence, !cover.is_set, ~cover.num_failures);
  };
  std::sort(uses_.begin(), uses_.end(),
            [&](const Position& a, const Position& b) { return order(a) < order(b); });
  std::vector<PastUse> past;
  bool writes = false;
  for (auto use = uses_.begin(); use != uses_.end(); ++use) {
    writes |= use->writes;
    const auto next = std::next(use);
    if (next != uses_.end() && next->queue->progress == use->queue->progress) continue;
    StreamState* const stream = use->queue->as_stream();
    past.push_back({stream != nullptr ? stream->weak() : std::weak_ptr(use->queue),
                    use->queue->progress, use->sequence, std::exchange(writes, false),
                    cover_of(*use)});
  }
  uses_.clear();
  return past;
}

void BufferState::destroy() noexcept {
  if (!device->is_callable()) return;
  const std::unique_ptr<BufferState> self(this);
  if (released) {
    wait_quietly();
    give_back();
    return;
  }
  std::vector<PastUse> past;
  try {
    if (!uses_.empty()) past = take_past_uses();
  } catch (const std::bad_alloc&) {
    wait_quietly();
  }
  device->allocator->of(kind).free(allocation, std::move(past));
}

/// Calls the application's callback, which may throw.
void BufferState::give_back() noexcept {
  device->live_wraps.fetch_sub(1, std::memory_order_release);
  if (!*released) return;
  try {
    try {
      (*released)();
    } catch (const std::exception& error) {
      device->runtime.logger.log(LogLevel::kError,
                                 "[released] the callback of lent memory threw an exception: {}",
                                 base::one_line(error.what()));
    }
  } catch (...) {  // an unknown type, or no memory for the text
    device->runtime.logger.write(LogLevel::kError,
                                 "[released] the callback of lent memory threw an exception");
  }
}

void BufferState::wait_quietly() noexcept {
  for (const Position& use : uses_) {
    if (!use.is_done()) use.queue->finish_quietly();
  }
  uses_.clear();
}

}  // namespace patchbay::runtime
