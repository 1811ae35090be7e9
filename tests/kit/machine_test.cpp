// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The memory that a process may use, from files as the kernel writes them.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "kit/machine/memory.hpp"
#include "support/scratch_directory.h"

namespace patchbay::machine {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

/// A machine with 16 GiB, of which 8 are available.
class MachineMemory : public testing::Test {
 protected:
  MachineMemory() {
    write("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n");
  }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = root_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void expect(std::uint64_t free_mib, std::uint64_t total_mib) const {
    const MemoryState state = read_memory_state(root_.path().string());
    EXPECT_EQ(state.free_bytes / kMiB, free_mib);
    EXPECT_EQ(state.total_bytes / kMiB, total_mib);
  }

  const test::ScratchDirectory root_;
};

TEST_F(MachineMemory, WithoutGroupIsTheMachines) { expect(8192, 16384); }

TEST_F(MachineMemory, OfAGroupOfVersion2) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/memory.max", std::to_string(300 * kMiB) + "\n");
  write("sys/fs/cgroup/outer/memory.current", std::to_string(120 * kMiB) + "\n");
  expect(180, 300);
  // The page cache can be reclaimed.
  write("sys/fs/cgroup/outer/memory.stat",
        "anon 5\ninactive_file " + std::to_string(20 * kMiB) + "\n");
  expect(200, 300);
}

TEST_F(MachineMemory, OfAGroupOfVersion1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", std::to_string(300 * kMiB) + "\n");
  write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", std::to_string(400 * kMiB) + "\n");
  expect(0, 300);
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");  // no limit
  expect(8192, 16384);
}

TEST_F(MachineMemory, OfOtherControllersIsNoLimit) {
  write("proc/self/cgroup", "5:cpu,cpuacct,memoryless:/cpu\n4:hugetlb,memory:/a\n");
  write("sys/fs/cgroup/memory/cpu/memory.limit_in_bytes", std::to_string(100 * kMiB) + "\n");
  expect(8192, 16384);
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", std::to_string(300 * kMiB) + "\n");
  expect(300, 300);
}

TEST_F(MachineMemory, IsZeroWhereTheKernelDoesNotTell) {
  write("proc/meminfo", "");
  expect(0, 0);
}

}  // namespace
}  // namespace patchbay::machine
