// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams and events of the default device: what becomes of failures. Everything else of them is
// examined by `patchbay check` on a plugin (tests/install/author).
#include "kit/device/stream.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "patchbay/plugin/kit/thunks.hpp"

#include "kit/device/device.hpp"
#include "kit/device/timeline.hpp"

namespace {

using patchbay::device::Device;
using patchbay::device::Event;
using patchbay::device::Options;
using patchbay::device::Stream;
using patchbay::plugin::Host;
using patchbay::plugin::Memory;
using patchbay::plugin::StatusError;
using patchbay::plugin::detail::Thunks;

std::uint64_t now_ns(patchbay_host_context*) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

/// No more of a host than streams and events ask for.
patchbay_host make_host() {
  patchbay_host host{};
  host.size = sizeof host;
  host.now_ns = now_ns;
  host.option = [](patchbay_host_context*, patchbay_string, patchbay_bytes_callback, void*) {
    return std::uint32_t{0};  // no setting has a value
  };
  return host;
}

class StreamTest : public testing::Test {
 protected:
  static Options options(const char* name) {
    Options options;
    options.name = name;
    options.memory_bytes = 1 << 20;
    return options;
  }
  /// An object as the core holds it: it knows its host.
  template <class Handle, class Object>
  Object& adopt(std::unique_ptr<Object> object, std::unique_ptr<Object>& owner) {
    Handle* handle = nullptr;
    Object* const raw = object.get();
    Thunks::give<Handle, Object>(&host_, std::move(object), &handle);
    owner.reset(raw);
    return *raw;
  }
  /// What the stream's failure is.
  static StatusError failure_of(Stream& stream) {
    try {
      (void)stream.synchronize(PATCHBAY_NO_DEADLINE);
    } catch (const StatusError& error) {
      return error;
    }
    ADD_FAILURE() << "nothing failed";
    return {0, ""};
  }

  const patchbay_host host_ = make_host();
  patchbay::executor::Executor executor_{Host(&host_)};
  std::unique_ptr<Device> device_owner_, other_device_owner_;
  Device& device_ =
      adopt<patchbay_device>(std::make_unique<Device>(options("one"), executor_), device_owner_);
  Device& other_ = adopt<patchbay_device>(std::make_unique<Device>(options("two"), executor_),
                                          other_device_owner_);
  std::unique_ptr<Stream> stream_owner_, other_owner_;
  Stream& stream_ = adopt<patchbay_stream>(std::make_unique<Stream>(device_), stream_owner_);
  Stream& other_stream_ = adopt<patchbay_stream>(std::make_unique<Stream>(other_), other_owner_);
  std::unique_ptr<Event> event_owner_;
  Event& event_ = adopt<patchbay_event>(std::make_unique<Event>(), event_owner_);
};

TEST_F(StreamTest, FailedLaunchIsNamedAndFailsWhatComesAfter) {
  stream_.record(event_);
  stream_.submit_launch("squares", [] { throw StatusError(PATCHBAY_LAUNCH_FAILED, "it broke"); });
  bool has_run = false;
  stream_.submit([&] { has_run = true; });
  const StatusError failure = failure_of(stream_);
  EXPECT_EQ(failure.code(), PATCHBAY_LAUNCH_FAILED);
  EXPECT_STREQ(failure.what(), "it broke");
  EXPECT_EQ(failure.origin(), "squares");
  EXPECT_FALSE(has_run);
  EXPECT_TRUE(event_.wait(PATCHBAY_NO_DEADLINE));  // it is before the launch
}

TEST_F(StreamTest, FailureReachesTheStreamThatWaits) {
  stream_.submit_launch("squares", [] { throw std::runtime_error("it broke"); });
  stream_.record(event_);
  other_stream_.wait_event(event_);
  const StatusError failure = failure_of(other_stream_);
  EXPECT_EQ(failure.code(), PATCHBAY_INTERNAL);
  EXPECT_STREQ(failure.what(), "it broke");
  EXPECT_EQ(failure.origin(), "squares");
}

TEST_F(StreamTest, LostDeviceRefusesEverythingWithTheReason) {
  device_.lose("the cable came off");
  device_.lose("a later reason");
  for (int call = 0; call < 4; ++call) {
    try {
      if (call == 0) stream_.flush();
      if (call == 1) stream_.submit([] {});
      if (call == 2) (void)device_.create_stream(0);
      if (call == 3) (void)stream_.synchronize(PATCHBAY_NO_DEADLINE);
      ADD_FAILURE() << "call " << call;
    } catch (const StatusError& error) {
      EXPECT_STREQ(error.what(), "the cable came off");
      EXPECT_EQ(error.flags(), PATCHBAY_STATUS_DEVICE_LOST + 0U);
    }
  }
  EXPECT_TRUE(other_stream_.synchronize(PATCHBAY_NO_DEADLINE));
}

TEST_F(StreamTest, WaitOfAnotherDevicesLossIsNoLossOfOnesOwn) {
  std::promise<void> may_go_on;
  stream_.submit([&] { may_go_on.get_future().wait(); });
  stream_.record(event_);
  other_stream_.wait_event(event_);
  device_.lose("the cable came off");
  may_go_on.set_value();
  const StatusError failure = failure_of(other_stream_);
  EXPECT_STREQ(failure.what(), "the cable came off");
  EXPECT_EQ(failure.flags(), 0U);
  other_.health()->check();
}

TEST_F(StreamTest, WaitEndsAtItsDeadline) {
  std::promise<void> may_go_on;
  stream_.submit([&] { may_go_on.get_future().wait(); });
  stream_.record(event_);
  EXPECT_FALSE(stream_.synchronize(now_ns(nullptr) + 1'000'000));
  EXPECT_FALSE(event_.wait(now_ns(nullptr) + 1'000'000));
  EXPECT_FALSE(event_.is_done());
  may_go_on.set_value();
  EXPECT_TRUE(stream_.synchronize(PATCHBAY_NO_DEADLINE));
}

/// Counts what the thread asks it for.
class CountingStream : public Stream {
 public:
  CountingStream(Device& device, int& works, int& copies)
      : Stream(device), works_(works), copies_(copies) {}
  ~CountingStream() override { finish(); }

