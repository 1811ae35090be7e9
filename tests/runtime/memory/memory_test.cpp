// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The cache of memory: reuse, counts, limits, and what happens when there is none left.
#include <condition_variable>
#include <future>
#include <mutex>
#include <random>

#include "support/device_test.h"
#include "support/kernels.h"
#include "support/runtime_fixture.h"
#include "support/threads.h"

namespace patchbay::test {
namespace {

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;

class MemoryTest : public DeviceTest {
 protected:
  // A runtime for each test: counts begin at nothing.
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    runtime_ = Runtime(device_options());
    own_ = runtime_.device(device_.name());
  }
  Buffer allocate(std::size_t size_bytes) const { return Buffer::allocate(own_, size_bytes); }

  Runtime runtime_ = test_runtime();
  Device own_ = device_;
};
PATCHBAY_ON_EACH_DEVICE(MemoryTest);

TEST_P(MemoryTest, IsCountedToTheByte) {
  EXPECT_EQ(own_.memory().live_bytes, 0u);
  EXPECT_EQ(own_.memory().reserved_bytes, 0u);
  Buffer a = allocate(1001), b = allocate(3 * kMiB + 1), none = allocate(0);
  DeviceMemory memory = own_.memory();
  EXPECT_EQ(memory.live_bytes, 3 * kMiB + 1002);
  EXPECT_EQ(memory.live_blocks, 3u);
  EXPECT_EQ(memory.peak_bytes, 3 * kMiB + 1002);
  EXPECT_GE(memory.reserved_bytes, memory.live_bytes);
  EXPECT_EQ(own_.memory(MemoryKind::kPinned).live_bytes, 0u);
  b = Buffer();
  memory = own_.memory();
  EXPECT_EQ(memory.live_bytes, 1001u);
  EXPECT_EQ(memory.live_blocks, 2u);
  EXPECT_EQ(memory.peak_bytes, 3 * kMiB + 1002);
  EXPECT_GE(memory.largest_free_block_bytes, 3 * kMiB + 1);
}

TEST_P(MemoryTest, IsUsedAgain) {
  for (const std::size_t size : {std::size_t{1}, 3 * kKiB, 700 * kKiB, 3 * kMiB, 15 * kMiB}) {
    static_cast<void>(allocate(size));
    const std::uint64_t asked = own_.memory().num_driver_allocations;
    for (int i = 0; i < 50; ++i) static_cast<void>(allocate(size));
    EXPECT_EQ(own_.memory().num_driver_allocations, asked) << size;
  }
}

TEST_P(MemoryTest, IsSplitAndJoinedAgain) {
  std::vector<Buffer> parts;
  for (int i = 0; i < 4; ++i) parts.push_back(allocate(4 * kMiB));
  const DeviceMemory full = own_.memory();
  EXPECT_EQ(full.num_driver_allocations, 1u);
  parts[0] = parts[2] = Buffer();
  EXPECT_LT(own_.memory().largest_free_block_bytes, 8 * kMiB);
  parts[1] = Buffer();
  EXPECT_GE(own_.memory().largest_free_block_bytes, 12 * kMiB);
  parts[3] = Buffer();
  EXPECT_EQ(own_.memory().largest_free_block_bytes, full.reserved_bytes);
  static_cast<void>(allocate(9 * kMiB));
  EXPECT_EQ(own_.memory().num_driver_allocations, 1u);
}

TEST_P(MemoryTest, TrimGivesBackWhatNothingUses) {
  const Buffer kept = allocate(2 * kMiB);
  Buffer large = allocate(30 * kMiB), small = allocate(100);
  large = small = Buffer();
  EXPECT_GE(own_.memory().reserved_bytes, 32 * kMiB);
  own_.trim_memory();
  EXPECT_LE(own_.memory().reserved_bytes, 20 * kMiB);
  EXPECT_EQ(own_.memory().live_bytes, 2 * kMiB);
  EXPECT_GE(own_.memory().peak_reserved_bytes, 32 * kMiB);
}

TEST_P(MemoryTest, AlignsEveryBlock) {
  std::mt19937 engine(7);
  std::vector<Buffer> held;
  for (int i = 0; i < 200; ++i) {
    const std::size_t size = 1 + engine() % (i % 10 == 0 ? 3 * kMiB : 5 * kKiB);
    held.push_back(allocate(size));
    if (!held.back().is_host_addressable()) continue;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(held.back().host_pointer()) % 64, 0u) << size;
  }
}

