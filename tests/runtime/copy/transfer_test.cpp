// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Copies that the runtime's transfer thread makes: what returns at once, what waits, and how they
// fail and end. A gate holds the thread where a test must know that nothing has moved yet.
#include <csignal>
#include <cstdio>
#include <future>
#include <mutex>

#include "support/runtime_fixture.h"
#include "support/threads.h"

namespace patchbay::test {
namespace {

/// Two fake devices that don't reach each other.
RuntimeOptions staged_options(std::map<std::string, std::string> settings = {}) {
  settings["fake_peer"] = "0";
  return options(std::move(settings));
}

/// Keeps the transfer thread of a runtime from its next copy until it is opened.
class Gate {
 public:
  explicit Gate(const Runtime& runtime) {
    while (!close(runtime)) {
    }
    arrived_.get_future().wait();
  }
  ~Gate() {
    if (is_closed_) open();
  }
  void open() {
    is_closed_ = false;
    opened_.set_value();
  }

 private:
  /// False: the thread was through before this one had let go of what it packs.
  bool close(const Runtime& runtime) {
    const auto own = std::this_thread::get_id();
    bool is_late = false;
    const auto wait = [this, own, &is_late] {
      if (std::this_thread::get_id() == own) {
        is_late = true;
        return;
      }
      arrived_.set_value();
      opened_.get_future().wait();
    };
    // Packing on one plugin's device for another is work of the thread.
    Tensor lent = wrap_host(values_.data(), DType::f32, {2, 3}, runtime.device("cpu:0"), wait);
    sent_ = lent.t().to(runtime.device("fake:0"), {.non_blocking = true});
    lent = Tensor();
    return !is_late;
  }

