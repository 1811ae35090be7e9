// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Chapter streams, with work slow enough to show missing waits.
#include <chrono>
#include <functional>
#include <thread>

#include "conformance/chapters.h"
#include "conformance/kernels/launcher.h"
#include "conformance/support/bytes.h"
#include "conformance/support/expect.h"
#include "conformance/values/array.h"

namespace patchbay::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSize = 1 << 18;
constexpr std::chrono::milliseconds kLong{30};
constexpr std::int32_t kMostAdditions = 4096;

Argument zeros(const Device& device) {
  return Array<std::int32_t>(contiguous({kSize}), [](std::size_t) { return 0; })
      .to_device(device, Access::kWrite);
}

/// Reads only the last element, so that the work gets no time to finish.
void expect_last(const Argument& row, std::int32_t expected, std::string_view what) {
  const std::size_t offset = (kSize - 1) * sizeof(std::int32_t);
  const Bytes bytes = read(row.buffer, offset, sizeof(std::int32_t));
  std::int32_t got = 0;
  std::memcpy(&got, bytes.data(), sizeof(got));
  expect_equal(got, expected, what);
}

/// Additions to one row, repeated until they take kLong.
class SlowWork {
 public:
  SlowWork(const Device& device, const Stream& stream)
      : row_(zeros(device)),
        add_(prepare(device, spec_of("add.1", arguments(1)))),
        copy_(prepare(device, spec_of("copy.1", {row_, reading(row_)}))) {
    for (num_additions_ = 4; num_additions_ < kMostAdditions; num_additions_ *= 2) {
      const Clock::time_point begin = Clock::now();
      queue(stream);
      stream.synchronize();
      const Clock::duration taken = Clock::now() - begin;
      expect_done("launches before synchronize, of which done");
      if (taken >= kLong) return;
    }
  }

  void queue(const Stream& stream) {
    for (std::int32_t i = 0; i < num_additions_; ++i) add_.launch(stream, arguments(1), "add");
    total_ += num_additions_;
  }
  void expect_done(std::string_view what) const { expect_last(row_, total_, what); }
  /// Queues a copy of the row at this position of the stream.
  void queue_copy(const Stream& stream, const Argument& to) const {
    copy_.launch(stream, Arguments{to, reading(row_)}, "copy");
  }
  std::int32_t total() const { return total_; }

 private:
  static Argument reading(Argument argument) {
    argument.access = Access::kRead;
    return argument;
  }
  Arguments arguments(std::int32_t step) const {
    return {row_, reading(row_), Argument::scalar(step)};
  }

  Argument row_;
  Kernel add_, copy_;
  std::int32_t num_additions_ = 0, total_ = 0;
};

void an_event_waits_for_its_work(Context& context) {
  const Device device = context.device();
  const Stream stream(device);
  SlowWork work(device, stream);
  work.queue(stream);
  stream.record().wait();
  work.expect_done("launches before an event that was waited for, of which done");
}