TEST_P(MemoryTest, NeverExceedsItsLimit) {
  own_.set_memory_limit(10 * kMiB);
  EXPECT_EQ(own_.memory().limit_bytes, 10 * kMiB);
  Buffer a = allocate(6 * kMiB);
  EXPECT_ERROR(allocate(5 * kMiB), kOutOfMemory, "requested 5242880 bytes, free ");
  EXPECT_ERROR(allocate(5 * kMiB), kOutOfMemory, "held by this runtime 6291456 in 1 block (");
  EXPECT_ERROR(allocate(5 * kMiB), kOutOfMemory, "limit is 10485760 bytes");
  EXPECT_LE(own_.memory().reserved_bytes, 10 * kMiB);
  a = Buffer();
  EXPECT_TRUE(allocate(10 * kMiB));
  own_.set_memory_limit(0);
  EXPECT_TRUE(allocate(11 * kMiB));
}

TEST_P(MemoryTest, AsksTheApplicationBeforeItGivesUp) {
  own_.set_memory_limit(10 * kMiB);
  Buffer spare = allocate(8 * kMiB);
  int calls = 0;
  runtime_.set_out_of_memory_callback([&](const Device& device, std::size_t size_bytes) {
    ++calls;
    EXPECT_EQ(device, own_);
    EXPECT_EQ(size_bytes, 9 * kMiB);
    // A want of memory within is an error at once.
    EXPECT_ERROR(allocate(10 * kMiB), kOutOfMemory, "requested 10485760 bytes");
    spare = Buffer();
  });
  EXPECT_TRUE(allocate(9 * kMiB));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(allocate(1 * kMiB));
  EXPECT_EQ(calls, 1);
  runtime_.set_out_of_memory_callback({});
  EXPECT_ERROR(allocate(11 * kMiB), kOutOfMemory, "requested 11534336 bytes");
  EXPECT_EQ(calls, 1);
}

/// What is free in pieces can't be had at once.
TEST_P(MemoryTest, ErrorsNameTheLargestFreeBlock) {
  own_.set_memory_limit(20 * kMiB);
  const Buffer small = allocate(kKiB), large = allocate(9 * kMiB);
  const Error error = error_of([&] { return allocate(18 * kMiB); });
  const std::uint64_t largest = own_.memory().largest_free_block_bytes;
  // With validation each buffer is an allocation of its own, and nothing is left over.
  const bool is_validated = std::getenv("PATCHBAY_VALIDATE") != nullptr;
  EXPECT_TRUE(is_validated || largest > 0) << largest;
  EXPECT_NE(
      std::string(error.what())
          .find(", largest free block " + std::to_string(largest) + ", held by this runtime "),
      std::string::npos)
      << error.what();
}

TEST_P(MemoryTest, ErrorsNameTheLargestHoldersByTag) {
  own_.set_memory_limit(20 * kMiB);
  std::vector<Buffer> held;
  inside(CopyTag("weights"), [&] { held.push_back(allocate(6 * kMiB)); });
  inside(CopyTag("activations"), [&] { held.push_back(allocate(9 * kMiB)); });
  held.push_back(allocate(kMiB));
  const DeviceMemory memory = own_.memory();
  ASSERT_EQ(memory.by_tag.size(), 3u);
  EXPECT_EQ(memory.by_tag[0].tag, "activations");
  EXPECT_EQ(memory.by_tag[0].live_bytes, 9 * kMiB);
  EXPECT_EQ(memory.by_tag[0].live_blocks, 1u);
  EXPECT_EQ(memory.by_tag[1].tag, "weights");
  EXPECT_EQ(memory.by_tag[2].tag, "");
  EXPECT_ERROR(allocate(8 * kMiB), kOutOfMemory,
               "most by tag: 'activations' 9437184; 'weights' 6291456; no tag 1048576");
  held[1] = Buffer();
  held[1] = allocate(9 * kMiB);
  EXPECT_ERROR(allocate(8 * kMiB), kOutOfMemory, "most by tag: no tag 10485760; 'weights' 6291456");
  held[1] = Buffer();
  EXPECT_EQ(own_.memory().by_tag[0].tag, "weights");
  EXPECT_TRUE(allocate(8 * kMiB));
}

