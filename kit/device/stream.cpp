// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "kit/device/stream.hpp"

#include <cstring>
#include <exception>
#include <list>
#include <new>
#include <utility>

#include "kit/device/device.hpp"
#include "kit/device/timeline.hpp"

namespace patchbay::device {

Stream::Stream(Device& device) : Stream(device, std::make_shared<Timeline>(device.health())) {}

Stream::Stream(Device& device, std::shared_ptr<Timeline> timeline)
    : device_(device),
      subnormals_(Subnormals::wanted(device.host())),
      timeline_(std::move(timeline)) {}

void Stream::finish() {
  worker_.end();  // before the callbacks that it posts
  if (callbacks_ != nullptr) callbacks_->end();
}

std::uint64_t Stream::submit(Work work) {
  device_.health()->check();
  // The position counts only after `post` succeeds.
  const std::uint64_t position = timeline_->submitted() + 1;
  worker_.post(
      [timeline = timeline_, position, work = std::move(work)] { timeline->run(position, work); });
  return timeline_->submit();
}

void Stream::submit_work(Work work) {
  submit([this, work = std::move(work)] {
    begin_work();
    const Subnormals::Scope scope(subnormals_);
    work();
  });
}

void Stream::submit_launch(std::string name, Work work) {
  submit_work([name = std::move(name), work = std::move(work)] {
    try {
      work();
    } catch (const plugin::StatusError& error) {
      throw plugin::StatusError(error.code(), error.what(), error.native_code(), error.flags(),
                                name);
    } catch (const std::bad_alloc&) {
      throw;  // creating the message may fail for lack of memory
    } catch (const std::exception& error) {
      throw plugin::StatusError(PATCHBAY_INTERNAL, error.what(), 0, 0, name);
    }
  });
}

void Stream::run_copy(const Copy& copy) { std::memmove(copy.to, copy.from, copy.size_bytes); }

void Stream::submit_copy(const Copy& copy) {
  submit_work([this, copy] { run_copy(copy); });
}

void Stream::copy_to_device(plugin::Memory to, const void* from, std::uint64_t size_bytes) {
  submit_copy({device_.memory().resolve(to, size_bytes), static_cast<const std::byte*>(from),
               size_bytes, true, from});
}

void Stream::copy_to_host(void* to, plugin::Memory from, std::uint64_t size_bytes) {
  submit_copy({static_cast<std::byte*>(to), device_.memory().resolve(from, size_bytes), size_bytes,
               true, to});
}

void Stream::copy_on_device(plugin::Memory to, plugin::Memory from, std::uint64_t size_bytes) {
  const Allocator& memory = device_.memory();
  submit_copy(
      {memory.resolve(to, size_bytes), memory.resolve(from, size_bytes), size_bytes, false});
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
  const auto mark = std::make_shared<Mark>();
  mark->timeline = timeline_;
  mark->position = submit(
      [mark, host = host()] { mark->reached_ns.store(host.now_ns(), std::memory_order_release); });
  static_cast<Event&>(event).set(mark);
}

void Stream::wait_event(plugin::Event& event) {
  const auto mark = static_cast<Event&>(event).mark();
  if (mark == nullptr) return;
  // A failure of what is waited for is thrown here, on the worker, and so becomes ours.
  submit([this, mark, health = device_.health()] {
    try {
      await(*mark);
    } catch (const plugin::StatusError& error) {
      if (mark->timeline->is_of(*health)) throw;
      // Drop the device-lost flag: another device was lost.
      throw plugin::StatusError(error.code(), error.what(), error.native_code(), 0, error.origin());
    }
  });
}

void Stream::await(const Mark& mark) {
  mark.timeline->wait(host(), mark.position, PATCHBAY_NO_DEADLINE);
}

void Stream::flush() { device_.health()->check(); }

bool Stream::synchronize(std::uint64_t deadline_ns) {
  return timeline_->wait(host(), timeline_->submitted(), deadline_ns);
}

void Stream::add_callback(plugin::Callback callback) {
  if (callbacks_ == nullptr) callbacks_ = std::make_unique<Worker>();
  const auto shared = std::make_shared<plugin::Callback>(std::move(callback));
  const auto make_call = [this, shared, position = timeline_->submitted()] {
    shared->call_after([&] {
      timeline_->wait(host(), position, PATCHBAY_NO_DEADLINE);
      begin_callback(position);
    });
  };
  // Not run by the timeline, because it is called after a failure too. Allocated here, because the
  // worker can't report that memory is exhausted.
  const auto task = std::make_shared<std::list<Worker::Task>>(1, make_call);
  worker_.post([this, task] { callbacks_->post(std::move(*task)); });
}

}  // namespace patchbay::device
