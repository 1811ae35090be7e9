// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "device.hpp"
#include "event.hpp"

namespace fake {

Stream::Stream(Device& device)
    : device_(device), timeline_(std::make_shared<Timeline>(device.health())) {}

std::uint64_t Stream::submit(std::function<void()> work) {
  const std::uint64_t position = timeline_->submit();
  worker_.post(
      [timeline = timeline_, position, work = std::move(work)] { timeline->run(position, work); });
  return position;
}

void Stream::submit_work(std::function<void()> work) {
  device_.health()->check();
  const std::chrono::milliseconds delay(device_.options().delay_ms);
  submit([delay, work = std::move(work)] {
    if (delay.count() != 0) std::this_thread::sleep_for(delay);
    work();
  });
}

void Stream::submit_copy(void* to, const void* from, std::uint64_t size_bytes) {
  device_.faults().count(Call::kCopy);
  submit_work([=] { std::memmove(to, from, size_bytes); });
}

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  submit_copy(device_.memory().resolve(to, size_bytes), from, size_bytes);
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  submit_copy(to, device_.memory().resolve(from, size_bytes), size_bytes);
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  submit_copy(device_.memory().resolve(to, size_bytes), device_.memory().resolve(from, size_bytes),
              size_bytes);
}

void Stream::copy_to_peer(plugin::Device& to_device, plugin::Memory to, plugin::Memory from,
                          std::uint64_t size_bytes) {
  auto& peer = static_cast<Device&>(to_device);
  if (!device_.can_access_peer(peer)) {
    plugin::unsupported(device_.name() + " can't reach " + peer.name());
  }
  peer.health()->check();
  submit_copy(peer.memory().resolve(to, size_bytes), device_.memory().resolve(from, size_bytes),
              size_bytes);
}

void Stream::record(plugin::Event& event) {
  device_.health()->check();
  const auto mark = std::make_shared<Mark>();
  mark->timeline = timeline_;
  mark->position = submit(
      [mark, host = host()] { mark->reached_ns.store(host.now_ns(), std::memory_order_release); });
  static_cast<Event&>(event).set(mark);
}

void Stream::wait_event(plugin::Event& event) {
  device_.health()->check();
  const auto mark = static_cast<Event&>(event).mark();
  if (mark == nullptr) return;
  // A failure of what is waited for is thrown here, on the worker, and so becomes ours.
  submit(
      [mark, host = host()] { mark->timeline->wait(host, mark->position, PATCHBAY_NO_DEADLINE); });
}

void Stream::flush() { device_.health()->check(); }

bool Stream::synchronize(std::uint64_t deadline_ns) {
  return timeline_->wait(host(), timeline_->submitted(), deadline_ns);
}

void Stream::add_callback(void (*call)(void* user, patchbay_status*), void* user) {
  if (callbacks_ == nullptr) callbacks_ = std::make_unique<Worker>();
  const std::uint64_t position = timeline_->submitted();
  // Not through the timeline: it is called after a failure too.
  worker_.post([=, this, host = host().table()] {
    callbacks_->post([=, timeline = timeline_] {
      patchbay_status* status = plugin::detail::guarded(
          host, [&] { timeline->wait(plugin::Host(host), position, PATCHBAY_NO_DEADLINE); });
      call(user, status);
    });
  });
}

}  // namespace fake