/// Counts, and passes on.
class CountingResource : public MemoryResource {
 public:
  explicit CountingResource(const Device& device) : driver_(driver_memory(device)) {}
  RawMemory allocate(MemoryKind kind, std::size_t size_bytes, std::size_t alignment) override {
    if (fails) throw std::bad_alloc();
    if (gives_null) return {};
    live_bytes += size_bytes;
    return driver_->allocate(kind, size_bytes, alignment);
  }
  void release(MemoryKind kind, RawMemory memory, std::size_t size_bytes) noexcept override {
    live_bytes -= size_bytes;
    driver_->release(kind, memory, size_bytes);
  }

  std::atomic<std::size_t> live_bytes{0};
  std::atomic<bool> fails{false}, gives_null{false};

 private:
  const std::shared_ptr<MemoryResource> driver_;
};

TEST_P(MemoryTest, ComesFromTheApplicationIfItSaysSo) {
  const auto resource = std::make_shared<CountingResource>(own_);
  const Buffer before = allocate(5000);
  own_.set_memory_resource(resource);
  {
    const Tensor t = ones({1000}, own_);
    EXPECT_EQ(resource->live_bytes, 4000u);
    EXPECT_EQ((t + t).to_vector<float>(), Floats(1000, 2));
    resource->fails = true;
    EXPECT_ERROR(ones({10}, own_), kOutOfMemory, "the memory resource has none");
    resource->fails = false;
    resource->gives_null = true;
    EXPECT_ERROR(ones({10}, own_), kOutOfMemory, "the memory resource has none");
    resource->gives_null = false;
  }
  own_.synchronize();
  own_.trim_memory();
  EXPECT_EQ(resource->live_bytes, 0u) << "nothing is kept of what is the application's";
  const Buffer theirs = allocate(100);
  own_.set_memory_resource(nullptr);
  const Buffer ours = allocate(200);
  EXPECT_EQ(resource->live_bytes, 100u);
}

TEST_P(MemoryTest, AResourceHasBlocksBackOnceTheirUseHasEnded) {
  const auto resource = std::make_shared<CountingResource>(own_);
  own_.set_memory_resource(resource);
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(ones({1000}, own_));  // freed while the fill may still run
    own_.synchronize();
    EXPECT_LE(resource->live_bytes, 4000u);
  }
  static_cast<void>(allocate(1));
  EXPECT_EQ(resource->live_bytes, 0u);
}

/// Has room for one block; what comes back takes its time.
class SlowResource : public MemoryResource {
 public:
  explicit SlowResource(const Device& device) : driver_(driver_memory(device)) {}
  RawMemory allocate(MemoryKind kind, std::size_t size_bytes, std::size_t alignment) override {
    const std::scoped_lock lock(mutex_);
    if (is_taken_) {
      ++refusals_;
      refused_.notify_all();
      throw std::bad_alloc();
    }
    is_taken_ = true;
    return driver_->allocate(kind, size_bytes, alignment);
  }
  void release(MemoryKind kind, RawMemory memory, std::size_t size_bytes) noexcept override {
    std::unique_lock lock(mutex_);
    if (!std::exchange(was_released_, true)) {
      releasing.set_value();
      // As long as a request may be refused for good: twice.
      refused_.wait_for(lock, std::chrono::milliseconds(200), [this] { return refusals_ == 2; });
    }
    is_taken_ = false;
    driver_->release(kind, memory, size_bytes);
  }

