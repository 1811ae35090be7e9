// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "fake/device/stream.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <thread>
#include <utility>

#include "fake/device/device.hpp"
#include "fake/device/event.hpp"

namespace fake {
namespace {

/// Clears the stuck flag at the end of a position.
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

Stream::Stream(Device& device)
    : device_(device),
      lateness_(device.options().seed, device.next_queue(), device.options().late_us),
      timeline_(std::make_shared<Timeline>(device.health())) {}

Stream::~Stream() {
  is_ending_.store(true);
  device_.faults().wake();
  timeline_->hurry(timeline_->submitted());
}

std::uint64_t Stream::submit(Work work) {
  // The position counts only after `post` succeeds.
  const std::uint64_t position = timeline_->submitted() + 1;
  worker_.post([timeline = timeline_, position, work = std::move(work)] {
    const auto run = [&] {
      const StuckUntilEnd end(*timeline);
      work(position);
    };
    timeline->run(position, std::cref(run));  // a copy might fail to allocate memory
  });
  return timeline_->submit();
}

void Stream::submit_work(Work work) {
  device_.health()->check();
  submit([this, work = std::move(work)](std::uint64_t position) {
    const std::chrono::milliseconds delay(device_.options().delay_ms);
    if (delay.count() != 0) std::this_thread::sleep_for(delay);
    timeline_->hold(position, lateness_.hold(Draw::kStart, position));
    work(position);
  });
}

void Stream::submit_launch(LaunchFault fault, std::string shown, Work work) {
  submit_work(
      [this, fault, shown = std::move(shown), work = std::move(work)](std::uint64_t position) {
        if (fault != LaunchFault::kNone) play(fault, shown);
        work(position);
      });
}

void Stream::pause(std::uint64_t position) {
  timeline_->hold(position, lateness_.hold(Draw::kPiece, position));
}

void Stream::play(LaunchFault fault, const std::string& shown) {
  if (fault == LaunchFault::kLaterUnnamed) {
    throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                              "a launch failed, as the option fake_unnamed_faults asks");
  }
  if (fault == LaunchFault::kLater) {
    throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                              shown + " failed, as the option fake_fail_async_launch asks", 0, 0,
                              shown.substr(std::string_view("launch of ").size()));
  }
  if (fault == LaunchFault::kLosesDeviceLater) {
    device_.lose(shown + " lost the device, as the option fake_lose_device_async asks");
    device_.health()->check();
  }
  if (fault != LaunchFault::kEndless) return;
  const auto is_over = [this] { return is_ending_.load() || device_.health()->is_lost(); };
  timeline_->set_stuck(true);
  if (device_.faults().run_endlessly(is_over)) return;
  device_.health()->check();
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                            shown +
                                " had no end (option fake_endless_launch), and ended with its "
                                "stream");
}

void Stream::submit_copy(const Copy& copy) {
  device_.faults().count(Call::kCopy);
  submit_work([this, copy](std::uint64_t position) { run_copy(copy, position); });
}

/// If copies may be late, copies up to three pieces in any order.
void Stream::run_copy(const Copy& copy, std::uint64_t position) {
  const std::uint64_t speed = device_.options().link_bytes_per_s;
  if (copy.is_link && speed != 0) {
    const double seconds = static_cast<double>(copy.size_bytes) / static_cast<double>(speed);
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  const bool overlaps =
      copy.to < copy.from + copy.size_bytes && copy.from < copy.to + copy.size_bytes;
  if (!lateness_.is_on() || overlaps) {
    std::memmove(copy.to, copy.from, copy.size_bytes);
    return;
  }
  std::array<std::uint64_t, 4> ends = {
      0, lateness_.draw(Draw::kPieces, position, copy.size_bytes + 1, 0),
      lateness_.draw(Draw::kPieces, position, copy.size_bytes + 1, 1), copy.size_bytes};
  std::sort(ends.begin(), ends.end());
  const std::uint64_t first = lateness_.draw(Draw::kPieceOrder, position, 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t piece = (first + i) % 3, at = ends[piece];
    if (i > 0) timeline_->hold(position, lateness_.hold(Draw::kPiece, position, i));
    std::memcpy(copy.to + at, copy.from + at, ends[piece + 1] - at);
  }
}

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  submit_copy({device_.memory().resolve(to, size_bytes), static_cast<const std::byte*>(from),
               size_bytes, true});
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  submit_copy(
      {static_cast<std::byte*>(to), device_.memory().resolve(from, size_bytes), size_bytes, true});
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  submit_copy({device_.memory().resolve(to, size_bytes), device_.memory().resolve(from, size_bytes),
               size_bytes, false});
}

