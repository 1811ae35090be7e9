// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter streams: order on a stream, events between streams, deadlines. The work is an i32
// addition, which every backend can launch.
#include <future>
#include <memory>

#include <fmt/ranges.h>

#include <patchbay/graph.h>

#include "conformance/chapters.h"
#include "conformance/kernels/launcher.h"
#include "conformance/support/expect.h"
#include "conformance/values/array.h"

namespace patchbay::conformance {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::chrono::seconds kCallbackPatience{10};

/// A row of numbers to which steps are added.
class Counter {
 public:
  explicit Counter(const Device& device, std::int64_t size = 70001)
      : values_(Array<std::int32_t>(contiguous({size}), [](std::size_t) { return 0; })
                    .to_device(device, Access::kWrite)),
        kernel_(prepare(device, spec_of("add.1", arguments(1)))) {}

  /// Queues an addition.
  void add(const Stream& stream, std::int32_t step) const {
    kernel_.launch(stream, arguments(step), "count");
  }
  void expect_total(std::int32_t total, std::string_view what) const {
    Array<std::int32_t> got(contiguous(values_.shape));
    got.from_device(values_);
    for (std::size_t i = 0; i < got.size(); ++i) {
      expect(got.at(i) == total, "{}: element {}: expected {}, got {}", what, i, total, got.at(i));
    }
  }

 private:
  Arguments arguments(std::int32_t step) const {
    Argument in = values_;
    in.access = Access::kRead;
    return {values_, in, Argument::scalar(step)};
  }

