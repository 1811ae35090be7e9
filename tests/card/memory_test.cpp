// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cards, their memory, and the way between two of them.
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimMemory : public SimTest {};

TEST_F(SimMemory, EnumerationOpensNothing) {
  const Runtime runtime(options());
  const std::vector<Device> devices = runtime.devices();
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].name() + " " + devices[1].name() + " " + devices[2].name(),
            "cpu:0 cuda:0 cuda:1");
  const DeviceProperties& properties = runtime.device("cuda:1").properties();
  EXPECT_EQ(properties.name, "Simulated card 1");
  EXPECT_EQ(properties.pci_address, "0000:5a:01.0");
  EXPECT_EQ(properties.memory_total_bytes, std::size_t{1} << 30);
  EXPECT_FALSE(properties.host_addressable);
  EXPECT_EQ(counters().contexts, 0u);
}

TEST_F(SimMemory, AllocationsAreTheDrivers) {
  const Runtime runtime(options());
  const Device device = runtime.device("cuda:1");
  const std::size_t before = device.memory().free_bytes;
  const Buffer buffer = Buffer::allocate(device, 1000);
  const Buffer pinned = Buffer::allocate(device, 1000, MemoryKind::kPinned);
  EXPECT_EQ(counters().contexts, 1u);  // cuda:0 was not used
  EXPECT_EQ(counters().allocations, 1u);
  EXPECT_EQ(counters().host_allocations, 1u);
  EXPECT_LE(device.memory().free_bytes, before - 1000);
}

void expect_refused(const Device& device, std::size_t size_bytes, const std::string& text) {
  const DeviceMemory before = device.memory();
  try {
    (void)Buffer::allocate(device, size_bytes);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kOutOfMemory));
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
  EXPECT_EQ(device.memory().live_bytes, before.live_bytes);
}

TEST_F(SimMemory, RefusedByTheDriver) {
  set("MEMORY_BYTES", "1048576");
  const Runtime runtime(options());
  const Device device = runtime.device("cuda:0");
  const Buffer kept = Buffer::allocate(device, 600'000);
  expect_refused(device, 600'000,
                 "cuMemAlloc_v2 of 600000 bytes: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_TRUE(static_cast<bool>(Buffer::allocate(device, 400'000)));
  EXPECT_TRUE(static_cast<bool>(Buffer::allocate(runtime.device("cuda:1"), 600'000)));
}

TEST_F(SimMemory, RefusedOnceIsAskedAgain) {
  set("FAIL_ALLOCATION", "2");
  const Runtime runtime(options({{"memory_cache", "off"}}));
  const Device device = runtime.device("cuda:0");
  const Buffer first = Buffer::allocate(device, 4096), second = Buffer::allocate(device, 4096);
  EXPECT_EQ(counters().allocations, 2u);
  EXPECT_EQ(device.memory().live_bytes, 8192u);
}

TEST_F(SimMemory, MoreThanThereIs) {
  set("MEMORY_BYTES", "1048576");
  const Runtime runtime(options());
  expect_refused(runtime.device("cuda:0"), 2 << 20,
                 "2097152 bytes asked for, the device has 1048576");
}

void expect_copied(const Device& from, const Device& to) {
  const std::vector<float> values = {1, 2, 3, 4, 5};
  const Tensor here = from_host(values, {5}, from);
  EXPECT_EQ(here.to(to).to_vector<float>(), values) << from.name() << " to " << to.name();
}

TEST_F(SimMemory, CopiesGoFromCardToCard) {
  const Runtime runtime(options());
  expect_copied(runtime.device("cuda:0"), runtime.device("cuda:1"));
  expect_copied(runtime.device("cuda:0"), runtime.device("cuda:1"));
  EXPECT_EQ(counters().peer_accesses, 1u);  // enabled once
  EXPECT_EQ(runtime.ledger().total("cuda:0", "cuda:1").copies, 2u);
}

TEST_F(SimMemory, CopiesBetweenCardsThatAreApart) {
  set("PEER", "0");
  const Runtime runtime(options());
  EXPECT_FALSE(runtime.device("cuda:0").properties().peer_access);
  expect_copied(runtime.device("cuda:0"), runtime.device("cuda:1"));
  EXPECT_EQ(counters().peer_accesses, 0u);
}

TEST_F(SimMemory, TwoRuntimesShareTheContext) {
  const Runtime one(options());
  const Buffer first = Buffer::allocate(one.device("cuda:0"), 64);
  {
    const Runtime two(options());
    const Buffer second = Buffer::allocate(two.device("cuda:0"), 64);
    EXPECT_EQ(counters().contexts, 2u);
  }
  EXPECT_EQ(counters().contexts, 1u);
  std::vector<char> bytes(64, 'x'), got(64);
  copy_from_host({first, 0, 64}, bytes.data());
  copy_to_host(got.data(), {first, 0, 64});
  EXPECT_EQ(bytes, got);
}

}  // namespace
}  // namespace patchbay::sim_test
