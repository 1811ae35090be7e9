// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0

#include "support/kernels.h"
#include "support/runtime_fixture.h"

namespace patchbay {
namespace {

KernelSpec add_spec() { return test::kernel_spec("add.1", DType::i32, 2); }

class StreamOn : public testing::TestWithParam<const char*> {
 protected:
  Argument vector(const Buffer& buffer, Access access) const {
    return Argument::tensor(buffer, DType::i32, {kCount}, access);
  }
  Buffer ones() const {
    const std::vector<std::int32_t> values(kCount, 1);
    const Buffer buffer = Buffer::allocate(device_, kBytes);
    copy_from_host({buffer, 0, kBytes}, values.data());
    return buffer;
  }
  static constexpr std::int64_t kCount = 5000;
  static constexpr std::size_t kBytes = kCount * 4;
  Runtime runtime_{test::options()};
  Device device_ = runtime_.device(GetParam());
};

// Launches by hand insert no waits, so two streams may write one buffer at once.
TEST(StreamsAtOnce, EveryWriterIsWaitedFor) {
  const Device device = Runtime(test::options({{"fake_delay_ms", "10"}})).device("fake:0");
  const Kernel add = Kernel::prepare(device, add_spec());
  const Buffer one = zeros({8}, {DType::i32, device}).buffer();
  const Buffer both = zeros({8}, {DType::i32, device}).buffer();
  const auto half = [](const Buffer& buffer, std::size_t offset, Access access) {
    Argument argument = Argument::tensor(buffer, DType::i32, {4}, access);
    argument.offset_bytes = offset;
    return argument;
  };
  device.synchronize();
  const Stream slow(device), quick(device);
  const Buffer ones = from_host<std::int32_t>({1, 1, 1, 1}, {4}, device).buffer();
  const auto bump = [&](const Stream& stream, std::size_t offset) {
    add.launch(stream,
               std::vector{half(both, offset, Access::kWrite), half(both, offset, Access::kRead),
                           half(ones, 0, Access::kRead)});
  };
  for (int i = 0; i < 5; ++i) bump(slow, 0);
  bump(quick, 16);
  quick.synchronize();
  std::vector<std::int32_t> values(8);
  copy_to_host(values.data(), {both, 0, 32});
  EXPECT_EQ(values, (std::vector<std::int32_t>{5, 5, 5, 5, 1, 1, 1, 1}));
}

TEST(StreamsAtOnce, BuffersDoNotKeepStreamsThatAreDone) {
  Runtime runtime(test::options());
  const Device device = runtime.device("fake:0");
  const Kernel add = Kernel::prepare(device, add_spec());
  const Buffer one = zeros({4}, {DType::i32, device}).buffer();
  const Argument in = Argument::tensor(one, DType::i32, {4}, Access::kRead);
  device.synchronize();  // launches by hand do not wait for the zeros
  for (int i = 0; i < 3; ++i) {
    const Stream stream(device);
    const Buffer sum = Buffer::allocate(device, 16);
    add.launch(stream, std::vector{Argument::tensor(sum, DType::i32, {4}, Access::kWrite), in, in});
    stream.synchronize();
  }
  one.wait();
  const Error error = test::error_of([&] { runtime.unload("fake"); });
  EXPECT_EQ(std::string(error.what()).find("stream"), std::string::npos) << error.what();
}

TEST_P(StreamOn, BadLaunchesAreErrors) {
  const Kernel add = Kernel::prepare(device_, add_spec());
  const Stream stream(device_);
  const Buffer one = ones();
  const Argument in = vector(one, Access::kRead);
  const Argument out = vector(one, Access::kWrite);
  EXPECT_INVALID(add.launch(stream, std::vector{out, in}), "expected 3 arguments, got 2");
  EXPECT_INVALID(add.launch(stream, std::vector{out, in, Argument::scalar(1)}),
                 "expected a tensor of i32, got a scalar of i32");
  EXPECT_INVALID(
      add.launch(stream,
                 std::vector{out, in, Argument::tensor(one, DType::f32, {kCount}, Access::kRead)}),
      "expected a tensor of i32, got a tensor of f32");
  EXPECT_INVALID(
      add.launch(
          stream,
          std::vector{out, in, Argument::tensor(one, DType::i32, {kCount + 1}, Access::kRead)}),
      "outside a buffer of 20000 bytes");
  Argument huge = in;
  huge.shape = {INT64_MAX, INT64_MAX};
  huge.strides = {1, 1};
  EXPECT_ERROR(add.launch(stream, std::vector{out, in, huge}), kOverflow,
               "[9223372036854775807, 9223372036854775807]");
  huge.shape = {INT64_MAX};
  huge.strides = {INT64_MAX};
  EXPECT_ERROR(add.launch(stream, std::vector{out, in, huge}), kOverflow, "overflow");
  huge.shape = {0, INT64_MAX, INT64_MAX};
  huge.strides = {1, 1, 1};
  EXPECT_ERROR(add.launch(stream, std::vector{out, in, huge}), kOverflow,
               "[add.1] argument 2: shape [0, 9223372036854775807, 9223372036854775807] with "
               "strides [1, 1, 1] overflows 64 bits.");
  huge.shape = {4, -1};
  huge.strides = {1, 1};
  EXPECT_INVALID(add.launch(stream, std::vector{out, in, huge}),
                 "[add.1] argument 2: expected extents of 0 or more, got [4, -1].");
  const Device other = runtime_.device(device_.index() == 0 ? device_.backend() + ":1" : "cpu:0");
  EXPECT_ERROR(add.launch(Stream(other), std::vector{out, in, in}), kDeviceMismatch,
               "the stream is of");
}

TEST_P(StreamOn, KernelsAreCachedUnderTheirSpec) {
  const Kernel first = Kernel::prepare(device_, add_spec());
  const Kernel second = Kernel::prepare(device_, add_spec());
  EXPECT_EQ(&first.state(), &second.state());
  KernelSpec other = add_spec();
  other.op = "sub.1";
  EXPECT_NE(&first.state(), &Kernel::prepare(device_, other).state());
}

INSTANTIATE_TEST_SUITE_P(Devices, StreamOn, testing::Values("cpu:0", "cpu:1", "fake:0"),
                         [](const auto& device) {
                           std::string name = device.param;
                           name.replace(name.find(':'), 1, "_");
                           return name;
                         });

TEST(BufferMemory, OneThatIsTooLargeIsRefusedWithTheFigures) {
  const Runtime runtime(test::options({{"fake_memory_bytes", "1000000"}}));
  const Device device = runtime.device("fake:0");
  EXPECT_ERROR(Buffer::allocate(device, 2000000), kOutOfMemory,
               "out of memory on fake:0: requested 2000000 bytes, free 1000000, total 1000000, "
               "largest free block 0, held by this runtime 0 in 0 blocks");
  EXPECT_NO_THROW(Buffer::allocate(device, 900000));
}

TEST(BufferMemory, HostPointersOfDeviceMemoryAreRefused) {
  const Runtime runtime(test::options());
  const Buffer buffer = Buffer::allocate(runtime.device("fake:0"), 8);
  EXPECT_FALSE(buffer.is_host_addressable());
  EXPECT_ERROR(buffer.host_pointer(), kUnsupported, "the host can't address memory of fake:0");
  EXPECT_ERROR(Buffer::wrap_host(runtime.device("fake:0"), nullptr, 0), kUnsupported,
               "can't use host memory in place");
}

TEST(BufferMemory, WrappedMemoryIsBorrowed) {
  const Runtime runtime(test::options());
  int values[4] = {1, 2, 3, 4};
  int released = 0;
  {
    const Buffer wrapped = Buffer::wrap_host(runtime.device("cpu:0"), values, sizeof(values),
                                             [&released] { ++released; });
    EXPECT_EQ(wrapped.host_pointer(), values);
    const Buffer copy_of_handle = wrapped;
    EXPECT_EQ(released, 0);
    const Buffer device = Buffer::allocate(runtime.device("fake:0"), sizeof(values));
    copy({device, 0, sizeof(values)}, {wrapped, 0, sizeof(values)}, /*non_blocking=*/true);
  }
  EXPECT_EQ(released, 1);
  EXPECT_INVALID(Buffer::wrap_host(runtime.device("cpu:0"), nullptr, 4), "null memory");
}

}  // namespace
}  // namespace patchbay
