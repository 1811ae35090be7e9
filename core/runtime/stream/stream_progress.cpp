// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "core/runtime/stream/stream_progress.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/status.h"

namespace patchbay::runtime {
namespace {

/// "[add], [mul] and 3 more"
std::string list_of(const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += fmt::format("{}[{}]", i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

/// The failures to note when there is no memory for a text. Made early, while there is memory.
struct PreparedFaults {
  static FaultPtr make(ErrorCode code) {
    return std::make_shared<const Fault>(
        Fault{code, 0, "queued work failed, and no memory was left to say why"});
  }
  const FaultPtr failure = make(ErrorCode::kLaunchFailed), loss = make(ErrorCode::kDeviceLost);
};
const PreparedFaults& prepared_faults() {
  static const auto& faults = *new PreparedFaults;  // never destroyed: streams may outlive main
  return faults;
}

}  // namespace

constinit std::atomic<std::uint64_t> StreamProgress::failures_so_far{0};

StreamProgress::StreamProgress(std::string device_name) : device_name_(std::move(device_name)) {
  static_cast<void>(prepared_faults());
  failures_.reserve(1);
}

void StreamProgress::pass(std::uint64_t sequence) {
  std::uint64_t known = completed.load(std::memory_order_relaxed);
  while (known < sequence &&
         !completed.compare_exchange_weak(known, sequence, std::memory_order_acq_rel)) {
  }
  completed.notify_all();
}

void StreamProgress::note_submission(std::uint64_t sequence, std::string_view name) {
  const std::scoped_lock lock(mutex_);
  Submission& next = submissions_[num_submissions_++ % kKept];
  next.sequence = sequence;
  next.size = static_cast<std::uint8_t>(std::min(name.size(), next.name.size()));
  std::copy_n(name.begin(), next.size, next.name.begin());
}

void StreamProgress::note_wait(std::uint64_t sequence, std::shared_ptr<StreamProgress> awaited,
                               std::uint64_t awaited_sequence) {
  const std::scoped_lock lock(mutex_);
  if (waits_.size() >= next_sweep_) {  // rarely: a stream may wait for many others
    std::erase_if(waits_, [this](const Wait& wait) { return has_passed(wait.sequence); });
    next_sweep_ = std::max<std::size_t>(16, 2 * waits_.size());
  }
  waits_.push_back({sequence, std::move(awaited), awaited_sequence});
}

void StreamProgress::forget_waits() {
  std::vector<Wait> waits;  // destroyed after the lock's end: may be the last to hold those streams
  const std::scoped_lock lock(mutex_);
  waits.swap(waits_);
}

FaultPtr StreamProgress::fault() const {
  const std::scoped_lock lock(mutex_);
  return failed_.load() ? failures_.back().fault : nullptr;
}

FaultPtr StreamProgress::fault_at(std::uint64_t sequence) const {
  if (!ever_failed_.load(std::memory_order_acquire)) return nullptr;
  const std::scoped_lock lock(mutex_);
  for (const Failure& failure : failures_) {
    if (failure.first <= sequence && sequence <= failure.last) return failure.fault;
  }
  return nullptr;
}

/// A failure of a stream that this one waits for is reported in that stream's words.
FaultPtr StreamProgress::fault_of(const patchbay_status& status) const {
  std::vector<Wait> waits;
  if ((status.flags & PATCHBAY_STATUS_DEVICE_LOST) == 0) waits = all_open_waits();
  for (const Wait& wait : waits) {
    FaultPtr known = wait.awaited->fault_at(wait.awaited_sequence);
    if (known == nullptr) continue;
    if (!known->loses_device()) return known;
    // The loss of another device does not lose this one.
    return std::make_shared<const Fault>(
        Fault{ErrorCode::kLaunchFailed, known->native_code, known->text});
  }
  return std::make_shared<const Fault>(
      Fault{base::code_of(status), status.native_code, describe(status, waits)});
}

FaultPtr StreamProgress::fail(const patchbay_status& status, std::uint64_t sequence) noexcept {
  if (FaultPtr known = fault_at(sequence)) return known;
  if (FaultPtr known = fault()) return known;
  try {
    return fail(fault_of(status));
  } catch (...) {  // a failure that is not noted would be taken for success
    const bool is_lost = (status.flags & PATCHBAY_STATUS_DEVICE_LOST) != 0;
    return fail(is_lost ? prepared_faults().loss : prepared_faults().failure);
  }
}

FaultPtr StreamProgress::fail(FaultPtr fault) noexcept {
  const std::scoped_lock lock(mutex_);
  if (failed_.load()) return failures_.back().fault;
  failures_.push_back({completed.load() + 1, UINT64_MAX, fault});
  count_failure();  // before others can learn that this work has ended
  ever_failed_.store(true, std::memory_order_release);
  failed_.store(true, std::memory_order_release);
  return fault;
}

void StreamProgress::restart(std::uint64_t submitted) {
  const std::scoped_lock lock(mutex_);
  const std::size_t room = failures_.capacity();
  if (failures_.size() == room) failures_.reserve(2 * room);
  pass(submitted);
  if (!failed_.load()) return;
  failures_.back().last = submitted;
  failed_.store(false, std::memory_order_release);
}

std::vector<StreamProgress::Wait> StreamProgress::open_waits() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Wait> open;
  for (const Wait& wait : waits_) {
    if (!has_passed(wait.sequence)) open.push_back(wait);
  }
  return open;
}

bool StreamProgress::has_open(std::string_view name, std::uint64_t up_to) const {
  const std::scoped_lock lock(mutex_);
  return std::any_of(submissions_.begin(), submissions_.end(), [&](const Submission& one) {
    return one.sequence != 0 && one.sequence <= up_to && !has_passed(one.sequence) &&
           std::string_view(one.name.data(), one.size) == name.substr(0, one.name.size());
  });
}

/// Includes the waits of the streams that are waited for.
std::vector<StreamProgress::Wait> StreamProgress::all_open_waits() const {
  std::vector<Wait> all = open_waits();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (Wait& next : all[i].awaited->open_waits()) {
      const bool is_known =
          next.awaited.get() == this || std::any_of(all.begin(), all.end(), [&](const Wait& one) {
            return one.awaited == next.awaited;
          });
      if (!is_known) all.push_back(std::move(next));
    }
  }
  return all;
}

/// The devices on which it may have been launched, as far as known.
std::string StreamProgress::places_of(std::string_view name, const std::vector<Wait>& waits) const {
  std::set<std::string> places;
  if (has_open(name, UINT64_MAX)) places.insert(device_name_);
  for (const Wait& wait : waits) {
    if (wait.awaited->has_open(name, wait.awaited_sequence)) {
      places.insert(wait.awaited->device_name_);
    }
  }
  return places.empty() ? device_name_ : fmt::format("{}", fmt::join(places, " or "));
}

std::vector<std::string_view> StreamProgress::open_names(std::uint64_t up_to) const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kKept; ++i) {
    const Submission& one = submissions_[(num_submissions_ + i) % kKept];
    const std::string_view name(one.name.data(), one.size);
    if (one.sequence == 0 || one.sequence > up_to || has_passed(one.sequence)) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string StreamProgress::describe_open(std::uint64_t up_to) const {
  const std::vector<Wait> waits = open_waits();
  const std::scoped_lock lock(mutex_);
  const std::vector<std::string_view> names = open_names(up_to);
  if (!names.empty()) {
    return fmt::format(": {} {} not done", list_of(names), names.size() == 1 ? "is" : "are");
  }
  const bool waits_for_another = std::any_of(
      waits.begin(), waits.end(), [up_to](const Wait& wait) { return wait.sequence <= up_to; });
  return waits_for_another ? ": a wait for another stream is not done" : "";
}

/// "launch of add failed (launched by [add] on fake:0, driver code 3)"
std::string StreamProgress::describe(const patchbay_status& status,
                                     const std::vector<Wait>& waits) const {
  std::vector<std::string_view> names;
  const std::string places = places_of(status.origin, waits);
  const std::scoped_lock lock(mutex_);
  if (!status.origin.empty()) {
    names.push_back(status.origin);
  } else if ((status.flags & PATCHBAY_STATUS_DEVICE_LOST) == 0) {
    // A plugin that loses a device names the origin itself: it repeats that in every call.
    names = open_names(UINT64_MAX);
  }
  std::string text = base::without_line_breaks(status.message) + " (";
  if (names.size() == 1) {
    text += fmt::format("launched by [{}] on ", names.front());
  } else if (!names.empty()) {
    text += fmt::format("one of {} launched on ", list_of(names));
  }
  text += places;
  if (status.native_code != 0) text += fmt::format(", driver code {}", status.native_code);
  return text + ")";
}

}  // namespace patchbay::runtime