  Floats values_ = Floats(6, 1);
  std::promise<void> arrived_, opened_;
  bool is_closed_ = true;
  Tensor sent_;
};

class TransferTest : public testing::Test {
 protected:
  const Runtime runtime_{staged_options()};
  const Device from_ = runtime_.device("fake:0"), to_ = runtime_.device("fake:1");
  const Device cpu_ = runtime_.device("cpu:0");
};

TEST_F(TransferTest, NonBlockingCopiesReturnBeforeTheyAreMade) {
  Gate gate(runtime_);
  Tensor source = full({1000}, 3, from_);
  const Tensor there = source.to(to_, {.non_blocking = true});
  EXPECT_EQ(runtime_.ledger().total("fake:0", "fake:1").copies, 1u) << "counted at the call";
  source = Tensor();
  EXPECT_EQ(from_.memory().live_bytes, 4000u + 24u) << "kept by the copy, beside the gate's";
  gate.open();
  EXPECT_EQ((there + 1).to_vector<float>(), Floats(1000, 4));
  to_.synchronize();
  EXPECT_EQ(from_.memory().live_bytes, 24u);
}

TEST_F(TransferTest, StridedAndConvertingCopiesReturnAtOnceToo) {
  Gate gate(runtime_);
  const Tensor source = arange(0, 6, 1, {DType::i32, from_}).reshape({2, 3});
  const Tensor target = zeros({3, 2}, {DType::f32, to_});
  target.t().copy_from(source, /*non_blocking=*/true);             // unpacked there
  const Tensor host = target.to(cpu_, {.non_blocking = true});     // of what is on its way
  const Tensor back = host.t().to(from_, {.non_blocking = true});  // packed before it is there
  gate.open();
  const Tensor same = back.cast(DType::i32).to(to_, {.copy = true});
  EXPECT_EQ(target.to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(same.to_vector<std::int32_t>(), (Ints{0, 1, 2, 3, 4, 5}));
}

TEST_F(TransferTest, WhatComesLaterWaits) {
  Gate gate(runtime_);
  const Tensor source = full({1000}, 3, from_), there = source.to(to_, {.non_blocking = true});
  std::thread opener([&gate] { gate.open(); });
  source.fill_(5);  // after the copy has read it
  EXPECT_EQ(there.to_vector<float>(), Floats(1000, 3));
  opener.join();
}

TEST_F(TransferTest, TheThreadTakesNoSignals) {
  std::promise<std::pair<bool, bool>> blocked;
  Floats values(6, 1);
  const auto tell = [&blocked] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    blocked.set_value({sigismember(&mask, SIGTERM) == 1, sigismember(&mask, SIGSEGV) == 1});
  };
  Gate gate(runtime_);  // so that the thread is the last to hold what is lent
  (void)wrap_host(values.data(), DType::f32, {2, 3}, cpu_, tell)
      .t()
      .to(from_, {.non_blocking = true});
  gate.open();
  EXPECT_EQ(blocked.get_future().get(), std::pair(true, false)) << "the application's, and faults";
}

TEST_F(TransferTest, ManyCopiesKeepTheirOrder) {
  Tensor here = full({300}, 1, from_);
  const Tensor there = zeros({300}, to_);
  for (int i = 0; i < 50; ++i) {
    there.copy_from(here, true);
    here = here + 1;
    here.copy_from(there, true);
    here += 1;
  }
  EXPECT_EQ(here.to_vector<float>(), Floats(300, 51));
}

TEST_F(TransferTest, SynchronizeWaitsForCopies) {
  Gate gate(runtime_);
  const Tensor source = full({8}, 2, from_), there = source.to(to_, {.non_blocking = true});
  EXPECT_ERROR(to_.synchronize(std::chrono::milliseconds(1)), kTimedOut,
               "[synchronize] the deadline passed during a copy (fake:1)");
  gate.open();
  to_.synchronize();
  EXPECT_EQ(there.to_vector<float>(), Floats(8, 2));
}

TEST_F(TransferTest, GuardAndTagAreThoseOfTheCall) {
  Gate gate(runtime_);
  const Tensor source = full({8}, 2, from_);
  Tensor there;
  {
    const CopyTag tag("weights");
    there = source.to(to_, {.non_blocking = true});
  }
  const CopyGuard guard;  // of what comes from now on
  EXPECT_ERROR(source.to(to_, {.non_blocking = true}), kCopyForbidden,
               "[to] copy of 32 bytes from fake:0 to fake:1 (staged)");
  gate.open();
  to_.synchronize();
  for (const LedgerEntry& entry : runtime_.ledger().entries()) {
    EXPECT_EQ(entry.tag, entry.from == "fake:0" ? "weights" : "");
  }
}

TEST_F(TransferTest, ThreadsMayCopyAtOnce) {
  std::vector<Tensor> results(4);
  on_threads(results.size(), [&](std::size_t i) {
    Tensor mine = full({5000}, static_cast<double>(i), i % 2 == 0 ? from_ : to_);
    for (int round = 0; round < 10; ++round) {
      const Device& other = mine.device() == from_ ? to_ : from_;
      mine = mine.to(other, {.non_blocking = round % 3 != 0}) + 1;
    }
    results[i] = mine;
  });
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].to_vector<float>(), Floats(5000, static_cast<float>(i) + 10));
  }
  EXPECT_EQ(runtime_.ledger().total("fake:0", "fake:1").copies, 20u);
  EXPECT_EQ(runtime_.ledger().total("fake:1", "fake:0").copies, 20u);
}

/// The driver's memory, as long as it is not pinned.
class NothingPinned final : public MemoryResource {
 public:
  explicit NothingPinned(const Device& device) : driver_(driver_memory(device)) {}
  RawMemory allocate(MemoryKind kind, std::size_t size_bytes, std::size_t alignment) override {
    if (kind == MemoryKind::kPinned) throw std::bad_alloc();
    return driver_->allocate(kind, size_bytes, alignment);
  }
  void release(MemoryKind kind, RawMemory memory, std::size_t size_bytes) noexcept override {
    driver_->release(kind, memory, size_bytes);
  }

 private:
  const std::shared_ptr<MemoryResource> driver_;
};

TEST_F(TransferTest, NoMemoryToStageInIsAnErrorOfTheCall) {
  const Tensor source = full({1 << 20}, 2, from_), target = zeros({1 << 20}, to_);
  from_.set_memory_resource(std::make_shared<NothingPinned>(from_));
  EXPECT_ERROR(target.copy_from(source, /*non_blocking=*/true), kOutOfMemory,
               "[allocate] out of memory on fake:0: requested 1048576 bytes");
  EXPECT_EQ(target.slice(0, 0, 2).to_vector<float>(), Floats(2, 0));
  EXPECT_EQ(runtime_.ledger().total("fake:0", "fake:1").copies, 0u);
  from_.set_memory_resource(nullptr);
  target.copy_from(source);
  EXPECT_EQ(target.slice(0, 0, 2).to_vector<float>(), Floats(2, 2));
}