  std::promise<void> releasing;

 private:
  const std::shared_ptr<MemoryResource> driver_;
  std::mutex mutex_;
  std::condition_variable refused_;
  int refusals_ = 0;
  bool is_taken_ = false, was_released_ = false;
};

TEST(MemoryOnThreads, RequestsWaitForWhatAnotherThreadGivesBack) {
  const Device device = Runtime(options({{"fake_delay_ms", "2"}})).device("fake:0");
  const auto resource = std::make_shared<SlowResource>(device);
  device.set_memory_resource(resource);
  static_cast<void>(ones({1000}, device));  // freed while the fill may still run
  std::thread trimming([&] { device.trim_memory(); });
  resource->releasing.get_future().wait();
  EXPECT_TRUE(Buffer::allocate(device, 4000));
  trimming.join();
  device.set_memory_resource(nullptr);
}

TEST_P(MemoryTest, AResourceKeepsNoRuntime) {
  auto resource = std::make_shared<CountingResource>(own_);
  const std::weak_ptr<CountingResource> watched = resource;
  own_.set_memory_resource(std::move(resource));
  static_cast<void>(allocate(100));
  const std::shared_ptr<MemoryResource> outlives = driver_memory(own_);
  own_ = device_;
  runtime_ = test_runtime();
  EXPECT_TRUE(watched.expired());
  EXPECT_ERROR(outlives->allocate(MemoryKind::kDevice, 100, 64), kUnknownDevice,
               "the device of this driver_memory is gone with its runtime");
}

