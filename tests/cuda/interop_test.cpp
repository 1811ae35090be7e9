// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An application that uses the card's driver itself: its context, stream and memory in the runtime.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/cuda/application.h"

namespace patchbay::sim_test {
namespace {

/// An application with a context of its own on the card that the runtime calls cuda:1, which is
/// current on this thread.
class SimInterop : public SimTest {
 protected:
  void SetUp() override {
    SimTest::SetUp();
    driver_.initialise(0);
    ASSERT_EQ(driver_.context_create(&context_, 0, 1), 0);
    ASSERT_EQ(driver_.stream_create(&stream_, 0, 0), 0);
    ASSERT_EQ(driver_.memory_allocate(&memory_, 64), 0);
  }
  void TearDown() override {
    runtime_.reset();
    card::NativeContext current = nullptr;
    driver_.get_current(&current);
    EXPECT_EQ(current, context_);  // the runtime puts back what it finds
    EXPECT_EQ(driver_.memory_free(memory_), 0);
    EXPECT_EQ(driver_.stream_destroy(stream_), 0);
    EXPECT_EQ(driver_.context_destroy(context_), 0);
    driver_.set_current(nullptr);
    SimTest::TearDown();
  }
  Device device() {
    if (!runtime_) runtime_.emplace(options());
    return runtime_->device("cuda:1");
  }
  Device adopted() {
    const Device result = device();
    adopt_context(result, number_of(context_));
    return result;
  }
  std::vector<float> read(card::Address address, std::size_t count) const {
    std::vector<float> values(count);
    EXPECT_EQ(driver_.copy_to_host(values.data(), address, count * sizeof(float), stream_), 0);
    EXPECT_EQ(driver_.stream_synchronize(stream_), 0);
    return values;
  }
  /// A call of the application's that waits for a latch.
  static void hold(void* latch) { static_cast<std::latch*>(latch)->wait(); }
  static void nothing(void*) {}
  /// Opens it in 50 ms.
  static std::jthread open_soon(std::latch& gate) {
    return std::jthread([&gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      gate.count_down();
    });
  }
  /// Ends the recording of the application's stream, which must be sound.
  void end_capture() const {
    NativeGraph graph = nullptr;
    EXPECT_EQ(driver_.capture_end(stream_, &graph), 0) << "the recording is not sound";
    EXPECT_EQ(driver_.graph_destroy(graph), 0);
  }