void an_event_is_not_done_before_its_work(Context& context) {
  const Device device = context.device();
  const Stream stream(device);
  SlowWork work(device, stream);
  work.queue(stream);
  const Event event = stream.record();
  while (!event.is_done()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  work.expect_done("launches before an event that says it is done, of which done");
}

void synchronize_waits_for_the_work(Context& context) {
  const Device device = context.device();
  const Stream stream(device);
  SlowWork work(device, stream);
  work.queue(stream);
  stream.synchronize();
  work.expect_done("launches before synchronize, of which done");
}

void a_stream_waits_for_the_work_of_another(Context& context) {
  const Device device = context.device();
  const Stream first(device), second(device);
  SlowWork work(device, first);
  // Whatever takes long is done before the work is queued, which could end meanwhile.
  const Argument copy = zeros(device);
  work.queue_copy(second, copy);
  second.synchronize();
  work.queue(first);
  second.wait(first.record());
  work.queue_copy(second, copy);
  second.synchronize();
  expect_last(copy, work.total(),
              "launches before an event that another stream waited for, of which done");
}

void copies_come_after_the_launches_before_them(Context& context) {
  const Device device = context.device();
  const Stream stream = device.default_stream();
  SlowWork work(device, stream);
  work.queue(stream);
  work.expect_done("launches before a copy on the same stream, of which done");
}

/// Measures how long the wait for the work takes, then waits again, with a deadline after an eighth
/// of that time. The wait must end before half of it. A busy machine may delay a wait: the work is
/// doubled and the wait tried again, and a plugin fails that is late most times.
void expect_deadline_kept(
    const Device& device, const std::string& what,
    const std::function<void(const Stream&, std::chrono::nanoseconds)>& wait) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  constexpr int kTurns = 5, kMostLate = 2;
  const Stream stream(device);
  SlowWork work(device, stream);
  int num_late = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto queue = [&] {
      const Clock::time_point begin = Clock::now();
      for (int i = 0; i < 1 << turn; ++i) work.queue(stream);
      return Clock::now() - begin;
    };
    const Clock::duration queueing = queue();
    const Clock::time_point first = Clock::now();
    stream.synchronize();
    const Clock::duration whole = Clock::now() - first;
    // What is faster than its queue, or computes in the call, leaves nothing to wait for.
    if (whole < queueing / 8 || whole < std::chrono::milliseconds(1)) return;
    queue();
    const Clock::time_point second = Clock::now();
    bool is_timed_out = false;
    try {
      wait(stream, whole / 8);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kTimedOut) throw;
      is_timed_out = true;
    }
    const Clock::duration taken = Clock::now() - second;
    stream.synchronize();
    work.expect_done("launches before a wait with a deadline, of which done");
    if (taken < whole / 2) {
      if (is_timed_out) return;
      continue;  // this time the work was over early
    }
    expect(
        ++num_late <= kMostLate,
        "{} of work that takes {:.1f} ms, with a deadline after {:.1f} ms, returned after {:.1f} "
        "ms: expected timed_out soon after the deadline",
        what, Milliseconds(whole).count(), Milliseconds(whole / 8).count(),
        Milliseconds(taken).count());
  }
}

void synchronize_ends_at_its_deadline(Context& context) {
  expect_deadline_kept(
      context.device(), "Stream::synchronize",
      [](const Stream& stream, std::chrono::nanoseconds timeout) { stream.synchronize(timeout); });
}

void an_event_wait_ends_at_its_deadline(Context& context) {
  expect_deadline_kept(context.device(), "Event::wait",
                       [](const Stream& stream, std::chrono::nanoseconds timeout) {
                         stream.record().wait(timeout);
                       });
}

/// The core then waits for nothing, so a plugin that says so wrongly loses results.
void inline_work_is_done_when_its_call_returns(Context& context) {
  const Device device = context.device();
  if (!device.properties().completes_inline) {
    throw Waiver("the default stream need not complete inline (PATCHBAY_CAN_INLINE_STREAM)");
  }
  const Stream stream = device.default_stream();
  SlowWork work(device, stream);
  work.queue(stream);
  const Event event = stream.record();
  expect(event.is_done(),
         "the plugin says PATCHBAY_CAN_INLINE_STREAM, but an event of the default stream is not "
         "done when the launches before it have returned");
  work.expect_done(
      "launches of a default stream that says PATCHBAY_CAN_INLINE_STREAM, of which done");
}

}  // namespace

std::vector<Check> slow_work_checks() {
  return {
      {"streams", "an_event_waits_for_its_work", an_event_waits_for_its_work},
      {"streams", "an_event_is_not_done_before_its_work", an_event_is_not_done_before_its_work},
      {"streams", "synchronize_waits_for_the_work", synchronize_waits_for_the_work},
      {"streams", "synchronize_ends_at_its_deadline", synchronize_ends_at_its_deadline},
      {"streams", "an_event_wait_ends_at_its_deadline", an_event_wait_ends_at_its_deadline},
      {"streams", "a_stream_waits_for_the_work_of_another", a_stream_waits_for_the_work_of_another},
      {"streams", "copies_come_after_the_launches_before_them",
       copies_come_after_the_launches_before_them},
      {"streams", "inline_work_is_done_when_its_call_returns",
       inline_work_is_done_when_its_call_returns},
  };
}

}  // namespace patchbay::conformance
