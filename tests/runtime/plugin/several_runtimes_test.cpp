// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Several runtimes in a process, with the same plugin.
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/copy.h>
#include <patchbay/error.h>

#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

TEST(SeveralRuntimes, EachHasItsOwnDevices) {
  const Runtime two = fake_runtime(), three = fake_runtime({{"fake_devices", "3"}});
  EXPECT_EQ(two.num_gpus(), 2);
  EXPECT_EQ(three.num_gpus(), 3);
  EXPECT_NE(two.device("fake"), three.device("fake"));
}

TEST(SeveralRuntimes, EachCountsForItself) {
  const Runtime first = fake_runtime({{"fake_fail_allocate", "2"}, {"memory_cache", "off"}}),
                second = fake_runtime();
  const Device failing = first.device("fake"), fine = second.device("fake");
  const Buffer a = Buffer::allocate(failing, 16), b = Buffer::allocate(fine, 16);
  EXPECT_THROW(static_cast<void>(Buffer::allocate(failing, 16)), Error);
  const Buffer c = Buffer::allocate(fine, 16);
  EXPECT_EQ(fine.memory().live_bytes, 32u);
  EXPECT_EQ(failing.memory().live_bytes, 16u);
}

TEST(SeveralRuntimes, DoNotMix) {
  const Runtime first = fake_runtime(), second = fake_runtime();
  const Buffer a = Buffer::allocate(first.device("fake"), 16);
  const Buffer b = Buffer::allocate(second.device("fake"), 16);
  EXPECT_THROW(copy({a, 0, 16}, {b, 0, 16}), Error);
  EXPECT_THROW(static_cast<void>(plan_copy(first.device("fake"), second.device("fake"), 16)),
               Error);
}

TEST(SeveralRuntimes, ABufferKeepsItsRuntimeAlive) {
  const std::vector<int> sent = {1, 2, 3};
  Buffer buffer;
  {
    const Runtime runtime = fake_runtime();
    buffer = Buffer::allocate(runtime.device("fake"), 12);
  }
  copy_from_host({buffer, 0, 12}, sent.data());
  std::vector<int> received(3);
  copy_to_host(received.data(), {buffer, 0, 12});
  EXPECT_EQ(received, sent);
}

TEST(SeveralRuntimes, OneAfterTheOther) {
  for (int i = 0; i < 20; ++i) {
    const Runtime runtime = fake_runtime();
    const Buffer buffer = Buffer::allocate(runtime.device("fake"), 16);
    runtime.device("fake").synchronize();
  }
}

}  // namespace
}  // namespace patchbay::faults
