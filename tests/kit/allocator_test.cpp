// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The memory of the default device.
#include "kit/device/allocator.hpp"

#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using patchbay::device::BlockAllocator;
using patchbay::plugin::Memory;
using patchbay::plugin::StatusError;

constexpr std::uint64_t kTotalBytes = 4096;

template <class Call>
void expect_error(std::int32_t code, const std::string& message, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "expected '" << message << "'";
  } catch (const StatusError& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.what(), message);
  }
}

TEST(BlockAllocator, BaseIsTheAddressWhereTheHostMayTouchIt) {
  BlockAllocator memory(kTotalBytes, true);
  const Memory block = memory.allocate(PATCHBAY_MEMORY_DEVICE, 64, 1);
  EXPECT_EQ(memory.resolve(block, 64), block.base);
  std::memset(block.base, 1, 64);
  memory.release(PATCHBAY_MEMORY_DEVICE, block);
}

TEST(BlockAllocator, BaseIsNoAddressWhereTheHostMayNot) {
  BlockAllocator memory(kTotalBytes, false);
  const Memory block = memory.allocate(PATCHBAY_MEMORY_DEVICE, 64, 1);
  std::byte* const bytes = memory.resolve({block.base, 16}, 48);
  EXPECT_NE(bytes - 16, block.base);
  std::memset(bytes, 1, 48);
  EXPECT_DEATH(std::memset(block.base, 1, 1), "");
  memory.release(PATCHBAY_MEMORY_DEVICE, block);

  const Memory pinned = memory.allocate(PATCHBAY_MEMORY_PINNED, 64, 1);
  EXPECT_EQ(memory.resolve(pinned, 64), pinned.base);
  memory.release(PATCHBAY_MEMORY_PINNED, pinned);
}

TEST(BlockAllocator, CountsDeviceMemoryAlone) {
  BlockAllocator memory(kTotalBytes, true);
  const Memory pinned = memory.allocate(PATCHBAY_MEMORY_PINNED, 2 * kTotalBytes, 1);
  EXPECT_EQ(memory.info().free_bytes, kTotalBytes);
  const Memory block = memory.allocate(PATCHBAY_MEMORY_DEVICE, 4000, 1);
  EXPECT_EQ(memory.info().free_bytes, 96U);
  expect_error(PATCHBAY_OUT_OF_MEMORY, "no room for 97 bytes: 96 of 4096 bytes are free",
               [&] { return memory.allocate(PATCHBAY_MEMORY_DEVICE, 97, 1); });
  memory.release(PATCHBAY_MEMORY_DEVICE, block);
  memory.release(PATCHBAY_MEMORY_PINNED, pinned);
  EXPECT_EQ(memory.info().free_bytes, kTotalBytes);
  EXPECT_EQ(memory.info().total_bytes, kTotalBytes);
}

TEST(BlockAllocator, RefusesWhatIsNotInsideOneOfItsBlocks) {
  BlockAllocator memory(kTotalBytes, true);
  const Memory block = memory.allocate(PATCHBAY_MEMORY_DEVICE, 64, 1);
  EXPECT_EQ(memory.resolve(block, 0), nullptr);
  expect_error(PATCHBAY_INVALID_ARGUMENT, "33 bytes at offset 32 of a block of 64 bytes", [&] {
    return memory.resolve({block.base, 32}, 33);
  });
  expect_error(PATCHBAY_INVALID_ARGUMENT, "1 bytes at offset 65 of a block of 64 bytes", [&] {
    return memory.resolve({block.base, 65}, 1);
  });
  memory.release(PATCHBAY_MEMORY_DEVICE, block);
  expect_error(PATCHBAY_INVALID_ARGUMENT, "memory that is not of this device, or was given back",
               [&] { return memory.resolve(block, 1); });
}

TEST(BlockAllocator, AlignsAndRefusesWhatIsNoAlignment) {
  BlockAllocator memory(1 << 20, true);
  const Memory block = memory.allocate(PATCHBAY_MEMORY_DEVICE, 10, 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.base) % 4096, 0U);
  memory.release(PATCHBAY_MEMORY_DEVICE, block);
  expect_error(PATCHBAY_INVALID_ARGUMENT, "an alignment of 300 bytes: expected a power of two",
               [&] { return memory.allocate(PATCHBAY_MEMORY_DEVICE, 10, 300); });
  expect_error(PATCHBAY_UNSUPPORTED, "memory of kind 9", [&] { return memory.allocate(9, 10, 1); });
}

}  // namespace
