// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What devices tell of themselves.
#include "support/runtime_fixture.h"

namespace patchbay {
namespace {

DeviceProperties card(const std::string& pci_address, std::uint8_t first_of_uuid) {
  DeviceProperties properties;
  properties.pci_address = pci_address;
  properties.uuid[0] = first_of_uuid;
  return properties;
}

TEST(PropertiesTest, TheSameCardIsKnownByItsAddress) {
  EXPECT_TRUE(is_same_hardware(card("0000:65:00.0", 1), card("0000:65:00.0", 1)));
  // Two drivers may give one card different UUIDs.
  EXPECT_TRUE(is_same_hardware(card("0000:65:00.0", 1), card("0000:65:00.0", 2)));
  EXPECT_FALSE(is_same_hardware(card("0000:65:00.0", 1), card("0000:66:00.0", 1)));
}

TEST(PropertiesTest, OrByItsUuid) {
  EXPECT_TRUE(is_same_hardware(card("", 7), card("0000:65:00.0", 7)));
  EXPECT_TRUE(is_same_hardware(card("", 7), card("", 7)));
  EXPECT_FALSE(is_same_hardware(card("", 7), card("", 8)));
}

TEST(PropertiesTest, UnknownHardwareIsNotTheSame) {
  EXPECT_FALSE(is_same_hardware(card("", 0), card("", 0)));
}

TEST(PropertiesTest, DevicesOfOneMachine) {
  const Runtime runtime(test::options());
  for (const Device& device : runtime.devices()) {
    const DeviceProperties& properties = device.properties();
    EXPECT_GE(properties.numa_node, -1) << device.name();
    if (properties.pci_address.empty()) {
      EXPECT_EQ(properties.numa_node, -1) << device.name();
    }
  }
}

}  // namespace
}  // namespace patchbay