// ------------------------------------------------------------------------------- failures

/// The second copy that a fake device is asked for fails: the second leg of the first way.
class TransferFailureTest : public testing::Test {
 protected:
  const Runtime runtime_{staged_options({{"fake_fail_copy", "2"}})};
  const Device from_ = runtime_.device("fake:0"), to_ = runtime_.device("fake:1");
};

TEST_F(TransferFailureTest, TheFirstThatWaitsIsTold) {
  const Tensor source = full({8}, 2, from_), target = zeros({8}, to_);
  target.copy_from(source, /*non_blocking=*/true);
  // A reader: one that writes all of it anew is told only if the copy is still on its way.
  EXPECT_ERROR(target.to_vector<float>(), kLaunchFailed,
               "[to_vector] the copy of 32 bytes from fake:0 to fake:1 (staged) failed: copy "
               "number 2 fails, as the setting fake_fail_copy asks (fake:1, driver code 2)");
  EXPECT_EQ(source.to_vector<float>(), Floats(8, 2)) << "a failed reader leaves it alone";
  target.copy_from(source);
  EXPECT_EQ(target.to_vector<float>(), Floats(8, 2));
}

TEST_F(TransferFailureTest, ABlockingCallTellsItself) {
  const Tensor source = full({8}, 2, from_), target = zeros({8}, to_);
  EXPECT_ERROR(target.copy_from(source), kLaunchFailed, "from fake:0 to fake:1");
  EXPECT_ERROR(target.to_vector<float>(), kLaunchFailed,
               "What it was to write is lost until all of that memory is written again.");
  target.fill_(3);
  EXPECT_EQ(target.to_vector<float>(), Floats(8, 3));
}

TEST_F(TransferFailureTest, CopiesOfWhatFailedFail) {
  const Tensor source = full({8}, 2, from_), target = zeros({8}, to_), third = zeros({8}, from_);
  constexpr const char* kCause = "] the copy of 32 bytes from fake:0 to fake:1 (staged) failed: ";
  target.copy_from(source, /*non_blocking=*/true);
  // The copy tells, if it is known by now.
  EXPECT_ERROR((third.copy_from(target, /*non_blocking=*/true), third.to_vector<float>()),
               kLaunchFailed, kCause);
  EXPECT_ERROR(third.copy_from(target, /*non_blocking=*/true), kLaunchFailed, kCause);
}

TEST_F(TransferFailureTest, NobodyNeedsToAsk) {
  const Tensor source = full({8}, 2, from_);
  zeros({8}, to_).copy_from(source, /*non_blocking=*/true);
  to_.synchronize();
  const Tensor next = zeros({8}, to_);  // may have the very block
  EXPECT_EQ(next.to_vector<float>(), Floats(8, 0));
}

// What fails on the device, not at the call, leaves no stream behind that keeps failing.
TEST(TransferAsyncFailure, LaterCopiesAreNotConcerned) {
  const Runtime runtime(staged_options({{"fake_fail_async_launch", "2"}}));
  const Device from = runtime.device("fake:0"), to = runtime.device("fake:1");
  const Tensor whole = full({8}, 2, to), spoilt = full({8}, 1, from);
  const Tensor there = spoilt.to(to, {.non_blocking = true});
  EXPECT_ERROR(
      there.to_vector<float>(), kLaunchFailed,
      "[to_vector] the copy of 32 bytes from fake:0 to fake:1 (staged) failed: launch of ");
  EXPECT_ERROR(there.to_vector<float>(), kLaunchFailed, "(launched by [fill] on fake:0)");
  const Buffer elsewhere = Buffer::allocate(from, 32);
  copy({elsewhere, 0, 32}, {whole.buffer(), 0, 32});
}

