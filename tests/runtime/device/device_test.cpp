// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Names of devices, and what devices tell of themselves.
#include <unordered_set>

#include "support/runtime_fixture.h"

namespace patchbay {
namespace {

TEST(DeviceName, ParsesBackendAndIndex) {
  EXPECT_EQ(DeviceName::parse("cpu"), (DeviceName{"cpu", 0}));
  EXPECT_EQ(DeviceName::parse("cpu:0"), DeviceName::parse("cpu"));
  EXPECT_EQ(DeviceName::parse("my_npu2:255"), (DeviceName{"my_npu2", 255}));
}

TEST(DeviceName, PrintsWhatItParses) {
  for (const char* text : {"cpu:0", "fake:7", "a_1:255"}) {
    EXPECT_EQ(DeviceName::parse(text).to_string(), text);
  }
}

struct BadName {
  const char* text;
  const char* why;
};
class DeviceNameError : public testing::TestWithParam<BadName> {};

TEST_P(DeviceNameError, QuotesTheTextSaysWhyAndShowsAValidOne) {
  EXPECT_INVALID(DeviceName::parse(GetParam().text), std::string("'") + GetParam().text + "'",
                 GetParam().why, "'cpu:0'");
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceNameError,
    testing::Values(BadName{"", "it is empty"}, BadName{":0", "a backend before ':'"},
                    BadName{"cpu:", "there is no index after ':'"},
                    BadName{"cpu:x", "decimal index"}, BadName{"cpu:-1", "decimal index"},
                    BadName{"cpu:+1", "decimal index"}, BadName{"cpu: 1", "decimal index"},
                    BadName{"cpu:1:2", "decimal index"}, BadName{"cpu:00", "leading zeros"},
                    BadName{"cpu:01", "leading zeros"}, BadName{"cpu:256", "0 to 255"},
                    BadName{"cpu:99999999999999999999", "0 to 255"}, BadName{"CPU:0", "lower-case"},
                    BadName{"1cpu", "begins with"}, BadName{"_cpu", "begins with"},
                    BadName{"c-pu", "lower-case letters, digits"},
                    BadName{"cpu 0", "lower-case letters, digits"}));

TEST(DeviceName, ControlCharactersStayOutOfTheMessage) {
  EXPECT_INVALID(DeviceName::parse("cpu\n:0"), "cpu\\x0a:0");
}

TEST(DeviceHandle, IsCanonical) {
  const Runtime runtime(test::options());
  const Device a = runtime.device("fake"), b = runtime.device("fake:0");
  EXPECT_EQ(a, b);
  EXPECT_EQ(std::hash<Device>()(a), std::hash<Device>()(b));
  EXPECT_NE(a, runtime.device("fake:1"));
  EXPECT_EQ(std::unordered_set<Device>({a, b, runtime.device("fake:1")}).size(), 2u);
  EXPECT_EQ(a.name(), "fake:0");
  EXPECT_EQ(runtime.device(a.name()), a);
}

// ------------------------------------------------------------------
// What devices tell of themselves.

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