  const Driver driver_;
  std::optional<Runtime> runtime_;
  card::NativeContext context_ = nullptr;
  card::NativeStream stream_ = nullptr;
  card::Address memory_ = 0;
};

TEST_F(SimInterop, StreamsHaveThePriorityThatIsAskedFor) {
  EXPECT_TRUE(device().properties().stream_priorities);
  const auto priority_of = [this](StreamPriority priority) {
    const Stream stream(device(), {.priority = priority});
    int native = 99;
    EXPECT_EQ(driver_.stream_priority(native_handle(stream).as<card::NativeStream>(), &native), 0);
    return native;
  };
  EXPECT_EQ(priority_of(StreamPriority::kHigh), -5);
  EXPECT_EQ(priority_of(StreamPriority::kNormal), 0);
  EXPECT_EQ(priority_of(StreamPriority::kLow), 0) << "the driver has none below normal";
}

TEST_F(SimInterop, MemoryOfTheApplication) {
  const Device device = adopted();
  EXPECT_EQ(native_context(device).as<card::NativeContext>(), context_);
  EXPECT_EQ(native_handle(device).value, 1u);
  bool released = false;
  {
    const Buffer lent = wrap_buffer(device, memory_, 64, [&] { released = true; });
    const Tensor tensor = from_buffer(lent, DType::f32, {4});
    EXPECT_EQ(native_handle(tensor).value, memory_);
    tensor.copy_from(from_host<float>({1, 2, 3, 4}, {4}, device));
    mul_out(tensor, tensor, 10);
    device.synchronize();
    EXPECT_EQ(read(memory_, 4), (std::vector<float>{10, 20, 30, 40}));
    // Any address within is one.
    EXPECT_EQ(from_buffer(wrap_buffer(device, memory_ + 8, 8), DType::f32, {2}).to_vector<float>(),
              (std::vector<float>{30, 40}));
  }
  EXPECT_TRUE(released);
  EXPECT_EQ(read(memory_, 4), (std::vector<float>{10, 20, 30, 40}));
}

TEST_F(SimInterop, MemoryOfAPool) {
  const Device device = adopted();
  card::Address address = 0;
  ASSERT_EQ(driver_.pool_allocate(&address, 32, stream_), 0);
  from_buffer(wrap_buffer(device, address, 32), DType::f32, {8}).fill_(5);
  device.synchronize();
  EXPECT_EQ(read(address, 8), std::vector<float>(8, 5));
  EXPECT_EQ(driver_.memory_free(address), 0);
}

TEST_F(SimInterop, StreamsOfTheApplication) {
  const Device device = adopted();
  const Tensor tensor = full({4}, 2, device);
  {
    const Stream stream = wrap_stream(device, number_of(stream_));
    EXPECT_EQ(native_handle(stream).as<card::NativeStream>(), stream_);
    stream.wait(device.default_stream().record());
  }
  EXPECT_EQ(read(native_handle(tensor).value, 4), std::vector<float>(4, 2));  // it is still there
}

/// Memory that was used on the application's stream no longer touches it once the last handle is
/// gone, and that waits for the work.
TEST_F(SimInterop, StreamsOfTheApplicationEndWithTheirLastHandle) {
  const Device device = adopted();
  Tensor weights = full({4}, 2, device), sums;
  for (int i = 0; i < 2; ++i) {
    card::NativeStream stream = nullptr;
    ASSERT_EQ(driver_.stream_create(&stream, 0, 0), 0);
    std::latch gate(1);
    ASSERT_EQ(driver_.call_host(stream, hold, &gate), 0);
    std::jthread opener = open_soon(gate);
    {
      const Stream lent = wrap_stream(device, number_of(stream));
      const StreamScope scope(lent);
      sums = weights + 1;
    }
    EXPECT_EQ(driver_.stream_query(stream), 0) << "dropping the handle did not wait";
    opener.join();
    ASSERT_EQ(driver_.stream_destroy(stream), 0);
    EXPECT_EQ(sums.to_vector<float>(), std::vector<float>(4, static_cast<float>(3 + i)));
    weights += 1;
    device.synchronize();
  }
  weights = Tensor();
  EXPECT_EQ(sums.to_vector<float>(), std::vector<float>(4, 4));
}

/// One that is recorded can't be waited for. Its earlier work goes on, and memory knows of it.
TEST_F(SimInterop, StreamsOfTheApplicationMayBeRecordedWhenTheirLastHandleGoes) {
  const Device device = adopted();
  Tensor weights = full({4}, 2, device), sums;
  device.synchronize();
  std::latch gate(1);
  ASSERT_EQ(driver_.call_host(stream_, hold, &gate), 0);
  {
    const Stream lent = wrap_stream(device, number_of(stream_));
    {
      const StreamScope scope(lent);
      sums = weights + 1;
    }
    ASSERT_EQ(driver_.capture_begin(stream_, kCaptureRelaxed), 0);
    EXPECT_INVALID(lent.reset(), "the application records this stream into a graph");
  }
  end_capture();
  std::jthread opener = open_soon(gate);
  EXPECT_EQ(sums.to_vector<float>(), std::vector<float>(4, 3));
  opener.join();
}

/// Also while another thread holds the stream to wait for it.
TEST_F(SimInterop, TheConsumersOfDlpackAreWaitedFor) {
  const Device device = adopted();
  Tensor tensor = full({4}, 2, device);
  device.synchronize();
  std::latch first(1), second(1);
  ASSERT_EQ(driver_.call_host(native_handle(device.default_stream()).as<card::NativeStream>(), hold,
                              &first),
            0);
  auto* const lent = to_dlpack(tensor, {.stream = number_of(stream_)});
  ASSERT_EQ(driver_.call_host(stream_, hold, &second), 0);
  std::thread waiter([&] { device.synchronize(); });
  std::jthread opener = open_soon(second);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  lent->deleter(lent);
  EXPECT_EQ(driver_.stream_query(stream_), 0) << "the deleter did not wait";
  opener.join();
  first.count_down();
  waiter.join();
}

/// Others may be waiting for its work when the last handle goes.
TEST_F(SimInterop, StreamsOfTheApplicationEndWhileOthersWait) {
  const Device device = adopted();
  const Tensor weights = full({4}, 2, device);
  for (int i = 0; i < 50; ++i) {
    card::NativeStream stream = nullptr;
    ASSERT_EQ(driver_.stream_create(&stream, 0, 0), 0);
    std::optional<Stream> lent = wrap_stream(device, number_of(stream));
    Tensor sums;
    {
      const StreamScope scope(*lent);
      sums = weights + 1;
    }
    std::thread reader([&] { EXPECT_EQ(sums.to_vector<float>(), std::vector<float>(4, 3)); });
    std::thread waiter([&] { device.synchronize(); });
    std::thread copier(
        [&] { EXPECT_EQ(sums.to("cpu:0").to_vector<float>(), std::vector<float>(4, 3)); });
    std::thread adder([&] { EXPECT_EQ((sums + 1).to_vector<float>(), std::vector<float>(4, 4)); });
    lent.reset();
    ASSERT_EQ(driver_.stream_destroy(stream), 0);
    reader.join();
    waiter.join();
    adder.join();
    copier.join();
  }
}

/// The application's recording of its stream stays sound: what would wait is refused, or does not
/// wait.
TEST_F(SimInterop, StreamsThatTheApplicationRecords) {
  const Device device = adopted();
  device.synchronize();
  ASSERT_EQ(driver_.capture_begin(stream_, kCaptureRelaxed), 0);
  {
    const Stream stream = wrap_stream(device, number_of(stream_));
    EXPECT_INVALID(
        stream.synchronize(),
        "waiting for a stream: the application records this stream into a graph; end that first");
  }
  end_capture();
  const Stream stream = wrap_stream(device, number_of(stream_));
  EXPECT_NO_THROW(stream.synchronize());
}

/// The default stream waits for the stream that is recorded, so nobody can wait for it.
TEST_F(SimInterop, DefaultStreamBesideOneThatTheApplicationRecords) {
  const Device device = adopted();
  device.synchronize();
  const Stream lent = wrap_stream(device, 0);
  ASSERT_EQ(driver_.capture_begin(stream_, kCaptureRelaxed), 0);
  EXPECT_INVALID(lent.synchronize(),
                 "waiting for a stream: the application records a stream that waits for the "
                 "default stream into a graph; end that first");
  end_capture();
  EXPECT_NO_THROW(lent.synchronize());
}

/// Its graph could run when other tensors have the memory of what was recorded. Nothing of the
/// refused calls reaches the driver.
TEST_F(SimInterop, TheApplicationsGraphTakesNoWork) {
  runtime_.emplace(options({{"cuda_convolutions", "cudnn"}}));
  const Device device = adopted();
  const Tensor x = full({1, 1, 4, 4}, 3, device), w = full({1, 1, 2, 2}, 2, device);
  const Tensor square = full({4, 4}, 1, device), y = zeros({4, 4}, device);
  (void)conv2d(x, w);  // opens the libraries
  (void)matmul(square, square);
  const Graph graph = record_graph([&] { add_out(y, y, 1); });
  device.synchronize();
  const Stream lent = wrap_stream(device, number_of(stream_));
  const Event event = device.default_stream().record();
  const auto on_lent = [&](const std::function<void()>& body) {
    return [&lent, body] {
      const StreamScope scope(lent);
      body();
    };
  };
  ASSERT_EQ(driver_.capture_begin(stream_, kCaptureRelaxed), 0);
  const std::function<void()> refused[] = {
      on_lent([&] { add_out(y, y, 1); }),
      on_lent([&] { (void)conv2d(x, w); }),
      on_lent([&] { (void)matmul(square, square); }),
      on_lent([&] { (void)square.clone(); }),
      on_lent([&] { (void)square.to("cpu:0"); }),
      on_lent([&] { (void)square.to(runtime_->device("cuda:0")); }),
      on_lent([&] {
        (void)from_host<float>({1, 2}, {2}, device);
      }),
      on_lent([&] { graph.replay(); }),
      [&] { lent.wait(event); },
      [&] { lent.synchronize(); },
  };
  for (std::size_t i = 0; i < std::size(refused); ++i) {
    SCOPED_TRACE(i);
    EXPECT_INVALID(refused[i](),
                   ": the application records this stream into a graph; end that first");
  }
  EXPECT_EQ(counters().peer_accesses, 0u);
  NativeGraph native = nullptr;
  ASSERT_EQ(driver_.capture_end(stream_, &native), 0) << "the recording is sound";
  NativeReplay replay = nullptr;
  ASSERT_EQ(driver_.instantiate(&replay, native, 0), 0);
  ASSERT_EQ(driver_.replay_launch(replay, stream_), 0);
  EXPECT_EQ(driver_.stream_synchronize(stream_), 0);
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(16, 0)) << "the graph is empty";
  on_lent([&] { add_out(y, y, 1); })();
  EXPECT_EQ(y.to_vector<float>(), std::vector<float>(16, 1));
  EXPECT_EQ(driver_.replay_destroy(replay), 0);
  EXPECT_EQ(driver_.graph_destroy(native), 0);
}

/// Other streams wait for the work that the stream got before its recording, and use its memory.
TEST_F(SimInterop, OtherStreamsGoOnBesideARecording) {
  const Device device = adopted();
  const Tensor y = zeros({4}, device);
  device.synchronize();
  const Stream lent = wrap_stream(device, number_of(stream_));
  std::latch gate(1);
  ASSERT_EQ(driver_.call_host(stream_, hold, &gate), 0);
  {
    const StreamScope scope(lent);
    add_out(y, y, y + 1);  // whose temporary is free again, and in use
  }
  ASSERT_EQ(driver_.capture_begin(stream_, kCaptureRelaxed), 0);
  const auto add_on_lent = [&] {
    const StreamScope scope(lent);
    (void)(y + 1);
  };
  EXPECT_INVALID(add_on_lent(), "the application records this stream");
  const Event event = lent.record();
  EXPECT_FALSE(event.is_done());
  std::atomic<int> num_told = 0;
  lent.add_callback([&](const Error* error) { num_told += error == nullptr ? 1 : 100; });
  std::vector<Tensor> sums;
  for (int i = 0; i < 8; ++i) sums.push_back(y + i);
  EXPECT_FALSE(device.default_stream().record().is_done());
  EXPECT_EQ(num_told, 0);
  gate.count_down();
  event.wait();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(sums[i].to_vector<float>(), std::vector<float>(4, 1 + static_cast<float>(i)));
  }
  while (num_told == 0) std::this_thread::yield();
  EXPECT_EQ(num_told, 1);
  end_capture();
}