TEST(TransferAsyncFailure, TheLossOfOneDeviceLosesNoOther) {
  const Runtime runtime(staged_options({{"fake_lose_device_async", "2"}}));
  const Device from = runtime.device("fake:0"), to = runtime.device("fake:1");
  const Tensor spoilt = full({8}, 1, from), target = empty({8}, to);
  {
    const Gate gate(runtime);
    target.copy_from(spoilt, /*non_blocking=*/true);
    // Loses the device, once the copy is on its way. The launch is queued: wait until it has run.
    const Tensor last = full({8}, 2, from);
    EXPECT_ERROR(last.to_vector<float>(), kDeviceLost, "");
  }
  EXPECT_ERROR(target.to_vector<float>(), kLaunchFailed,
               "[to_vector] the copy of 32 bytes from fake:0 to fake:1 (staged) failed: ");
  EXPECT_ERROR(target.to_vector<float>(), kLaunchFailed,
               "What it was to write is lost until all of that memory is written again.");
  target.fill_(3);
  EXPECT_EQ(target.to_vector<float>(), Floats(8, 3));
  EXPECT_ERROR(spoilt.to_vector<float>(), kDeviceLost,
               "All that is on this device is lost: use another one.");
}

// By a copy that was queued before anyone knew.
TEST(TransferAsyncFailure, IsOverOnceAllIsWrittenAgain) {
  const Runtime runtime(staged_options({{"fake_fail_async_launch", "2"}}));
  const Device from = runtime.device("fake:0"), to = runtime.device("fake:1");
  const Tensor good = full({8}, 3, runtime.device("cpu:0")), target = zeros({8}, to);
  Gate gate(runtime);
  const Tensor spoilt = full({8}, 1, from);
  target.copy_from(spoilt, /*non_blocking=*/true);
  target.copy_from(good, /*non_blocking=*/true);
  gate.open();
  EXPECT_EQ(target.to_vector<float>(), Floats(8, 3));
}

// ------------------------------------------------------------------------------- the end

TEST(TransferEnd, ARuntimeEndsWithItsLastCopy) {
  std::promise<void> released;
  Floats lent(6, 1);
  {
    const Runtime runtime(staged_options({{"fake_delay_ms", "5"}}));
    const Tensor source = full({8}, 2, runtime.device("fake:0"));
    const Tensor wrapped = wrap_host(lent.data(), DType::f32, {2, 3}, runtime.device("cpu:0"),
                                     [&released] { released.set_value(); });
    (void)source.to(runtime.device("fake:1"), {.non_blocking = true});
    (void)wrapped.t().to(runtime.device("fake:1"), {.non_blocking = true});
  }
  released.get_future().wait();
}

TEST(TransferEnd, UnloadingWaitsForCopies) {
  Runtime runtime(staged_options({{"fake_delay_ms", "5"}}));
  (void)full({8}, 2, runtime.device("fake:0")).to(runtime.device("fake:1"), {.non_blocking = true});
  runtime.unload("fake");
  EXPECT_ERROR(runtime.device("fake:0"), kUnknownDevice, "unloaded");
}

TEST(TransferEndDeathTest, AProcessEndsWithCopiesOnTheirWay) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static auto& runtime = *new Runtime(staged_options({{"fake_delay_ms", "1"}}));
        static auto& source = *new Tensor(full({8}, 2, runtime.device("fake:0")));
        static auto& target = *new Tensor(zeros({8}, runtime.device("fake:1")));
        for (int i = 0; i < 50; ++i) target.copy_from(source, /*non_blocking=*/true);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

/// Waits for a copy after the library has given it up.
struct LateReader {
  ~LateReader() {
    try {
      target->buffer().wait();
    } catch (const Error& error) {
      std::fputs(error.what(), stderr);
    }
  }
  Tensor* target = nullptr;
};

TEST(TransferEndDeathTest, CopiesThatAreGivenUpHoldNobodyUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static LateReader reader;  // made first, so it goes last
        static auto& runtime = *new Runtime(staged_options({{"fake_delay_ms", "1"}}));
        static auto& source = *new Tensor(full({8}, 2, runtime.device("fake:0")));
        reader.target = new Tensor(zeros({8}, runtime.device("fake:1")));
        for (int i = 0; i < 50; ++i) reader.target->copy_from(source, /*non_blocking=*/true);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "the process ended before the copy of 32 bytes from fake:0");
}

