// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Memory that there is not enough of.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "loaders.h"
#include "support/kernels.h"
#include "support/private_mounts.h"

namespace patchbay::opencl_test {
namespace {

void expect_out_of_memory(const Device& device, std::size_t size, const std::string& text) {
  const DeviceMemory before = device.memory();
  EXPECT_ERROR(Buffer::allocate(device, size), ErrorCode::kOutOfMemory, text);
  EXPECT_EQ(device.memory().live_bytes, before.live_bytes);
}

TEST(OpenclMemory, LargestAllocationIsNamed) {
  PATCHBAY_OPENCL_DEVICE(device, runtime_on(""));
  expect_out_of_memory(device, std::size_t{1} << 45, "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
}

TEST(OpenclMemory, RefusedByTheDriver) {
  PATCHBAY_OPENCL_DEVICE(device, lying_runtime("no-memory"));
  expect_out_of_memory(device, std::size_t{1} << 21, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
}

/// Shows the memory of opencl:0 in a process whose control group has a limit of 300 MiB, of which
/// 100 are used: the kernel's files are replaced for this process.
[[noreturn]] void show_limited_memory() {
  namespace fs = std::filesystem;
  if (!test::leave_mounts()) std::exit(2);
  const test::SmallDisk groups("/sys/fs/cgroup", 1024);
  if (!groups.is_mounted()) std::exit(3);
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const bool is_v2 = line.starts_with("0::"), is_v1 = line.find(":memory:") != std::string::npos;
    if (!is_v2 && !is_v1) continue;
    const fs::path folder = (is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory") +
                            line.substr(line.find_last_of(':') + 1);
    fs::create_directories(folder);
    std::ofstream(folder / (is_v2 ? "memory.max" : "memory.limit_in_bytes")) << (300 << 20);
    std::ofstream(folder / (is_v2 ? "memory.current" : "memory.usage_in_bytes")) << (100 << 20);
  }
  const Device device = runtime_on("").device("opencl");
  const DeviceMemory memory = device.memory();
  std::cerr << device.properties().memory_total_bytes / 1048576 << ' '
            << memory.total_bytes / 1048576 << ' ' << memory.free_bytes / 1048576 << '\n';
  try {
    (void)Buffer::allocate(device, std::size_t{250} << 20);
  } catch (const Error& error) {
    std::cerr << to_string(error.code()) << '\n';
  }
  std::exit(0);
}

/// PoCL itself reports the machine's memory.
TEST(OpenclMemory, IsAtMostThatOfTheControlGroup) {
  PATCHBAY_NEED_OPENCL(runtime_on(""));
  if (!test::may_mount()) GTEST_SKIP() << "mounts are not allowed here";
  if (!runtime_on("").device("opencl").properties().unified_memory) {
    GTEST_SKIP() << "the device has memory of its own";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(show_limited_memory(), testing::ExitedWithCode(0), "300 300 200\nout_of_memory");
}

TEST(OpenclMemory, PinnedMemoryComesBack) {
  PATCHBAY_OPENCL_DEVICE(device, runtime_on(""));
  for (int i = 0; i < 20; ++i) {
    const Buffer pinned = Buffer::allocate(device, std::size_t{1} << 20, MemoryKind::kPinned);
    static_cast<char*>(pinned.host_pointer())[i] = 'x';
  }
  EXPECT_EQ(device.memory().live_bytes, 0u);
}

/// It is mapped for the host all the time, and no kernel may use mapped memory.
TEST(OpenclMemory, PinnedMemoryIsNoArgument) {
  PATCHBAY_OPENCL_DEVICE(device, runtime_on(""));
  const Buffer pinned = Buffer::allocate(device, 64, MemoryKind::kPinned);
  const Argument out = Argument::tensor(pinned, DType::f32, {16}, Access::kWrite);
  const Kernel fill = Kernel::prepare(device, test::fill_spec());
  EXPECT_ERROR(fill.launch(device.default_stream(), std::vector{out, Argument::scalar(1.0f)}),
               ErrorCode::kUnsupported, "");
}

}  // namespace
}  // namespace patchbay::opencl_test