/// What is lent is the context's default stream: its work comes after that of the application's
/// blocking streams, and before what they get later. Patchbay's own streams wait for neither.
TEST_F(SimInterop, DefaultStreamOfTheApplication) {
  const Device device = adopted();
  for (const std::uint64_t handle : {0u, 1u}) {
    SCOPED_TRACE(handle);
    const Tensor tensor = full({4}, 2, device);
    device.synchronize();
    std::latch gate(1);
    ASSERT_EQ(driver_.call_host(stream_, hold, &gate), 0);
    const Stream lent = wrap_stream(device, handle);
    {
      const StreamScope scope(lent);
      mul_out(tensor, tensor, 10);
    }
    const Event event = lent.record();
    EXPECT_EQ(full({4}, 3, device).to_vector<float>(), std::vector<float>(4, 3));
    EXPECT_FALSE(event.is_done());
    ASSERT_EQ(driver_.call_host(stream_, nothing, nullptr), 0);
    EXPECT_EQ(driver_.stream_query(stream_), kErrorNotReady);
    gate.count_down();
    lent.synchronize();
    EXPECT_TRUE(event.is_done());
    EXPECT_EQ(tensor.to_vector<float>(), std::vector<float>(4, 20));
    EXPECT_EQ(driver_.stream_synchronize(stream_), 0);
  }
}