void Stream::copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                          std::uint64_t size_bytes) {
  auto& peer = static_cast<Device&>(to_device);
  if (!device_.can_access_peer(peer)) {
    plugin::unsupported(device_.name() + " can't reach " + peer.name());
  }
  if (peer.health()->is_lost()) {
    // Not marked as device lost: that flag is for the device of this stream.
    throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED, peer.name() + ", the copy's end, is lost");
  }
  submit_copy({peer.memory().resolve(to, size_bytes), device_.memory().resolve(from, size_bytes),
               size_bytes, true});
}

void Stream::record(plugin::Event& event) {
  device_.health()->check();
  const auto mark = std::make_shared<Mark>();
  mark->timeline = timeline_;
  mark->position = submit([mark, host = host()](std::uint64_t) {
    mark->reached_ns.store(host.now_ns(), std::memory_order_release);
  });
  if (lateness_.is_on()) {
    mark->denials.store(static_cast<int>(lateness_.draw(Draw::kNotice, mark->position, 3)));
  }
  static_cast<Event&>(event).set(mark);
}

void Stream::wait_event(plugin::Event& event) {
  device_.health()->check();
  const auto mark = static_cast<Event&>(event).mark();
  if (mark == nullptr) return;
  // The worker throws the failure of the awaited work here, so this stream fails too.
  submit([this, mark, health = device_.health()](std::uint64_t) {
    try {
      await(*mark);
    } catch (const plugin::StatusError& error) {
      if (mark->timeline->is_of(*health)) throw;
      // Drop the device-lost flag: another device was lost.
      throw plugin::StatusError(error.code(), error.what(), error.native_code(), 0, error.origin());
    }
  });
}

/// A stream in destruction waits for late work, but not for endless work.
void Stream::await(const Mark& mark) {
  const auto gives_up = [&] {
    timeline_->set_stuck(mark.timeline->is_stuck());
    return is_ending_.load() && timeline_->is_stuck();
  };
  if (mark.timeline->wait_unless(mark.position, gives_up)) return;
  throw plugin::StatusError(PATCHBAY_LAUNCH_FAILED,
                            "the wait for a launch that had no end (option fake_endless_launch) "
                            "ended with its stream");
}

void Stream::flush() { device_.health()->check(); }

bool Stream::synchronize(std::uint64_t deadline_ns) {
  return timeline_->wait(host(), timeline_->submitted(), deadline_ns);
}

void Stream::add_callback(void (*call)(void* user, patchbay_status*), void* user) {
  if (callbacks_ == nullptr) callbacks_ = std::make_unique<Worker>();
  const std::uint64_t position = timeline_->submitted();
  const auto make_call = [=, timeline = timeline_, lateness = lateness_, host = host().table()] {
    patchbay_status* status = plugin::detail::guarded(
        host, [&] { timeline->wait(plugin::Host(host), position, PATCHBAY_NO_DEADLINE); });
    std::this_thread::sleep_for(lateness.hold(Draw::kCallback, position));
    call(user, status);
  };
  // Not run by the timeline, because it is called after a failure too. Allocated here, because the
  // worker can't report that memory is exhausted.
  const auto task = std::make_shared<std::list<Worker::Task>>(1, make_call);
  worker_.post([this, task] { callbacks_->post(std::move(*task)); });
}

}  // namespace fake
