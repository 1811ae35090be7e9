// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/stream.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "fake/device/device.hpp"

namespace fake {
namespace {

/// Clears the timeline's mark of endless work when it ends.
class StuckUntilEnd {
 public:
  explicit StuckUntilEnd(Timeline& timeline) : timeline_(timeline) {}
  ~StuckUntilEnd() { timeline_.set_stuck(false); }
  StuckUntilEnd(const StuckUntilEnd&) = delete;
  StuckUntilEnd& operator=(const StuckUntilEnd&) = delete;

 private:
  Timeline& timeline_;
};

}  // namespace

std::shared_ptr<device::Health> Stream::health_of(const Device& device) { return device.health(); }

Stream::Stream(Device& device, const std::shared_ptr<Timeline>& timeline)
    : patchbay::device::Stream(device, timeline),
      device_(device),
      lateness_(device.options().seed, device.next_queue(), device.options().late_us),
      timeline_(timeline) {}

Stream::~Stream() {
  is_ending_.store(true);
  device_.faults().wake();
  timeline_->hurry(timeline_->submitted());
  finish();
}

void Stream::begin_work() {
  const std::chrono::milliseconds delay(device_.options().delay_ms);
  if (delay.count() != 0) std::this_thread::sleep_for(delay);
  timeline_->hold(lateness_.hold(Draw::kStart, timeline_->running()));
}

LaunchFault Stream::begin_launch(const std::string& name) {
  device_.health()->check();
  const LaunchFault fault = device_.faults().count_launch();
  if (fault == LaunchFault::kLosesDevice) {
    device_.lose("launch of " + name + " lost the device, as the setting fake_lose_device asks");
    device_.health()->check();
  }
  return fault;
}

void Stream::submit_launch(LaunchFault fault, const std::string& name, Work work) {
  submit_work([this, fault, name, work = std::move(work)] {
    if (fault != LaunchFault::kNone) play(fault, name);
    work();
  });
}

void Stream::submit_launch(std::string name, Work work) {
  if (batch_ != nullptr) {
    batch_->push_back(std::move(work));
  } else {
    submit_launch(begin_launch(name), name, std::move(work));
  }
}

void Stream::pause() { timeline_->hold(lateness_.hold(Draw::kPiece, timeline_->running())); }

void Stream::play(LaunchFault fault, const std::string& name) {
  const std::string shown = "launch of " + name;
  if (fault == LaunchFault::kLaterUnnamed) {
    throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                              "a launch failed, as the setting fake_unnamed_faults asks");
  }
  if (fault == LaunchFault::kLater) {
    throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                              shown + " failed, as the setting fake_fail_async_launch asks", 0, 0,
                              name);
  }
  if (fault == LaunchFault::kLosesDeviceLater) {
    device_.lose(shown + " lost the device, as the setting fake_lose_device_async asks");
    device_.health()->check();
  }
  if (fault != LaunchFault::kEndless) return;
  const auto is_over = [this] { return is_ending_.load() || device_.health()->is_lost(); };
  const StuckUntilEnd end(*timeline_);
  timeline_->set_stuck(true);
  if (device_.faults().run_endlessly(is_over)) return;
  device_.health()->check();
  throw plugin::StatusError(
      PATCHBAY_LAUNCH_FAILED,
      shown + " had no end (setting fake_endless_launch), and ended with its stream");
}

void Stream::submit_copy(const device::Copy& copy) {
  device_.faults().count(Call::kCopy);
  patchbay::device::Stream::submit_copy(copy);
  const auto& memory = static_cast<const Allocator&>(device_.memory());
  const bool blocks = copy.host != nullptr && device_.options().blocks_on_pageable &&
                      !memory.has_address(copy.host);
  if (blocks) synchronize(PATCHBAY_NO_DEADLINE);
}

/// If work may be late, copies up to three pieces in any order.
void Stream::run_copy(const device::Copy& copy) {
  const std::uint64_t speed = device_.options().link_bytes_per_s;
  if (copy.is_link && speed != 0) {
    const double seconds = static_cast<double>(copy.size_bytes) / static_cast<double>(speed);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  const bool overlaps =
      copy.to < copy.from + copy.size_bytes && copy.from < copy.to + copy.size_bytes;
  if (!lateness_.is_on() || overlaps) return patchbay::device::Stream::run_copy(copy);
  const std::uint64_t position = timeline_->running();
  std::array<std::uint64_t, 4> ends = {
      0, lateness_.draw(Draw::kPieces, position, copy.size_bytes + 1, 0),
      lateness_.draw(Draw::kPieces, position, copy.size_bytes + 1, 1), copy.size_bytes};
  std::sort(ends.begin(), ends.end());
  const std::uint64_t first = lateness_.draw(Draw::kPieceOrder, position, 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t piece = (first + i) % 3, at = ends[piece];
    if (i > 0) timeline_->hold(lateness_.hold(Draw::kPiece, position, i));
    std::memcpy(copy.to + at, copy.from + at, ends[piece + 1] - at);
  }
}

void Stream::record(plugin::Event& event) {
  patchbay::device::Stream::record(event);
  if (!lateness_.is_on()) return;
  auto& recorded = static_cast<Event&>(event);
  recorded.deny(static_cast<int>(lateness_.draw(Draw::kNotice, recorded.mark()->position, 3)));
}

/// While the stream is being destroyed, waits for late work, but not for work that never ends.
void Stream::await(const device::Mark& mark) {
  auto& other = static_cast<Timeline&>(*mark.timeline);
  const StuckUntilEnd end(*timeline_);
  const auto gives_up = [&] {
    timeline_->set_stuck(other.is_stuck());
    return is_ending_.load() && timeline_->is_stuck();
  };
  if (other.wait_unless(mark.position, gives_up)) return;
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                            "the wait for a launch that had no end (setting fake_endless_launch) "
                            "ended with its stream");
}

void Stream::begin_callback(std::uint64_t position) {
  std::this_thread::sleep_for(lateness_.hold(Draw::kCallback, position));
}

}  // namespace fake