 private:
  void begin_work() override { ++works_; }
  void run_copy(const patchbay::device::Copy& copy) override {
    copies_ += copy.is_link ? 1 : 100;
    Stream::run_copy(copy);
  }
  int &works_, &copies_;
};

TEST_F(StreamTest, WhatAClassOverridesIsCalledUntilItIsGone) {
  const Memory block = device_.allocator().allocate(PATCHBAY_MEMORY_DEVICE, 16, 1);
  int works = 0, copies = 0;
  const int sent = 7;
  int received = 0;
  {
    std::unique_ptr<Stream> owner;
    Stream& stream = adopt<patchbay_stream>(
        std::unique_ptr<Stream>(std::make_unique<CountingStream>(device_, works, copies)), owner);
    stream.submit([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    stream.copy_to_device(block, &sent, sizeof sent);
    stream.copy_on_device({block.base, 8}, block, sizeof sent);
    stream.copy_to_host(&received, {block.base, 8}, sizeof received);
  }
  EXPECT_EQ(received, 7);
  EXPECT_EQ(works, 3);
  EXPECT_EQ(copies, 102);
}

TEST_F(StreamTest, ACallbackIsMadeOnceByWhoHasIt) {
  static_assert(!std::is_copy_constructible_v<patchbay::plugin::Callback>);
  int calls = 0;
  const auto call = [](void* user, patchbay_status* status) {
    EXPECT_EQ(status, nullptr);
    ++*static_cast<int*>(user);
  };
  patchbay::plugin::Callback first(&host_, call, &calls);
  patchbay::plugin::Callback second(std::move(first));
  first.call_after([] {});
  EXPECT_EQ(calls, 0) << "it has moved";
  bool has_waited = false;
  second.call_after([&] { has_waited = calls == 0; });
  EXPECT_TRUE(has_waited);
  second.call_after([] {});
  EXPECT_EQ(calls, 1);
}

TEST_F(StreamTest, DevicesReachNoOtherUnlessTheySaySo) {
  const Memory here = device_.allocator().allocate(PATCHBAY_MEMORY_DEVICE, 16, 1);
  const Memory there = other_.allocator().allocate(PATCHBAY_MEMORY_DEVICE, 16, 1);
  try {
    stream_.copy_to_peer(other_, there, here, 16);
    ADD_FAILURE();
  } catch (const StatusError& error) {
    EXPECT_EQ(error.code(), PATCHBAY_UNSUPPORTED);
    EXPECT_STREQ(error.what(), "one can't reach two");
  }
}

}  // namespace