/// Work of the default stream is held up: a blocking stream waits for it, another one does not.
TEST_F(SimInterop, DefaultStreamHoldsUpBlockingOnes) {
  const Device device = adopted();
  (void)device.default_stream();
  std::latch gate(1);
  ASSERT_EQ(driver_.call_host(nullptr, hold, &gate), 0);
  ASSERT_EQ(driver_.call_host(stream_, nothing, nullptr), 0);
  EXPECT_EQ(driver_.stream_query(stream_), kErrorNotReady);
  const Stream lent = wrap_stream(device, number_of(stream_));
  const Event event = lent.record();
  EXPECT_FALSE(event.is_done());
  EXPECT_EQ(full({4}, 3, device).to_vector<float>(), std::vector<float>(4, 3));
  gate.count_down();
  event.wait();
  EXPECT_EQ(driver_.stream_query(stream_), 0);
}

TEST_F(SimInterop, DefaultStreamCannotBeRecorded) {
  EXPECT_EQ(driver_.capture_begin(nullptr, kCaptureRelaxed), 900);
}

TEST_F(SimInterop, DefaultStreamOfEachThread) {
  EXPECT_INVALID(wrap_stream(adopted(), 2),
                 "the default stream of each thread is another stream on every thread");
}

/// The device's stream is held up by a call of the application's: nothing but the order that the
/// export makes can bring the consumer's read behind the sum.
TEST_F(SimInterop, ExportsAreReadyOnTheConsumersStream) {
  const Device device = adopted();
  const Tensor source = full({4}, 2, device);
  std::latch gate(1);
  const auto ours = native_handle(device.default_stream()).as<NativeStream>();
  ASSERT_EQ(driver_.call_host(ours, hold, &gate), 0);
  Tensor sum = source;
  for (int i = 0; i < 4; ++i) sum = sum + source;  // its block is one that was freed in use
  // It returns while the gate is closed.
  auto* const exported = to_dlpack(sum, {.stream = number_of(stream_)});
  EXPECT_EQ(exported->dl_tensor.device.device_type, 2);
  EXPECT_EQ(exported->dl_tensor.device.device_id, 1);
  EXPECT_EQ(driver_.stream_query(stream_), kErrorNotReady);
  gate.count_down();
  EXPECT_EQ(read(number_of(exported->dl_tensor.data), 4), std::vector<float>(4, 10));
  exported->deleter(exported);
}

