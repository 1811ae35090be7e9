// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Streams of a CPU device that are not the default one: a thread each.
#include "runtime/stream/gate.h"

namespace patchbay::test {
namespace {

using namespace std::chrono_literals;

class CpuStream : public testing::Test {
 protected:
  ~CpuStream() override { gate_.open(); }  // whatever a test left waiting

  Gate gate_;
  const Runtime runtime_{gated_options(gate_)};
  const Device cpu_ = runtime_.device("cpu:0");
};

TEST_F(CpuStream, OperationsReturnBeforeTheyAreDone) {
  const Tensor a = ones({kLarge}, cpu_), b = ones({kLarge}, cpu_);
  const Stream stream(cpu_);
  gate_.close();
  const StreamScope scope(stream);
  const Tensor c = a + b;
  const Event event = stream.record();
  EXPECT_FALSE(event.is_done());
  EXPECT_ERROR(event.wait(0ns), kTimedOut, "[wait] the deadline passed (cpu:0)");
  EXPECT_ERROR(stream.synchronize(1ms), kTimedOut, "[synchronize]");
  EXPECT_ERROR(cpu_.synchronize(1ms), kTimedOut, "[synchronize]");
  gate_.open();
  event.wait();
  EXPECT_TRUE(event.is_done());
  EXPECT_EQ(c.data<float>()[kLarge - 1], 2.0f);
}

TEST_F(CpuStream, TheHostWaitsForWhatItReads) {
  const Tensor a = ones({kLarge}, cpu_);
  const Stream stream(cpu_);
  gate_.close();
  const Tensor sum = on_stream(stream, [&] { return a + a; });
  std::thread opener([this] { gate_.open(); });
  EXPECT_EQ(sum.data<float>()[0], 2.0f);
  opener.join();
}

TEST_F(CpuStream, TheInlineStreamWaitsForItsOperands) {
  const Tensor a = ones({kLarge}, cpu_);
  const Stream stream(cpu_);
  gate_.close();
  const Tensor sum = on_stream(stream, [&] { return a + a; });
  Floats seen;
  std::thread reader([&] { seen = (sum.slice(0, 0, 4) + 1).to_vector<float>(); });
  gate_.open();
  reader.join();
  EXPECT_EQ(seen, Floats(4, 3.0f));
}

TEST_F(CpuStream, WritesWaitForReadsOfOtherStreams) {
  const Tensor a = ones({kLarge}, cpu_);
  const Stream stream(cpu_);
  gate_.close();
  const Tensor sum = on_stream(stream, [&] { return a + a; });
  std::thread writer([&] { a.slice(0, kLarge - 1, kLarge).fill_(9); });  // inline, and small
  gate_.open();
  writer.join();
  EXPECT_EQ(sum.data<float>()[kLarge - 1], 2.0f) << "the sum read what came after it";
  EXPECT_EQ(a.data<float>()[kLarge - 1], 9.0f);
}

TEST_F(CpuStream, StreamsWaitForEachOther) {
  const Tensor a = ones({kLarge}, cpu_);
  const Stream first(cpu_), second(cpu_);
  gate_.close();
  const Tensor sum = on_stream(first, [&] { return a + a; });
  const Tensor more = on_stream(second, [&] { return sum.slice(0, 0, 2) + 1; });
  EXPECT_FALSE(second.record().is_done());
  gate_.open();
  EXPECT_EQ(more.to_vector<float>(), Floats(2, 3.0f));
}

TEST_F(CpuStream, TemporariesLiveAsLongAsTheWork) {
  const Stream stream(cpu_);
  gate_.close();
  Tensor result;
  {
    const StreamScope scope(stream);
    result = zeros({kLarge}, cpu_);
    for (int i = 1; i <= 4; ++i) result = result + full({kLarge}, i, cpu_);
  }
  std::thread opener([this] { gate_.open(); });
  // Inline work takes memory while the stream still uses what was dropped.
  std::vector<Tensor> others;
  for (int i = 0; i < 8; ++i) others.push_back(full({16}, -1, cpu_));
  EXPECT_EQ(result.data<float>()[0], 10.0f);
  EXPECT_EQ(result.data<float>()[kLarge - 1], 10.0f);
  opener.join();
}

TEST_F(CpuStream, CopiesAndProductsRunThere) {
  const Stream stream(cpu_);
  const StreamScope scope(stream);
  const Tensor a = arange(0, 10000, 1, {DType::f32, cpu_}).reshape({100, 100});
  const Tensor product = matmul(a, a), total = sum(product), kept = product.clone();
  EXPECT_EQ(total.item<float>(), sum(kept).item<float>());
  EXPECT_EQ(a.to(runtime_.device("fake:0")).to_vector<float>()[9999], 9999.0f);
}

TEST_F(CpuStream, FailuresComeLaterWithTheirOrigin) {
  const ModuleKernel kernel = KernelModule::from_source(cpu_, R"(
PATCHBAY_KERNEL(half)(PATCHBAY_INOUT(i32, x)) {
  PATCHBAY_BIND(i32, x);
  if (PATCHBAY_LOCAL_ID(0) < 2) { PATCHBAY_BARRIER(); }
  x[PATCHBAY_GLOBAL_ID(0)] += 1;
})")
                                  .kernel("half");
  const Tensor x = zeros({4}, {DType::i32, cpu_});
  const Stream stream(cpu_);
  const StreamScope scope(stream);
  kernel.launch({.groups = {1}, .group_size = {4}}, {x});
  EXPECT_ERROR(stream.synchronize(), kLaunchFailed, "launched by [half] on cpu:0");
  EXPECT_ERROR(x.to_vector<std::int32_t>(), kLaunchFailed, "[half] on cpu:0");
  EXPECT_ERROR(x.fill_(1), kLaunchFailed, "until Stream::reset()");
  stream.reset();
  x.fill_(1);
  EXPECT_EQ(x.to_vector<std::int32_t>(), Ints(4, 1));
}

/// The states ('S' sleeps, 'R' runs) of the process's other threads.
std::string other_threads() {
  std::string states;
  const auto self = std::filesystem::read_symlink("/proc/thread-self").filename();
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (task.path().filename() == self) continue;
    std::ifstream file(task.path() / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');
    if (name_end != std::string::npos && name_end + 2 < line.size()) states += line[name_end + 2];
  }
  return states;
}

TEST(CpuThreads, StreamsStartTheirThreadWithTheirFirstWork) {
  RuntimeOptions chosen = options({{"cpu_devices", "1"}});
  const Device cpu = Runtime(chosen).device("cpu:0");
  const Tensor a = ones({4}, cpu);
  std::thread([] {}).join();  // with the first thread a sanitizer starts one of its own
  const std::size_t before = other_threads().size();
  const Stream idle(cpu), busy(cpu);
  EXPECT_EQ(other_threads().size(), before);
  on_stream(busy, [&] { EXPECT_EQ((a + a).to_vector<float>()[0], 2.0f); });
  EXPECT_EQ(other_threads().size(), before + 1);
}

TEST(CpuThreads, IdleThreadsPark) {
  const Device cpu = Runtime(options({{"cpu_devices", "1"}, {"cpu_threads", "4"}})).device("cpu:0");
  const Stream stream(cpu);
  const StreamScope scope(stream);
  const Tensor a = ones({kLarge}, cpu);
  EXPECT_EQ((a + a).data<float>()[0], 2.0f);
  ASSERT_GE(other_threads().size(), 4u) << "a stream's and three helpers";
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  while (other_threads().find_first_not_of('S') != std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << other_threads();
    std::this_thread::yield();
  }
}

}  // namespace
}  // namespace patchbay::test
