// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What is found wanting after it was opened. Each kind has a reason of its own.
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

constexpr PluginStatus kFailed = PluginStatus::kFailed;

TEST(FailedPlugin, EachFaultHasItsReason) {
  const std::pair<const char*, std::vector<std::string>> faults[] = {
      {"no-symbol", {"exports no symbol patchbay_plugin_v1"}},
      {"missing-dependency", {"libpatchbay_fixture_absent.so"}},
      {"null-table", {"patchbay_plugin_v1 returned null"}},
      {"data-symbol", {"its patchbay_plugin_v1 is no function"}},
      {"other-major", {"table", "77."}},
      {"other-name", {"somebody-else", "other-name"}},
      {"tiny-table", {"plugin table is 4 bytes"}},
      {"short-table", {"plugin table", "too short", "'enumerate'"}},
      {"short-memory-table", {"memory table", "too short", "'copy_on_device'"}},
      {"split-table", {"its memory table is 60 bytes, expected a multiple of 8"}},
      {"no-memory-table", {"'memory'"}},
      {"no-open", {"plugin table", "'open'"}},
      {"no-copy-to-host", {"memory table", "'copy_to_host'"}},
      {"no-launch", {"kernel table", "'launch'"}},
      {"unknown-feature", {"requires the feature 'time-travel'"}},
      {"nameless-feature", {"requires a feature without a name", "bit 9"}},
      {"throwing-open", {"open threw an exception", "thrown out of it"}},
      {"throwing-driver", {"open failed: thrown out of it"}},
      {"throwing-enumerate", {"enumerate threw an exc", "thrown out of it"}},
      {"throwing-feature-name", {"feature_name threw", "thrown out of it"}},
      {"throwing-entry", {"patchbay_plugin_v1 threw an exception"}},
      {"throwing-open-bad-alloc", {"open threw an exc", "std::bad_alloc"}},
      {"throwing-devices-bad-alloc", {"enumerate threw an exc", "std::bad_alloc"}},
      {"throwing-extension", {"get_extension threw an exc", "std::bad_alloc"}},
      {"open-error", {"the driver is on fire"}},
      {"open-nothing", {"neither"}},
      {"enumerate-error", {"enumerat", "the bus is stuck"}},
      {"far-index", {"a device of index 256: expected 0 to 255"}},
      {"same-index", {"two devices of index 0"}},
  };
  for (const auto& [fixture, words] : faults) {
    SCOPED_TRACE(fixture);
    expect_outcome(fixture, kFailed, words);
  }
}

TEST(AbsentDevice, EnumerationFindsNone) {
  expect_outcome("no-devices", PluginStatus::kNoDevice, {"no device"});
}

TEST(GoodPlugin, MayBeOfALaterMinorVersionOrAnEarlierOne) {
  for (const char* fixture : {"later-version", "earlier-version", "same-minor"}) {
    expect_outcome(fixture, PluginStatus::kLoaded, {"1 device"});
  }
}

/// The fake plugin opened with this setting, beside the good plugin.
void expect_fake_outcome(const std::string& setting, const std::string& value, PluginStatus status,
                         const std::string& reason) {
  const TemporaryDirectory directory{"plain-c", "fake"};
  RuntimeOptions options = only({directory.path()});
  options.settings[setting] = value;
  const Runtime runtime(options);
  const PluginInfo info = plugin_info(runtime, "fake");
  EXPECT_EQ(to_string(info.status), to_string(status));
  EXPECT_HAS(info.reason, reason);
  EXPECT_TRUE(info.devices.empty());
  EXPECT_EQ(runtime.num_gpus(), 0);
  EXPECT_HAS(runtime.explain(), info.reason);
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
