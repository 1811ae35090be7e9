// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The settings by which plugins are examined: host_access and watch_plugin.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/plugin_calls.h>

#include "support/runtime_fixture.h"

namespace patchbay {
namespace {

Runtime open_with(const char* file, const std::map<std::string, std::string>& settings) {
  RuntimeOptions options;
  options.read_environment = false;
  options.plugin_files = {file};
  options.settings = settings;
  return Runtime(options);
}

TEST(HostAccess, OffMakesDeviceMemoryOpaque) {
  const auto open = [](const char* access) {
    return open_with(PATCHBAY_FLAWED_CPU_PLUGIN, {{"host_access", access}});
  };
  EXPECT_TRUE(open("on").device("flawedcpu").properties().host_addressable);
  const Device device = open("off").device("flawedcpu");
  EXPECT_FALSE(device.properties().host_addressable);
  EXPECT_EQ(plan_copy(Endpoint::host(), device, 8).route, Route::kHostToDevice);
  EXPECT_TRUE(Buffer::allocate(device, 8, MemoryKind::kPinned).is_host_addressable());
  EXPECT_EQ(ones({3}, device).to_vector<float>(), std::vector<float>(3, 1));
  EXPECT_INVALID(open("no"), "[Runtime] setting 'host_access': expected on or off, got 'no'.");
}

TEST(PluginCalls, AreNotWatchedUnlessAskedFor) {
  std::map<std::string, std::string> settings = {{"flaw", "throw memory.info"}};
  const auto ask = [&] {
    (void)open_with(PATCHBAY_FLAWED_PLUGIN, settings).device("flawed").memory();
  };
  EXPECT_THROW(ask(), std::runtime_error);
  EXPECT_TRUE(take_plugin_breaches().empty());
  settings["watch_plugin"] = "flawed";
  EXPECT_THROW(ask(), Error);
  const std::vector<std::string> breaches = {
      "info of the memory table threw an exception across the boundary: boom"};
  EXPECT_EQ(take_plugin_breaches(), breaches);
  EXPECT_TRUE(take_plugin_breaches().empty());
  EXPECT_TRUE(running_plugin_calls().empty());
  EXPECT_EQ(current_plugin_call(), nullptr);
}

}  // namespace
}  // namespace patchbay
