// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Cards, their memory, and the way between two of them.
#include <filesystem>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimMemory : public SimTest {};

// How many contexts a device retains.
constexpr std::uint64_t kContexts = sim::kHasContexts ? 1 : 0;

TEST_F(SimMemory, EnumerationOpensNothing) {
  const Runtime runtime(options());
  const std::vector<Device> devices = runtime.devices();
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].name() + " " + devices[1].name() + " " + devices[2].name(),
            "cpu:0 " + kNames.device(0) + " " + kNames.device(1));
  const DeviceProperties& properties = runtime.device(kNames.device(1)).properties();
  EXPECT_EQ(properties.name, "Simulated card 1");
  EXPECT_EQ(properties.pci_address, sim::kHasContexts ? "0000:5a:01.0" : "0000:c1:01.0");
  EXPECT_EQ(properties.architecture, sim::kHasContexts ? "sm_80" : "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(properties.l2_cache_bytes, std::uint64_t{4} << 20);
  EXPECT_EQ(properties.shared_memory_bytes, std::uint64_t{48} << 10);
  EXPECT_EQ(properties.clock_khz, 1'500'000u);
  EXPECT_EQ(properties.memory_clock_khz, 2'000'000u);
  EXPECT_EQ(properties.memory_total_bytes, std::size_t{1} << 30);
  EXPECT_FALSE(properties.host_addressable);
  EXPECT_EQ(counters().contexts, 0u);
}

TEST_F(SimMemory, AllocationsAreTheDrivers) {
  const Device device = Runtime(options()).device(kNames.device(1));
  const std::size_t before = device.memory().free_bytes;  // opens nothing
  const Buffer buffer = Buffer::allocate(device, 1000);
  const Buffer pinned = Buffer::allocate(device, 1000, MemoryKind::kPinned);
  EXPECT_EQ(counters().contexts, kContexts);  // the other card is not used
  EXPECT_EQ(counters().allocations, 1u);
  EXPECT_EQ(counters().host_allocations, 1u);
  EXPECT_LE(device.memory().free_bytes, before - 1000);
}

/// The library for the management of cards knows the memory without a context.
TEST_F(SimMemory, IsKnownBeforeTheDeviceIsOpen) {
  const Runtime runtime(options());
  const Device device = runtime.device(kNames.device(1)), other = runtime.device(kNames.device(0));
  EXPECT_EQ(device.memory().free_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(device.memory().total_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(device.memory().live_bytes, 0u);
  EXPECT_EQ(counters().contexts, 0u);
  {
    const Runtime user(options());
    const Buffer taken = Buffer::allocate(user.device(kNames.device(1)), 1 << 20);
    EXPECT_LE(device.memory().free_bytes, (std::uint64_t{1} << 30) - (1 << 20));
    EXPECT_EQ(other.memory().free_bytes, std::uint64_t{1} << 30);
    EXPECT_EQ(counters().contexts, kContexts);
  }
  EXPECT_EQ(device.memory().free_bytes, std::uint64_t{1} << 30);
}

TEST_F(SimMemory, IsKnownWithoutThatLibraryToo) {
  const Device device =
      Runtime(options({{kNames.setting("management_library"), "/nowhere/libmanager.so"}}))
          .device(kNames.device(0));
  EXPECT_EQ(device.memory().total_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(counters().contexts, kContexts);  // the device had to be opened
}

void expect_refused(const Device& device, std::size_t size_bytes, const std::string& text) {
  const DeviceMemory before = device.memory();
  EXPECT_ERROR(Buffer::allocate(device, size_bytes), ErrorCode::kOutOfMemory, text);
  EXPECT_EQ(device.memory().live_bytes, before.live_bytes);
}

TEST_F(SimMemory, RefusedByTheDriver) {
  set("MEMORY_BYTES", "1048576");
  const Device device = new_card();
  const Buffer kept = Buffer::allocate(device, 600'000);
  expect_refused(device, 600'000,
                 kSymbols.memory_allocate +
                     (" of 600000 bytes: " + error_name(card::kErrorOutOfMemory)) +
                     " (out of memory)");
  EXPECT_TRUE(static_cast<bool>(Buffer::allocate(device, 400'000)));
  EXPECT_TRUE(
      static_cast<bool>(Buffer::allocate(device.runtime().device(kNames.device(1)), 600'000)));
}

TEST_F(SimMemory, RefusedOnceIsAskedAgain) {
  set("FAIL_ALLOCATION", "2");
  const Device device = new_card({{"memory_cache", "off"}});
  const Buffer first = Buffer::allocate(device, 4096), second = Buffer::allocate(device, 4096);
  EXPECT_EQ(counters().allocations, 2u);
  EXPECT_EQ(device.memory().live_bytes, 8192u);
}

TEST_F(SimMemory, MoreThanThereIs) {
  set("MEMORY_BYTES", "1048576");
  const Runtime runtime(options());
  expect_refused(runtime.device(kNames.device(0)), 2 << 20,
                 "2097152 bytes asked for, the device has 1048576");
}

void expect_copied(const Device& from, const Device& to) {
  const std::vector<float> values = {1, 2, 3, 4, 5};
  const Tensor here = from_host(values, {5}, from);
  EXPECT_EQ(here.to(to).to_vector<float>(), values) << from.name() << " to " << to.name();
}

TEST_F(SimMemory, CopiesGoFromCardToCard) {
  const Runtime runtime(options());
  expect_copied(runtime.device(kNames.device(0)), runtime.device(kNames.device(1)));
  expect_copied(runtime.device(kNames.device(0)), runtime.device(kNames.device(1)));
  EXPECT_EQ(counters().peer_accesses, 1u);  // enabled once
  EXPECT_EQ(runtime.ledger().total(kNames.device(0), kNames.device(1)).copies, 2u);
}

/// Access ends with the contexts, and is enabled anew for those that are opened later.
TEST_F(SimMemory, CardsThatAreOpenedAgainReachEachOther) {
  Runtime runtime(options());
  for (int i = 0; i < 2; ++i) {
    expect_copied(runtime.device(kNames.device(0)), runtime.device(kNames.device(1)));
    EXPECT_EQ(counters().peer_accesses, 1u);  // since the driver was initialised
    std::filesystem::path file;
    for (const PluginInfo& plugin : runtime.plugins()) {
      if (plugin.name == kNames.plugin) file = plugin.path;
    }
    runtime.unload(kNames.plugin);
    (void)runtime.load(file);
  }
}

TEST_F(SimMemory, CopiesBetweenCardsThatAreApart) {
  set("PEER", "0");
  const Runtime runtime(options());
  EXPECT_FALSE(runtime.device(kNames.device(0)).properties().peer_access);
  expect_copied(runtime.device(kNames.device(0)), runtime.device(kNames.device(1)));
  EXPECT_EQ(counters().peer_accesses, 0u);
}

TEST_F(SimMemory, TwoRuntimesShareTheContext) {
  const Runtime one(options());
  const Buffer first = Buffer::allocate(one.device(kNames.device(0)), 64);
  {
    const Runtime two(options());
    const Buffer second = Buffer::allocate(two.device(kNames.device(0)), 64);
    EXPECT_EQ(counters().contexts, 2 * kContexts);
  }
  EXPECT_EQ(counters().contexts, kContexts);
  std::vector<char> bytes(64, 'x'), got(64);
  copy_from_host({first, 0, 64}, bytes.data());
  copy_to_host(got.data(), {first, 0, 64});
  EXPECT_EQ(bytes, got);
}

}  // namespace
}  // namespace patchbay::sim_test
