// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The fake device through the public interface: it behaves like an accelerator in another box.
#include <patchbay/plugin/types.h>

#include "core/runtime/memory/buffer_state.h"
#include "support/attempts.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Buffer filled(const Device& device, const std::vector<int>& values) {
  const std::size_t bytes = values.size() * sizeof(int);
  const Buffer buffer = Buffer::allocate(device, bytes);
  copy_from_host({buffer, 0, bytes}, values.data());
  return buffer;
}

std::vector<int> contents(const Buffer& buffer) {
  std::vector<int> values(buffer.size_bytes() / sizeof(int));
  copy_to_host(values.data(), {buffer, 0, buffer.size_bytes()});
  return values;
}

TEST(FakeDevice, Properties) {
  const Runtime runtime = fake_runtime({{"fake_devices", "3"}, {"fake_memory_bytes", "4096"}});
  ASSERT_EQ(runtime.num_gpus(), 3);
  const DeviceProperties first = runtime.device("fake").properties();
  const DeviceProperties last = runtime.device("fake:2").properties();
  EXPECT_EQ(first.kind, DeviceKind::kAccelerator);
  EXPECT_FALSE(first.host_addressable);
  EXPECT_FALSE(first.completes_inline);
  EXPECT_TRUE(first.peer_access);
  EXPECT_TRUE(first.f64);
  EXPECT_EQ(first.memory_total_bytes, 4096u);
  EXPECT_NE(first.uuid, last.uuid);
  EXPECT_NE(first.pci_address, last.pci_address);
}

// Two plugins that see one card: it is one accelerator, and has a name under each.
TEST(FakeDevice, TheSameCardOfAnotherPluginCountsOnce) {
  RuntimeOptions options = only({});
  options.plugin_files = {fixture_path("fake"), fixture_path("twin-card")};
  const Runtime runtime(options);
  ASSERT_EQ(runtime.devices().size(), 3u);
  EXPECT_EQ(runtime.num_gpus(), 2);
  EXPECT_EQ(runtime.device("gpu:1").name(), "fake:1");
  EXPECT_EQ(runtime.device("twincard:0").kind(), DeviceKind::kAccelerator);
  std::swap(options.plugin_files[0], options.plugin_files[1]);
  const Runtime swapped(options);
  EXPECT_EQ(swapped.num_gpus(), 2);
  EXPECT_EQ(swapped.device("gpu:0").name(), "twincard:0");
  EXPECT_EQ(swapped.device("gpu:1").name(), "fake:0");
  EXPECT_EQ(swapped.device("fake:1").kind(), DeviceKind::kAccelerator);
}

/// The published address of device memory, which only a plugin may use.
volatile char* published_address(const Buffer& buffer) {
  return static_cast<volatile char*>(buffer.state()->memory.base);
}

TEST(FakeDeviceDeathTest, HostReadOfDeviceMemoryFaults) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Runtime runtime = fake_runtime();
  const Buffer buffer = filled(runtime.device("fake"), {1, 2, 3});
  EXPECT_DEATH(static_cast<void>(*published_address(buffer)), "");
}

TEST(FakeDeviceDeathTest, HostWriteOfDeviceMemoryFaults) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Runtime runtime = fake_runtime();
  const Buffer buffer = filled(runtime.device("fake"), {1, 2, 3});
  EXPECT_DEATH(*published_address(buffer) = 1, "");
}

KernelSpec add_spec(DType dtype) {
  return {"add.1",
          {ArgumentSpec::tensor(dtype, Access::kWrite), ArgumentSpec::tensor(dtype, Access::kRead),
           ArgumentSpec::scalar(dtype)},
          {}};
}

/// Adds 1 to `values` on the device.
std::vector<int> add_one(const Device& device, const std::vector<int>& values) {
  const Kernel add = Kernel::prepare(device, add_spec(DType::i32));
  const Shape shape{static_cast<std::int64_t>(values.size())};
  const Buffer in = filled(device, values), out = Buffer::allocate(device, in.size_bytes());
  add.launch(device.default_stream(),
             std::array{Argument::tensor(out, DType::i32, shape, Access::kWrite),
                        Argument::tensor(in, DType::i32, shape, Access::kRead),
                        Argument::scalar(std::int32_t{1})});
  device.synchronize();
  return contents(out);
}

TEST(FakeDevice, RunsKernelsWithAWorkspace) {
  const Device device = fake_runtime({{"fake_workspace_bytes", "1000"}}).device("fake");
  EXPECT_EQ(Kernel::prepare(device, add_spec(DType::i32)).workspace_bytes(), 1000u);
  EXPECT_EQ(add_one(device, {1, 2}), (std::vector<int>{2, 3}));
}

TEST(FakeDevice, NeedsACompilerForItsKernels) {
  const Runtime runtime = fake_runtime({{"kernel_compiler", "/no/such/c++"}});
  EXPECT_ERROR(add_one(runtime.device("fake"), {1}), kUnsupported,
               "there is no program '/no/such/c++'");
}

TEST(FakeDevice, RefusesUnknownOperatorsAndDtypes) {
  const Device device = fake_runtime({{"fake_f64", "0"}}).device("fake");
  EXPECT_FALSE(device.properties().f64);
  EXPECT_EQ(why_unsupported(device, add_spec(DType::f32)), "");
  EXPECT_HAS(why_unsupported(device, add_spec(DType::f64)), "f64");
  KernelSpec power = add_spec(DType::i32);
  power.op = "pow.1";
  EXPECT_HAS(why_unsupported(device, power),
             "pow.1: not defined for i32: expected one of f32, f64, f16, bf16");
  KernelSpec unknown = add_spec(DType::f32);
  unknown.op = "conv2d.1";
  EXPECT_HAS(why_unsupported(device, unknown), "conv2d.1");
}

TEST(FakeDevice, StreamsWaitForEventsThatAreGone) {
  const Runtime runtime = fake_runtime({{"fake_delay_ms", "50"}});
  const Device first = runtime.device("fake:0"), second = runtime.device("fake:1");
  const Buffer a = Buffer::allocate(first, 64), b = Buffer::allocate(first, 64);
  const Stream other(second);
  const auto start = steady_clock::now();
  copy({b, 0, 64}, {a, 0, 64}, /*non_blocking=*/true);
  other.wait(first.default_stream().record());
  other.synchronize();
  EXPECT_GE(steady_clock::now() - start, milliseconds(50));
}

TEST(FakeDevice, DevicesWorkAtTheSameTime) {
  const Runtime runtime = fake_runtime({{"fake_delay_ms", "200"}});
  const Device first = runtime.device("fake:0"), second = runtime.device("fake:1");
  const Buffer a = Buffer::allocate(first, 64), b = Buffer::allocate(first, 64);
  const Buffer c = Buffer::allocate(second, 64), d = Buffer::allocate(second, 64);
  EXPECT_TRUE(test::returns_within(milliseconds(390), [&] {
    copy({b, 0, 64}, {a, 0, 64}, /*non_blocking=*/true);
    copy({d, 0, 64}, {c, 0, 64}, /*non_blocking=*/true);
    first.synchronize();
    second.synchronize();
  }));
}

}  // namespace
}  // namespace patchbay::faults
