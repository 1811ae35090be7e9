// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is found wanting after it was opened. Each kind has a reason of its own.
#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

constexpr PluginStatus kFailed = PluginStatus::kFailed;

TEST(FailedPlugin, MissingSymbol) {
  expect_outcome("no-symbol", kFailed, {"exports no symbol patchbay_plugin_v1"});
}

TEST(FailedPlugin, MissingDependency) {
  expect_outcome("missing-dependency", kFailed, {"libpatchbay_fixture_absent.so"});
}

TEST(FailedPlugin, NullTable) {
  expect_outcome("null-table", kFailed, {"patchbay_plugin_v1 returned null"});
}

TEST(FailedPlugin, SymbolIsNoFunction) {
  expect_outcome("data-symbol", kFailed, {"its patchbay_plugin_v1 is no function"});
}

TEST(FailedPlugin, TableOfAnotherMajorVersion) {
  expect_outcome("other-major", kFailed, {"table", "77."});
}

TEST(FailedPlugin, TableNamesAnotherPlugin) {
  expect_outcome("other-name", kFailed, {"somebody-else", "other-name"});
}

TEST(FailedPlugin, TableTooShortForItsVersion) {
  expect_outcome("tiny-table", kFailed, {"plugin table is 4 bytes"});
}

TEST(FailedPlugin, TableTooShortForARequiredEntry) {
  expect_outcome("short-table", kFailed, {"plugin table", "too short", "'enumerate'"});
}

TEST(FailedPlugin, MemoryTableTooShortForARequiredEntry) {
  expect_outcome("short-memory-table", kFailed, {"memory table", "too short", "'copy_on_device'"});
}

TEST(FailedPlugin, TableThatEndsWithinAnEntry) {
  expect_outcome("split-table", kFailed,
                 {"its memory table is 60 bytes, expected a multiple of 8"});
}

TEST(FailedPlugin, RequiredTableNull) { expect_outcome("no-memory-table", kFailed, {"'memory'"}); }

TEST(FailedPlugin, RequiredEntryNull) {
  expect_outcome("no-open", kFailed, {"plugin table", "'open'"});
  expect_outcome("no-copy-to-host", kFailed, {"memory table", "'copy_to_host'"});
  expect_outcome("no-launch", kFailed, {"kernel table", "'launch'"});
}

TEST(FailedPlugin, UnknownRequiredFeature) {
  expect_outcome("unknown-feature", kFailed, {"requires the feature 'time-travel'"});
}

TEST(FailedPlugin, UnknownRequiredFeatureWithoutAName) {
  expect_outcome("nameless-feature", kFailed, {"requires a feature without a name", "bit 9"});
}

TEST(FailedPlugin, ExceptionAcrossTheBoundary) {
  expect_outcome("throwing-open", kFailed, {"open threw an exception", "thrown out of it"});
  expect_outcome("throwing-driver", kFailed, {"open failed: thrown out of it"});
  expect_outcome("throwing-enumerate", kFailed, {"enumerate threw an exc", "thrown out of it"});
  expect_outcome("throwing-feature-name", kFailed, {"feature_name threw", "thrown out of it"});
  expect_outcome("throwing-entry", kFailed, {"patchbay_plugin_v1 threw an exception"});
  // Also one that says that memory is missing.
  expect_outcome("throwing-open-bad-alloc", kFailed, {"open threw an exc", "std::bad_alloc"});
  expect_outcome("throwing-devices-bad-alloc", kFailed,
                 {"enumerate threw an exc", "std::bad_alloc"});
  expect_outcome("throwing-extension", kFailed, {"get_extension threw an exc", "std::bad_alloc"});
}

TEST(FailedPlugin, OpenFails) { expect_outcome("open-error", kFailed, {"the driver is on fire"}); }

TEST(FailedPlugin, OpenGivesNothing) { expect_outcome("open-nothing", kFailed, {"neither"}); }

TEST(FailedPlugin, EnumerationFails) {
  expect_outcome("enumerate-error", kFailed, {"enumerat", "the bus is stuck"});
}

TEST(FailedPlugin, EnumeratesWhatCanHaveNoName) {
  expect_outcome("far-index", kFailed, {"a device of index 256: expected 0 to 255"});
  expect_outcome("same-index", kFailed, {"two devices of index 0"});
}

TEST(AbsentDevice, EnumerationFindsNone) {
  expect_outcome("no-devices", PluginStatus::kNoDevice, {"no device"});
}

TEST(GoodPlugin, TablesOfALaterMinorVersion) {
  expect_outcome("later-version", PluginStatus::kLoaded, {"1 device"});
}

TEST(GoodPlugin, TablesOfAnEarlierMinorVersion) {
  expect_outcome("earlier-version", PluginStatus::kLoaded, {"1 device"});
}

TEST(GoodPlugin, RequiresThisMinorVersion) {
  expect_outcome("same-minor", PluginStatus::kLoaded, {"1 device"});
}

/// The fake plugin opened with this setting, beside the good plugin.
void expect_fake_outcome(const std::string& setting, const std::string& value, PluginStatus status,
                         const std::string& reason) {
  const TemporaryDirectory directory;
  directory.add("plain-c");
  directory.add("fake");
  RuntimeOptions options = only({directory.path()});
  options.settings[setting] = value;
  const Runtime runtime(options);
  const PluginInfo info = plugin_info(runtime, "fake");
  EXPECT_EQ(to_string(info.status), to_string(status));
  EXPECT_NE(info.reason.find(reason), std::string::npos) << info.reason;
  EXPECT_TRUE(info.devices.empty());
  EXPECT_EQ(runtime.num_gpus(), 0);
  EXPECT_NE(runtime.explain().find(info.reason), std::string::npos);
  expect_plain_c_works(runtime);
}

TEST(AbsentDevice, NoDriver) {
  expect_fake_outcome("fake_open", "no-driver", PluginStatus::kNoDriver, "libfake-driver.so.1");
}

TEST(AbsentDevice, DriverSeesNone) {
  expect_fake_outcome("fake_open", "no-device", PluginStatus::kNoDevice, "sees no device");
  expect_fake_outcome("fake_devices", "0", PluginStatus::kNoDevice, "fake_devices is 0");
}

TEST(FailedPlugin, KitTurnsExceptionsIntoStatuses) {
  expect_fake_outcome("fake_open", "throw", kFailed, "the fake driver threw an exception");
  expect_fake_outcome("fake_open", "error", kFailed, "the fake driver does not start");
  expect_fake_outcome("fake_fail_enumerate", "1", kFailed, "enumerate number 1 fails");
}

TEST(FailedPlugin, BadSetting) {
  expect_fake_outcome("fake_devices", "two", kFailed,
                      "setting fake_devices (PATCHBAY_FAKE_DEVICES): expected a number, got 'two'");
  expect_fake_outcome("fake_devices", "1000", kFailed, "expected at most 256, got '1000'");
}

}  // namespace
}  // namespace patchbay::faults
