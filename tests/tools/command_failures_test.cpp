// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Devices that can't be opened, beside others.
#include "tools/process.h"

namespace patchbay::tests {
namespace {

/// With the fake plugin and one that opens none of its devices.
Finished beside_null(std::vector<std::string> words) {
  const std::string null =
      test::built_path("tests/runtime/plugin/fixtures/patchbay-null-device.so");
  words.insert(words.end(), {"--plugin", fake_plugin(), "--plugin", null});
  return run_command(words);
}

constexpr const char* kBroken = "nulldevice:0";

void expect_failure(const Finished& finished, const std::string& sound) {
  EXPECT_EQ(finished.exit_status, 1);
  EXPECT_HAS(finished.out, sound);
  EXPECT_EQ(finished.err.rfind("patchbay: ", 0), 0u) << finished.err;
  EXPECT_HAS(finished.err, kBroken);
  EXPECT_EQ(finished.err.find('\n'), finished.err.size() - 1) << finished.err;
}

TEST(DeviceFailure, LeavesTheMemoryOfOthers) {
  expect_failure(beside_null({"memory"}), "fake:1    pinned");
  const auto json = beside_null({"memory", "--json"}).exits(1).json();
  EXPECT_EQ(json["memory"][0]["kind"], "device");
  ASSERT_EQ(json["errors"].size(), 1u) << json;
  EXPECT_HAS(json["errors"][0].get<std::string>(), kBroken) << json;
}

TEST(DeviceFailure, LeavesTheListOfDevices) {
  expect_failure(beside_null({"devices", "--memory"}), "fake:1");
  const auto json = beside_null({"devices", "--memory", "--json"}).exits(1).json();
  bool is_listed = false;
  for (const auto& device : json["devices"]) {
    const bool is_null = device["name"] == "nulldevice:0";
    is_listed = is_listed || is_null;
    EXPECT_NE(device.contains("memory_free_bytes"), is_null) << device;
  }
  EXPECT_TRUE(is_listed);
  EXPECT_EQ(json["errors"].size(), 1u) << json;
}

TEST(DeviceFailure, LeavesTheOperatorsOfOthers) {
  expect_failure(beside_null({"ops"}), "fake:0");
  const auto json = beside_null({"ops", "--json"}).json();
  EXPECT_TRUE(json["operators"][0]["devices"].contains("fake:0"));
  EXPECT_FALSE(json["operators"][0]["devices"].contains("nulldevice:0"));
  EXPECT_EQ(json["errors"].size(), 1u) << json;
}

TEST(DeviceFailure, OfTheOneThatWasAskedForIsTheOnlyAnswer) {
  for (const char* command : {"memory", "ops"}) {
    const Finished finished = beside_null({command, "--device", "nulldevice:0"}).exits(1);
    EXPECT_EQ(finished.out, "") << command;
    EXPECT_HAS(finished.err, kBroken);
  }
}

}  // namespace
}  // namespace patchbay::tests
