// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What a program sees when a device fails.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include <patchbay/copy.h>
#include <patchbay/error.h>
#include <patchbay/kernel.h>

#include "support/kernels.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

/// Each buffer is an allocation of the driver's.
const std::pair<const std::string, std::string> kNoCache{"memory_cache", "off"};

/// Runs `call`, which must fail like this, with these words in one line.
template <class Call>
void expect_error(ErrorCode code, const std::vector<std::string>& words, Call call) {
  const Error error = test::error_of(call);
  EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
  for (const std::string& word : words) EXPECT_HAS(error.what(), word);
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
}

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
  expect_error(ErrorCode::kLaunchFailed, {"fake:0", "open_device number 1 fails", "driver code 1"},
               [&] { device.default_stream(); });
  expect_works(device);
  expect_works(runtime.device("fake:1"));
}

TEST(FakeFailure, CreateStream) {
  const Runtime runtime = fake_runtime({{"fake_fail_create_stream", "2"}});
  const Device device = runtime.device("fake");
  device.default_stream();
  expect_error(ErrorCode::kLaunchFailed, {"fake:0", "create_stream number 2 fails"},
               [&] { const Stream stream(device); });
  const Stream stream(device);
  stream.synchronize();
}

TEST(FakeFailure, CreateTheFirstStream) {
  const Runtime runtime = fake_runtime({{"fake_fail_create_stream", "1"}});
  const Device device = runtime.device("fake");
  expect_error(ErrorCode::kLaunchFailed, {"create_stream number 1 fails"},
               [&] { device.default_stream(); });
  expect_works(device);
}

TEST(FakeFailure, Allocate) {
  const Runtime runtime = fake_runtime({kNoCache, {"fake_fail_allocate", "3"}});
  const Device device = runtime.device("fake");
  const Buffer first = Buffer::allocate(device, 16), second = Buffer::allocate(device, 16);
  expect_error(ErrorCode::kLaunchFailed, {"fake:0", "allocate number 3 fails"},
               [&] { static_cast<void>(Buffer::allocate(device, 16)); });
  EXPECT_EQ(device.memory().live_bytes, 32u);
  EXPECT_EQ(device.memory().live_blocks, 2u);
  expect_works(device);
}

TEST(FakeFailure, Copy) {
  const Runtime runtime = fake_runtime({{"fake_fail_copy", "2"}});
  const Device device = runtime.device("fake");
  const Buffer buffer = Buffer::allocate(device, sizeof(float));
  const float value = 3;
  copy_from_host({buffer, 0, sizeof(value)}, &value);
  expect_error(ErrorCode::kLaunchFailed, {"fake:0", "copy number 2 fails"},
               [&] { first_value(buffer); });
  EXPECT_EQ(first_value(buffer), value);
}

TEST(FakeFailure, Prepare) {
  const Runtime runtime = fake_runtime({{"fake_fail_prepare", "1"}});
  const Device device = runtime.device("fake");
  expect_error(ErrorCode::kLaunchFailed, {"fake:0", "prepare number 1 fails"},
               [&] { fill_kernel(device); });
  expect_works(device);  // a failure is not remembered as the answer 'no'
}

TEST(FakeFailure, Launch) {
  const Runtime runtime = fake_runtime({{"fake_fail_launch", "1"}});
  const Device device = runtime.device("fake");
  const Kernel kernel = fill_kernel(device);
  const Buffer buffer = Buffer::allocate(device, 16);
  expect_error(ErrorCode::kLaunchFailed, {"fake:0", "launch number 1 fails"},
               [&] { fill(kernel, device.default_stream(), buffer, 1); });
  expect_works(device);
}

TEST(FakeFailure, OutOfMemoryNamesDeviceRequestedFreeAndTotal) {
  const Runtime runtime = fake_runtime({kNoCache, {"fake_memory_bytes", "10000"}});
  const Device device = runtime.device("fake:1");
  const Buffer held = Buffer::allocate(device, 4000);
  expect_error(ErrorCode::kOutOfMemory, {"fake:1", "requested 6001", "free 6000", "total 10000"},
               [&] { static_cast<void>(Buffer::allocate(device, 6001)); });
  EXPECT_EQ(device.memory().free_bytes, 6000u);
  expect_works(device);
  const Buffer rest = Buffer::allocate(device, 6000);  // exact: all that was free
  EXPECT_EQ(device.memory().free_bytes, 0u);
}

TEST(FakeFailure, OutOfMemoryWaitsForWhatIsBeingFreed) {
  const Runtime runtime = fake_runtime({{"fake_memory_bytes", "1000"}, {"fake_delay_ms", "100"}});
  const Device device = runtime.device("fake");
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