  Argument values_;
  Kernel kernel_;
};

void a_stream_keeps_its_order(Context& context) {
  const Device device = context.device();
  const Stream stream(device);
  const Counter counter(device);
  for (std::int32_t i = 1; i <= 100; ++i) counter.add(stream, i);
  stream.flush();
  stream.synchronize();
  counter.expect_total(5050, "100 additions on one stream");
}

void the_default_stream_is_one(Context& context) {
  const Device device = context.device();
  expect(device.default_stream() == device.default_stream(), "there are two default streams");
  expect(device.default_stream().device() == device, "the default stream is another device's");
  const Stream own(device);
  expect(!(own == device.default_stream()), "a new stream is the default stream");
}

void an_event_orders_two_streams(Context& context) {
  const Device device = context.device();
  const Stream first(device), second(device);
  const Counter counter(device);
  for (std::int32_t i = 0; i < 30; ++i) {
    const Stream& one = i % 2 == 0 ? first : second;
    const Stream& next = i % 2 == 0 ? second : first;
    counter.add(one, 1);
    next.wait(one.record());
  }
  first.synchronize();
  second.synchronize();
  counter.expect_total(30, "additions on two streams that wait for each other");
}

void an_event_is_done_when_its_work_is(Context& context) {
  const Device device = context.device();
  const Stream stream(device);
  const Counter counter(device);
  for (int i = 0; i < 10; ++i) counter.add(stream, 2);
  const Event event = stream.record();
  expect(event.device() == device, "the event is on another device");
  event.wait();
  expect(event.is_done(), "an event is not done after it was waited for");
  event.wait();
  counter.expect_total(20, "what an event stood for");
}

void an_event_on_an_idle_stream_is_done(Context& context) {
  const Event event = Stream(context.device()).record();
  event.wait(std::chrono::seconds(10));
  expect(event.is_done(), "an event on an idle stream is not done");
}

/// An event on an idle stream may be a command of its own to the driver.
void synchronize_covers_events(Context& context) {
  const Stream stream(context.device());
  for (int i = 0; i < 100; ++i) {
    const Event event = stream.record();
    stream.synchronize();
    expect(event.is_done(), "turn {}: an event is not done after its stream was synchronized", i);
  }
}

void events_outlive_their_stream(Context& context) {
  const Device device = context.device();
  const Counter counter(device);
  const Event event = [&] {
    const Stream brief(device);
    counter.add(brief, 9);
    return brief.record();
  }();
  event.wait();
  counter.expect_total(9, "work of a stream whose handle is gone");
}

/// The work may finish in time. Otherwise the error is kTimedOut, and the work continues.
void expect_deadline(const std::function<void(nanoseconds)>& wait, std::string_view what) {
  for (const nanoseconds timeout : {nanoseconds(0), nanoseconds(1)}) {
    try {
      wait(timeout);
    } catch (const Error& error) {
      expect(error.code() == ErrorCode::kTimedOut, "{}: expected timed_out, got {}: {}", what,
             to_string(error.code()), error.what());
    }
  }
}

void deadlines(Context& context) {
  const Device device = context.device();
  const Stream stream(device);
  const Counter counter(device);
  for (int i = 0; i < 50; ++i) counter.add(stream, 1);
  const Event event = stream.record();
  expect_deadline([&](nanoseconds timeout) { event.wait(timeout); }, "Event::wait");
  expect_deadline([&](nanoseconds timeout) { stream.synchronize(timeout); }, "Stream::synchronize");
  expect_deadline([&](nanoseconds timeout) { device.synchronize(timeout); }, "Device::synchronize");
  stream.synchronize(milliseconds(60000));
  device.synchronize(milliseconds(60000));
  counter.expect_total(50, "work that was not waited for in time");
}

void a_device_waits_for_all_its_streams(Context& context) {
  const Device device = context.device();
  const Counter one(device), two(device);
  const Stream first(device), second(device);
  for (int i = 0; i < 20; ++i) {
    one.add(first, 1);
    two.add(second, 3);
  }
  device.synchronize();
  one.expect_total(20, "the first of two streams");
  two.expect_total(60, "the second of two streams");
}

void events_between_devices(Context& context) {
  const std::vector<Device> devices = context.devices();
  if (devices.size() < 2) throw Waiver("the backend has one device");
  const Stream here(devices[0]), there(devices[1]);
  const Counter mine(devices[0]), theirs(devices[1]);
  mine.add(here, 4);
  there.wait(here.record());
  theirs.add(there, 5);
  there.synchronize();
  mine.expect_total(4, "work before an event of one device");
  theirs.expect_total(5, "work of another device that waited for it");
}

void threads_share_a_stream(Context& context) {
  const Device device = context.device();
  const Stream stream(device);
  run_threads(4, [&](int thread) {
    // One counter per thread, because work of different threads has no order.
    const Counter counter(device, 3000);
    for (int i = 0; i < 50; ++i) {
      counter.add(stream, 1);
      if (i % 10 == 0) stream.record().wait();
    }
    stream.synchronize();
    counter.expect_total(50, fmt::format("additions of thread {} on a shared stream", thread));
  });
}

void a_callback_comes_after_its_work(Context& context) {
  const Device device = context.device();
  const auto called = std::make_shared<std::promise<bool>>();
  const Stream stream(device);
  const Counter counter(device);
  for (int i = 0; i < 10; ++i) counter.add(stream, 3);
  const Event before = stream.record();
  stream.add_callback([called](const Error* error) { called->set_value(error == nullptr); });
  std::future<bool> succeeded = called->get_future();
  expect(succeeded.wait_for(kCallbackPatience) == std::future_status::ready,
         "a callback was not called within {} s", kCallbackPatience.count());
  expect(succeeded.get(), "a callback was told of a failure");
  expect(before.is_done(), "a callback came before the work that it was to follow");
  counter.expect_total(30, "what a callback came after");
}

void times_are_in_the_order_of_the_work(Context& context) {
  const Device device = context.device();
  const Stream stream(device, {.times = true});
  const Counter counter(device);
  for (int i = 0; i < 3; ++i) counter.add(stream, 1);
  stream.synchronize();
  std::vector<SubmissionTime> times;
  std::string why;
  if (is_unsupported([&] { times = stream.take_times(); }, &why)) throw Waiver(why);
  expect(times.size() == 3, "3 launches have {} times", times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    expect(times[i].name == "count", "launch {} is called '{}'", i, times[i].name);
    expect(i == 0 || times[i].start >= times[i - 1].start, "launch {} starts before the last", i);
  }
}

void streams_of_each_priority(Context& context) {
  const Device device = context.device();
  if (!device.properties().stream_priorities) {
    throw Waiver("the streams have no priorities (PATCHBAY_CAN_STREAM_PRIORITY)");
  }
  const Counter counter(device);
  std::int32_t total = 0;
  for (const StreamPriority priority :
       {StreamPriority::kLow, StreamPriority::kNormal, StreamPriority::kHigh}) {
    const Stream stream(device, {.priority = priority});
    for (int i = 0; i < 10; ++i) counter.add(stream, 1);
    stream.synchronize();
    counter.expect_total(total += 10, fmt::format("additions on a stream of the priority {}",
                                                  static_cast<int>(priority)));
  }
}

/// Where the plugin has the extension graph/1, the driver replays the list.
void a_recorded_list_replays(Context& context) {
  const Device device = context.device();
  static_cast<void>(Counter(device));  // or lacking
  const Tensor sum = from_host(std::vector<std::int32_t>{1, 2, 3}, {3}, device);
  const Graph graph = record_graph([&] {
    sum += 1;
    sum += sum;
  });
  for (const std::vector<std::int32_t>& expected :
       {std::vector<std::int32_t>{4, 6, 8}, std::vector<std::int32_t>{10, 14, 18},
        std::vector<std::int32_t>{22, 30, 38}}) {
    graph.replay();
    const std::vector<std::int32_t> got = sum.to_vector<std::int32_t>();
    expect(got == expected, "replays of (a + 1) * 2: expected [{}], got [{}]",
           fmt::join(expected, ", "), fmt::join(got, ", "));
  }
}

void many_streams_and_events(Context& context) {
  const Device device = context.device();
  for (int i = 0; i < 64; ++i) {
    const Stream stream(device);
    for (int j = 0; j < 8; ++j) (void)stream.record();
    stream.synchronize();
  }
}

}  // namespace

std::vector<Check> streams_checks() {
  return {
      {"streams", "a_stream_keeps_its_order", a_stream_keeps_its_order},
      {"streams", "the_default_stream_is_one", the_default_stream_is_one},
      {"streams", "an_event_orders_two_streams", an_event_orders_two_streams},
      {"streams", "an_event_is_done_when_its_work_is", an_event_is_done_when_its_work_is},
      {"streams", "an_event_on_an_idle_stream_is_done", an_event_on_an_idle_stream_is_done},
      {"streams", "synchronize_covers_events", synchronize_covers_events},
      {"streams", "events_outlive_their_stream", events_outlive_their_stream},
      {"streams", "deadlines", deadlines},
      {"streams", "a_device_waits_for_all_its_streams", a_device_waits_for_all_its_streams},
      {"streams", "events_between_devices", events_between_devices},
      {"streams", "threads_share_a_stream", threads_share_a_stream},
      {"streams", "a_callback_comes_after_its_work", a_callback_comes_after_its_work},
      {"streams", "times_are_in_the_order_of_the_work", times_are_in_the_order_of_the_work},
      {"streams", "streams_of_each_priority", streams_of_each_priority},
      {"streams", "a_recorded_list_replays", a_recorded_list_replays},
      {"streams", "many_streams_and_events", many_streams_and_events},
  };
}

}  // namespace patchbay::conformance
