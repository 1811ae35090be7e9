// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a program sees when a device fails.
#include "support/kernels.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

/// Each buffer is an allocation of the driver's.
const std::pair<const std::string, std::string> kNoCache{"memory_cache", "off"};

Kernel fill_kernel(const Device& device) { return Kernel::prepare(device, test::fill_spec()); }

void fill(const Kernel& kernel, const Stream& stream, const Buffer& buffer, float value) {
  const Shape shape{static_cast<std::int64_t>(buffer.size_bytes() / sizeof(float))};
  kernel.launch(stream, std::array{Argument::tensor(buffer, DType::f32, shape, Access::kWrite),
                                   Argument::scalar(value)});
}

float first_value(const Buffer& buffer) {
  float value = 0;
  copy_to_host(&value, {buffer, 0, sizeof(value)});
  return value;
}

/// A device works: memory, copies, a kernel.
void expect_works(const Device& device) {
  const Buffer buffer = Buffer::allocate(device, 16);
  fill(fill_kernel(device), device.default_stream(), buffer, 2);
  EXPECT_EQ(first_value(buffer), 2);
}

TEST(FakeFailure, OpenDevice) {
  const Runtime runtime = fake_runtime({{"fake_fail_open_device", "1"}});
  const Device device = runtime.device("fake");
  EXPECT_ERROR(device.default_stream(), kLaunchFailed, "open_device number 1 fails", "fake:0",
               "driver code 1");
  expect_works(device);
  expect_works(runtime.device("fake:1"));
}

TEST(FakeFailure, CreateStream) {
  const Device device = fake_runtime({{"fake_fail_create_stream", "2"}}).device("fake");
  device.default_stream();
  EXPECT_ERROR(Stream(device), kLaunchFailed, "create_stream number 2 fails", "fake:0");
  const Stream stream(device);
  stream.synchronize();
}

TEST(FakeFailure, CreateTheFirstStream) {
  const Device device = fake_runtime({{"fake_fail_create_stream", "1"}}).device("fake");
  EXPECT_ERROR(device.default_stream(), kLaunchFailed, "create_stream number 1 fails");
  expect_works(device);
}

TEST(FakeFailure, Allocate) {
  const Device device = fake_runtime({kNoCache, {"fake_fail_allocate", "3"}}).device("fake");
  const Buffer first = Buffer::allocate(device, 16), second = Buffer::allocate(device, 16);
  EXPECT_ERROR(Buffer::allocate(device, 16), kLaunchFailed, "allocate number 3 fails", "fake:0");
  EXPECT_EQ(device.memory().live_bytes, 32u);
  EXPECT_EQ(device.memory().live_blocks, 2u);
  expect_works(device);
}

TEST(FakeFailure, Copy) {
  const Device device = fake_runtime({{"fake_fail_copy", "2"}}).device("fake");
  const Buffer buffer = Buffer::allocate(device, sizeof(float));
  const float value = 3;
  copy_from_host({buffer, 0, sizeof(value)}, &value);
  EXPECT_ERROR(first_value(buffer), kLaunchFailed, "copy number 2 fails", "fake:0");
  EXPECT_EQ(first_value(buffer), value);
}

TEST(FakeFailure, Prepare) {
  const Device device = fake_runtime({{"fake_fail_prepare", "1"}}).device("fake");
  EXPECT_ERROR(fill_kernel(device), kLaunchFailed, "prepare number 1 fails", "fake:0");
  expect_works(device);  // a failure is not remembered as the answer 'no'
}

TEST(FakeFailure, Launch) {
  const Device device = fake_runtime({{"fake_fail_launch", "1"}}).device("fake");
  const Kernel kernel = fill_kernel(device);
  const Buffer buffer = Buffer::allocate(device, 16);
  EXPECT_ERROR(fill(kernel, device.default_stream(), buffer, 1), kLaunchFailed,
               "launch number 1 fails", "fake:0");
  expect_works(device);
}

TEST(FakeFailure, OutOfMemoryNamesDeviceRequestedFreeAndTotal) {
  const Device device = fake_runtime({kNoCache, {"fake_memory_bytes", "10000"}}).device("fake:1");
  const Buffer held = Buffer::allocate(device, 4000);
  EXPECT_ERROR(Buffer::allocate(device, 6001), kOutOfMemory, "fake:1", "requested 6001",
               "free 6000", "total 10000");
  EXPECT_EQ(device.memory().free_bytes, 6000u);
  expect_works(device);
  const Buffer rest = Buffer::allocate(device, 6000);  // exact: all that was free
  EXPECT_EQ(device.memory().free_bytes, 0u);
}

TEST(FakeFailure, OutOfMemoryWaitsForWhatIsBeingFreed) {
  const Device device =
      fake_runtime({{"fake_memory_bytes", "1000"}, {"fake_delay_ms", "100"}}).device("fake");
  const Kernel kernel = fill_kernel(device);
  {
    const Buffer buffer = Buffer::allocate(device, 800);
    fill(kernel, device.default_stream(), buffer, 1);
  }
  const Buffer next = Buffer::allocate(device, 800);
  EXPECT_EQ(device.memory().live_bytes, 800u);
}

}  // namespace
}  // namespace patchbay::faults