TEST_F(SimInterop, WhatIsOfAnotherContextIsRefused) {
  const Device own = device();
  (void)own.memory();
  const std::string way_out =
      " belongs to another context than this device; adopt that context before";
  EXPECT_INVALID(wrap_buffer(own, memory_, 64), "[wrap_buffer] the address" + way_out);
  EXPECT_INVALID(wrap_stream(own, number_of(stream_)), "[wrap_stream] the stream" + way_out);
  EXPECT_ERROR(adopt_context(own, number_of(context_)), ErrorCode::kInUse,
               "[adopt_context] device cuda:1 is open already");
  const Device other = runtime_->device("cuda:0");
  EXPECT_INVALID(adopt_context(other, number_of(context_)),
                 "[adopt_context] the context belongs to the driver's device 1, and this is device "
                 "0 (cuda:0)");
  EXPECT_EQ(zeros({2}, other).to_vector<float>(), std::vector<float>(2, 0));
}

TEST_F(SimInterop, WhatIsLentToAValidatedRuntime) {
  runtime_.emplace(options({{"validate", "1"}}));
  const Device device = adopted();
  EXPECT_EQ(native_context(device).as<card::NativeContext>(), context_);
  const Tensor lent = from_buffer(wrap_buffer(device, memory_, 64), DType::f32, {4});
  const Stream stream = wrap_stream(device, number_of(stream_));
  lent.fill_(3);
  stream.wait(device.default_stream().record());
  EXPECT_EQ(read(memory_, 4), std::vector<float>(4, 3));
}

TEST_F(SimInterop, MemoryThatDoesNotFit) {
  const Device device = adopted();
  EXPECT_INVALID(wrap_buffer(device, memory_ + 8, 64),
                 "[wrap_buffer] the allocation has 56 bytes from there on, not 64 (cuda:1)");
  const float here = 0;  // the host's
  EXPECT_INVALID(wrap_buffer(device, number_of(&here), 4),
                 "[wrap_buffer] the driver knows of no memory at that address (cuda:1)");
}

}  // namespace
}  // namespace patchbay::sim_test