TEST_P(MemoryTest, IsCountedOverThreads) {
  std::vector<Buffer> held(8);
  on_threads(held.size(), [&](std::size_t i) {
    for (int round = 0; round < 1000; ++round) static_cast<void>(allocate(1 + i));
    held[i] = allocate(100'000 * (i + 1));
  });
  DeviceMemory memory = own_.memory();
  EXPECT_EQ(memory.live_bytes, 3'600'000u);
  EXPECT_EQ(memory.live_blocks, 8u);
  EXPECT_GE(memory.peak_bytes, 3'600'000u);
  EXPECT_LE(memory.peak_bytes, 3'600'000u + 8 * 8);
  held.clear();  // by another thread than allocated
  memory = own_.memory();
  EXPECT_EQ(memory.live_bytes, 0u);
  EXPECT_EQ(memory.live_blocks, 0u);
}

TEST_P(MemoryTest, WithoutACacheEachRequestIsTheDrivers) {
  RuntimeOptions plain = device_options();
  plain.settings["memory_cache"] = "off";
  const Device device = Runtime(plain).device(device_.name());
  for (int i = 0; i < 5; ++i) static_cast<void>(Buffer::allocate(device, 100));
  EXPECT_EQ(device.memory().num_driver_allocations, 5u);
  EXPECT_EQ(device.memory().reserved_bytes, 0u);
  device.set_memory_resource(driver_memory(device));
  device.set_memory_resource(nullptr);  // back to what the setting says
  static_cast<void>(Buffer::allocate(device, 100));
  EXPECT_EQ(device.memory().num_driver_allocations, 6u);
  EXPECT_EQ(device.memory().reserved_bytes, 0u);
}

TEST_P(MemoryTest, ManyThreadsKeepApart) {
  constexpr int kThreads = 8;
  std::atomic<int> wrong{0};
  on_threads(kThreads, [&](int number) {
    std::mt19937 engine(static_cast<unsigned>(number));
    std::vector<std::pair<Buffer, std::uint8_t>> held;
    for (int i = 0; i < 150; ++i) {
      const std::size_t size = 1 + engine() % (engine() % 20 == 0 ? 2 * kMiB : 20 * kKiB);
      const auto mark = static_cast<std::uint8_t>(engine());
      const Bytes bytes(size, mark);
      held.emplace_back(allocate(size), mark);
      copy_from_host({held.back().first, 0, size}, bytes.data());
      if (held.size() < 8) continue;
      const std::size_t at = engine() % held.size();
      const auto& [buffer, expected] = held[at];
      Bytes seen(buffer.size_bytes());
      copy_to_host(seen.data(), {buffer, 0, seen.size()});
      if (seen != std::vector<std::uint8_t>(seen.size(), expected)) ++wrong;
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(own_.memory().live_blocks, 0u);
}

/// Elements of a buffer of i32 from number `first` on.
Argument part(const Buffer& buffer, Access access, std::size_t first = 0, std::int64_t size = 256) {
  Argument argument = Argument::tensor(buffer, DType::i32, {size}, access);
  argument.offset_bytes = 4 * first;
  return argument;
}

// A stream that is slow uses a block when it is freed; what another stream does with the block's
// next owner comes after that use, even for launches by hand, which insert no waits.
TEST(MemoryOnStreams, FreedBlocksReachOtherStreamsAfterTheirUse) {
  const Device device = Runtime(options({{"fake_delay_ms", "5"}})).device("fake:0");
  const Kernel copy = Kernel::prepare(device, kernel_spec("copy.1", DType::i32, 1)),
               fill = Kernel::prepare(device, fill_spec(DType::i32));
  const Stream first(device), second(device);
  const Ints values(256, 7);
  const Buffer result = Buffer::allocate(device, 1024);
  for (int i = 0; i < 10; ++i) {
    Buffer source = Buffer::allocate(device, 1024);
    copy_from_host({source, 0, 1024}, values.data());
    source.wait();
    copy.launch(first, std::vector{part(result, Access::kWrite), part(source, Access::kRead)});
    source = Buffer();
    const Buffer next = Buffer::allocate(device, 1024);  // the same block
    fill.launch(second, std::vector{part(next, Access::kWrite), Argument::scalar<int>(9)});
    second.synchronize();
    Ints seen(256);
    copy_to_host(seen.data(), {result, 0, 1024});
    ASSERT_EQ(seen, values);
    copy_to_host(seen.data(), {next, 0, 1024});
    ASSERT_EQ(seen, Ints(256, 9));
  }
  EXPECT_EQ(device.memory().num_driver_allocations, 1u);
}

// A write of a block's next owner by one stream does not stand for its earlier use where another
// stream writes beside it by hand.
TEST(MemoryOnStreams, EachLaunchByHandWaitsForTheEarlierOwner) {
  const Device device = Runtime(options({{"fake_delay_ms", "5"}})).device("fake:0");
  const Kernel copy = Kernel::prepare(device, kernel_spec("copy.1", DType::i32, 1)),
               fill = Kernel::prepare(device, fill_spec(DType::i32));
  const Stream first(device), second(device), third(device);
  const Ints values(256, 7);
  const Buffer result = Buffer::allocate(device, 1024);
  for (const bool by_first : {false, true}) {
    Buffer source = Buffer::allocate(device, 1024);
    copy_from_host({source, 0, 1024}, values.data());
    source.wait();
    for (int i = 0; i < 6; ++i) {
      copy.launch(first, std::vector{part(result, Access::kWrite), part(source, Access::kRead)});
    }
    source = Buffer();
    const Buffer next = Buffer::allocate(device, 1024);  // the same block
    fill.launch(by_first ? first : second,
                std::vector{part(next, Access::kWrite, 0, 128), Argument::scalar<int>(9)});
    fill.launch(third, std::vector{part(next, Access::kWrite, 128, 128), Argument::scalar<int>(9)});
    third.synchronize();
    device.synchronize();
    Ints seen(256);
    copy_to_host(seen.data(), {result, 0, 1024});
    ASSERT_EQ(seen, values);
  }
  // With validation a freed block is not given to the next owner at once.
  const bool is_validated = std::getenv("PATCHBAY_VALIDATE") != nullptr;
  if (!is_validated) {
    EXPECT_EQ(device.memory().num_driver_allocations, 1u);
  }
}

TEST(MemoryOnStreams, CachesDoNotKeepRuntimesOrStreams) {
  for (int i = 0; i < 3; ++i) {
    Runtime runtime(options({{"fake_delay_ms", "2"}}));
    const Device device = runtime.device("fake:0");
    {
      const Stream stream(device);
      const Kernel fill = Kernel::prepare(device, fill_spec(DType::i32));
      const Buffer buffer = Buffer::allocate(device, 64);
      fill.launch(stream, std::vector{Argument::tensor(buffer, DType::i32, {16}, Access::kWrite),
                                      Argument::scalar<int>(1)});
      static_cast<void>(ones({100}, device) + 1);
    }
    runtime.unload("fake");  // refused if anything were held
  }
}

// ------------------------------------------------------------------
// Memory that kernels and the host both use.

class Unified : public testing::TestWithParam<const char*> {
 protected:
  static Buffer holding(const Device& device, const Floats& values) {
    const Buffer buffer =
        Buffer::allocate(device, values.size() * sizeof(float), MemoryKind::kUnified);
    std::copy(values.begin(), values.end(), static_cast<float*>(buffer.host_pointer()));
    return buffer;
  }
  static Floats seen_in(const Buffer& buffer) {
    const auto* const values = static_cast<const float*>(buffer.host_pointer());
    return {values, values + buffer.size_bytes() / sizeof(float)};
  }

  const Runtime runtime_{options({{"fake_late_us", "300"}})};
  const Device device_ = runtime_.device(GetParam());
};

TEST_P(Unified, KernelsAndTheHostSeeOneAnother) {
  EXPECT_TRUE(device_.properties().unified_buffers);
  const Buffer buffer = holding(device_, {1, 2, 3});
  EXPECT_TRUE(buffer.is_host_addressable());
  EXPECT_EQ(to_string(buffer.kind()), "unified");
  Tensor tensor = from_buffer(buffer, DType::f32, {3});
  tensor += 1;
  EXPECT_EQ(seen_in(buffer), (Floats{2, 3, 4})) << "it waits for the kernel";
  static_cast<float*>(buffer.host_pointer())[1] = 10;
  EXPECT_EQ((tensor * 2).to_vector<float>(), (Floats{4, 20, 8}));
}

TEST_P(Unified, CopiesGoByTheCheapestRoute) {
  const Buffer buffer = holding(device_, {1, 2, 3});
  const Tensor source = from_buffer(buffer, DType::f32, {3}), plain = zeros({3}, device_);
  runtime_.ledger().reset();
  plain.copy_from(source, /*non_blocking=*/true);
  ASSERT_EQ(runtime_.ledger().entries().size(), 1u);
  EXPECT_EQ(to_string(runtime_.ledger().entries()[0].route), "same device");
  EXPECT_EQ(plain.to_vector<float>(), (Floats{1, 2, 3}));
  const Buffer back = Buffer::allocate(device_, 12, MemoryKind::kUnified);
  copy({back, 0, 12}, {buffer, 0, 12});
  EXPECT_EQ(seen_in(back), (Floats{1, 2, 3}));
  EXPECT_EQ(source.to(runtime_.device("fake:1")).to_vector<float>(), (Floats{1, 2, 3}));
  EXPECT_EQ(source.to(runtime_.device("cpu:1")).to_vector<float>(), (Floats{1, 2, 3}));
}

TEST_P(Unified, IsCountedApart) {
  const std::uint64_t before = device_.memory().live_bytes;
  const Buffer buffer = Buffer::allocate(device_, 1000, MemoryKind::kUnified);
  EXPECT_EQ(device_.memory(MemoryKind::kUnified).live_bytes, 1000u);
  EXPECT_EQ(device_.memory().live_bytes, before);
  EXPECT_ERROR(Runtime(runtime_).unload(device_.backend() == "cpu" ? "cpu-openblas" : "fake"),
               kInUse, "1 buffer (1000 bytes)");
}

INSTANTIATE_TEST_SUITE_P(OnDevices, Unified, testing::Values("cpu:0", "fake:0"),
                         [](const auto& each) { return std::string(each.param).substr(0, 3); });

}  // namespace
}  // namespace patchbay::test
