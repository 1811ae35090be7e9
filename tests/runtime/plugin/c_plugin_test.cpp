// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin can be plain C.
#include "support/kernels.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

Runtime plain_c_runtime() { return Runtime(only_fixture("plain-c")); }

TEST(CPlugin, IsLoaded) {
  const Runtime runtime = plain_c_runtime();
  expect_plain_c_works(runtime);
  const Device device = runtime.device("plainc:0");
  EXPECT_EQ(device.kind(), DeviceKind::kCpu);
  EXPECT_EQ(device.properties().name, "Plain C");
  EXPECT_TRUE(device.properties().host_addressable);
  EXPECT_EQ(device.memory().total_bytes, std::uint64_t{1} << 20);
}

TEST(CPlugin, RunsAKernel) {
  const Device device = plain_c_runtime().device("plainc");
  const Kernel fill = Kernel::prepare(device, test::fill_spec());
  const Buffer buffer = Buffer::allocate(device, 6 * sizeof(float));
  const std::array<Argument, 2> arguments = {
      Argument::tensor(buffer, DType::f32, {2, 3}, Access::kWrite), Argument::scalar(2.5f)};
  fill.launch(device.default_stream(), arguments);
  std::vector<float> values(6);
  copy_to_host(values.data(), {buffer, 0, 6 * sizeof(float)});
  EXPECT_EQ(values, std::vector<float>(6, 2.5f));
}

TEST(CPlugin, HasNoHandlesAndTakesNoContext) {
  const Device device = plain_c_runtime().device("plainc");
  EXPECT_ERROR(adopt_context(device, 64), kUnsupported,
               "[adopt_context] the plugin 'plain-c' takes no context of the application's "
               "(plainc:0). Leave it out, and the device opens in a context of its own.");
  EXPECT_ERROR(native_handle(device), kUnsupported,
               "[native_handle] this plugin does not implement plugin.native_handle (plainc:0)");
  EXPECT_ERROR(wrap_buffer(device, 64, 4), kUnsupported,
               "[wrap_buffer] this plugin does not implement memory.wrap (plainc:0)");
}

TEST(CPlugin, HasNoUnifiedMemory) {
  const Device device = plain_c_runtime().device("plainc");
  EXPECT_FALSE(device.properties().unified_buffers);
  EXPECT_ERROR(Buffer::allocate(device, 64, MemoryKind::kUnified), kUnsupported,
               "[allocate] plainc:0 has no unified memory: expected a device whose properties say "
               "unified_buffers. Allocate device memory, and copy.");
}

/// It refuses flags that it does not know.
TEST(CPlugin, IsNotAskedForPriorities) {
  const Device device = plain_c_runtime().device("plainc");
  EXPECT_FALSE(device.properties().stream_priorities);
  for (const StreamPriority priority : {StreamPriority::kLow, StreamPriority::kHigh}) {
    Stream(device, {.priority = priority}).synchronize();
  }
  const StreamOptions unknown{.priority = static_cast<StreamPriority>(7)};
  EXPECT_INVALID(Stream(device, unknown),
                 "[Stream] no such priority: expected one of the enum StreamPriority, got 7");
}

TEST(CPlugin, RefusesOtherKernelsWithAReason) {
  const Runtime runtime = plain_c_runtime();
  EXPECT_HAS(why_unsupported(runtime.device("plainc"), test::kernel_spec("add.1", DType::f32, 0)),
             "fill.1");
}

TEST(CPlugin, OperationsThatItLacksAreRefusedByName) {
  const Runtime runtime = plain_c_runtime();
  const Tensor t = ones({2}, runtime.device("plainc"));
  EXPECT_ERROR(add(t, t), kUnsupported, "add.1(f32, f32, f32)");
  EXPECT_ERROR(add(t, t), kUnsupported, "plainc:0");
  EXPECT_EQ(t.to_vector<float>(), std::vector<float>(2, 1));
}

TEST(CPlugin, ReportsOutOfMemory) {
  const Runtime runtime = plain_c_runtime();
  EXPECT_ERROR(Buffer::allocate(runtime.device("plainc"), 2 << 20), kOutOfMemory, "plainc:0");
}

// ------------------------------------------------------------------
// The skeleton to clone loads, is listed, and says what it lacks.

Runtime null_runtime() { return Runtime(only_fixture("null")); }

TEST(NullPlugin, IsLoadedAndListed) {
  const Runtime runtime = null_runtime();
  EXPECT_EQ(plugin_info(runtime, "null").status, PluginStatus::kLoaded);
  ASSERT_EQ(runtime.num_gpus(), 1);
  EXPECT_EQ(runtime.device("null").properties().name, "null");
  EXPECT_EQ(runtime.device("null").properties().memory_total_bytes, 0u);
}

TEST(NullPlugin, SaysWhatIsNotImplemented) {
  const Device device = null_runtime().device("null");
  EXPECT_ERROR(Buffer::allocate(device, 16), kUnsupported, "allocate: not implemented");
  EXPECT_HAS(why_unsupported(device, test::kernel_spec("add.1", DType::f32, 2)),
             "operator add.1: not implemented");
}

}  // namespace
}  // namespace patchbay::faults