/// What a copy still holds, or has not yet let go of, is free in a moment.
TEST(TransferMemory, AllocationsWaitForWhatCopiesHold) {
  const Runtime runtime(staged_options({{"fake_memory_bytes", std::to_string(7 << 20)}}));
  const Device from = runtime.device("fake:0"), to = runtime.device("fake:1");
  Gate gate(runtime);
  Tensor source = full({1 << 20}, 3, from);
  const Tensor there = source.to(to, {.non_blocking = true});
  source = Tensor();
  auto opened = std::async(std::launch::async, [&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  EXPECT_EQ(full({1 << 20}, 4, from).to_vector<float>(), Floats(1 << 20, 4));
  EXPECT_EQ(there.to_vector<float>(), Floats(1 << 20, 3));
}

/// The callback of lent memory may take a lock that the thread which asks for memory holds.
TEST(TransferMemory, AllocationsDoNotWaitForCallbacksForEver) {
  const Runtime runtime(staged_options({{"fake_memory_bytes", std::to_string(5 << 20)}}));
  const Device fake = runtime.device("fake:0");
  const Tensor most = full({1 << 20}, 3, fake);
  struct Shared {  // the callback may still be in it when the test ends
    std::mutex mutex;
    std::promise<void> arrived;
  };
  const auto shared = std::make_shared<Shared>();
  Gate gate(runtime);  // so that the thread is the last to hold what is lent
  std::unique_lock lock(shared->mutex);
  Floats values(6, 1);
  Tensor lent = wrap_host(values.data(), DType::f32, {2, 3}, runtime.device("cpu:0"), [shared] {
    shared->arrived.set_value();
    const std::scoped_lock inner(shared->mutex);
  });
  const Tensor sent = lent.t().to(fake, {.non_blocking = true});
  lent = Tensor();
  gate.open();
  shared->arrived.get_future().wait();
  EXPECT_ERROR(full({1 << 20}, 4, fake), kOutOfMemory, "fake:0");
  lock.unlock();
  EXPECT_EQ(sent.to_vector<float>(), values);
}

// ------------------------------------------------------------------------------- calibration

TEST_F(TransferTest, PlansTellTheTimeOnceItIsMeasured) {
  EXPECT_FALSE(plan_copy(from_, to_, 4096).seconds.has_value());
  calibrate(from_, to_);
  const CopyPlan small = plan_copy(from_, to_, 4096), large = plan_copy(from_, to_, 64u << 20);
  ASSERT_TRUE(small.seconds && large.seconds);
  EXPECT_GT(*small.seconds, 0);
  EXPECT_GT(*large.seconds, *small.seconds);
  EXPECT_FALSE(plan_copy(to_, from_, 4096).seconds.has_value()) << "another link";
  EXPECT_EQ(large.chunks, (large.size_bytes + large.chunk_bytes - 1) / large.chunk_bytes);
  for (const LedgerEntry& entry : runtime_.ledger().entries()) EXPECT_EQ(entry.tag, "calibrate");
  const Tensor there = full({1 << 20}, 3, from_).to(to_);
  EXPECT_EQ(there.slice(0, (1 << 20) - 1).to_vector<float>(), Floats(1, 3));
}

TEST(Calibration, ReachesEveryLinkOfADevice) {
  const Runtime runtime(staged_options({{"fake_memory_bytes", std::to_string(3 << 20)}}));
  const Device device = runtime.device("fake:0");
  runtime.calibrate(device);
  EXPECT_TRUE(plan_copy(Endpoint::host(), device, 1).seconds.has_value());
  EXPECT_TRUE(plan_copy(device, Endpoint::host(), 1).seconds.has_value());
  for (const Device& other : runtime.devices()) {
    EXPECT_TRUE(plan_copy(device, other, 1).seconds.has_value()) << other.name();
    EXPECT_TRUE(plan_copy(other, device, 1).seconds.has_value()) << other.name();
  }
  EXPECT_FALSE(plan_copy(runtime.device("fake:1"), Endpoint::host(), 1).seconds.has_value());
}

TEST_F(TransferTest, CalibrationIsACopyLikeOthers) {
  EXPECT_INVALID(calibrate(Endpoint::host(), Endpoint::host()),
                 "[calibrate] both ends are the host");
  const CopyGuard guard;
  const std::string bytes = "[calibrate] copy of 33554432 bytes from host to ";
  const std::string guarded = " (host to device) inside a CopyGuard: expected that nothing moves";
  for (const Endpoint& to : {Endpoint(to_), Endpoint(from_), Endpoint::host()}) {
    EXPECT_ERROR(calibrate(from_, to), kCopyForbidden, bytes + from_.name() + guarded);
  }
  EXPECT_ERROR(calibrate(Endpoint::host(), to_), kCopyForbidden, bytes + to_.name() + guarded);
}

TEST_F(TransferTest, AFailedCalibrationChangesNothing) {
  const auto plan = [this] {
    const CopyPlan made = plan_copy(from_, to_, 64u << 20);
    return std::pair(made.chunk_bytes, made.seconds);
  };
  for (const bool is_measured : {false, true}) {
    if (is_measured) calibrate(from_, to_);
    const auto before = plan();
    from_.set_memory_resource(std::make_shared<NothingPinned>(from_));
    EXPECT_ERROR(calibrate(from_, to_), kOutOfMemory, "[allocate] out of memory on fake:0");
    from_.set_memory_resource(nullptr);
    EXPECT_EQ(plan(), before) << (is_measured ? "measured" : "not measured");
  }
}

// It measures with what memory there is.
TEST(Calibration, SmallDevicesTakeSmallerCopies) {
  const Runtime runtime(staged_options({{"fake_memory_bytes", std::to_string(5 << 20)}}));
  const Device from = runtime.device("fake:0");
  calibrate(from, runtime.device("fake:1"));
  EXPECT_TRUE(plan_copy(from, runtime.device("fake:1"), 1).seconds.has_value());
  const Tensor most = ones({(1 << 20) + (1 << 17)}, from);
  EXPECT_ERROR(calibrate(from, Endpoint::host()), kOutOfMemory, "fake:0");
}

// ------------------------------------------------------------------
// Blocking staged copies, which the calling thread makes where no other copy is on its way.

/// Two fake devices that don't reach each other.
class StagedCallTest : public testing::Test {
 protected:
  const Runtime runtime_{options({{"fake_peer", "0"}})};
  const Device from_ = runtime_.device("fake:0"), to_ = runtime_.device("fake:1");
};

TEST_F(StagedCallTest, ItsCallerMakesIt) {
  const Tensor source = full({8}, 2, from_), target = zeros({8}, to_);
  target.copy_from(source);
  const std::size_t before = num_threads();
  target.copy_from(source, /*non_blocking=*/true);
  EXPECT_EQ(target.to_vector<float>(), Floats(8, 2));
  EXPECT_EQ(num_threads(), before + 1) << "only what returns at once takes a thread of the runtime";
}

TEST_F(StagedCallTest, StridedOnesToo) {
  const Tensor source = arange(0, 6, 1, {from_}).cast(DType::f32).view({2, 3});
  EXPECT_EQ(source.t().to(to_).to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  const Tensor target = zeros({3, 2}, to_);
  target.t().copy_from(source);
  EXPECT_EQ(target.to_vector<float>(), (Floats{0, 3, 1, 4, 2, 5}));
  const std::size_t before = num_threads();
  const Tensor sent = source.to(to_, {.non_blocking = true});
  EXPECT_EQ(sent.to_vector<float>(), (Floats{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(num_threads(), before + 1);
}

TEST_F(StagedCallTest, FollowsCopiesThatReturnedAtOnce) {
  constexpr std::int64_t kCount = 1 << 20;
  const Tensor target = zeros({kCount}, to_);
  for (int round = 0; round < 20; ++round) {
    const Tensor first = full({kCount}, round, from_), second = full({kCount}, -round, from_);
    target.copy_from(first, /*non_blocking=*/true);
    target.copy_from(second);
    EXPECT_EQ(target.slice(0, kCount - 2).to_vector<float>(),
              Floats(2, static_cast<float>(-round)));
  }
}

}  // namespace
}  // namespace patchbay::test
