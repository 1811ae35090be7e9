// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Who asks for a probe, what the plugin finds in it, and which changes it tells.
#include <cstdio>

#include <gmock/gmock.h>

#include "probed.h"
#include "support/runtime_fixture.h"

namespace patchbay::faults {
namespace {

using testing::HasSubstr;

TEST(Probe, IsOffUnlessAskedFor) {
  Probed plugin;
  plugin.options.probe = {};
  EXPECT_EQ(to_string(plugin.open().probe), "none");
  EXPECT_EQ(plugin.processes().size(), 1u);
}

TEST(Probe, IsAskedForByTheVariable) {
  Probed plugin("constructor exit");
  plugin.options.probe = {};
  plugin.options.read_environment = true;
  for (const char* const value : {"1", "again", "1"}) {
    const test::EnvironmentVariable variable("PATCHBAY_PROBE", value);
    const PluginInfo info = plugin.open();
    EXPECT_EQ(to_string(info.status), "quarantined") << info.reason;
  }
  EXPECT_EQ(plugin.processes().size(), 2u);
}

TEST(Probe, RefusesBadSettings) {
  Probed plugin;
  plugin.options.probe = {};
  plugin.options.settings["probe"] = "yes";
  EXPECT_INVALID(Runtime(plugin.options), "bad setting 'probe': expected 0, 1 or again, got 'yes'");
  plugin.options.settings["probe"] = "1";
  for (const char* const bad : {"0", "-1", "4000", "1s", "nan"}) {
    plugin.options.settings["probe_seconds"] = bad;
    EXPECT_INVALID(Runtime(plugin.options),
                   "bad setting 'probe_seconds': expected a number above 0, at most 3600, got '" +
                       std::string(bad));
  }
}

TEST(Probe, GivesThePluginItsSettings) {
  Probed plugin;
  const test::EnvironmentVariable variable("PATCHBAY_MISDEEDS_OPEN", "abort");
  EXPECT_EQ(to_string(plugin.open().status), "loaded");  // no variable is read
  plugin.options.settings["misdeeds_open"] = "exit";
  EXPECT_THAT(plugin.open().reason, HasSubstr("ended the process with status 3 in open"));
  plugin.options.settings.erase("misdeeds_open");
  plugin.options.read_environment = true;
  EXPECT_THAT(plugin.open().reason, HasSubstr("it aborted (SIGABRT) in open"));
}

TEST(Probe, PassesNoPreloadedLibrary) {
  const test::EnvironmentVariable preload("LD_PRELOAD", "/nowhere/libpreloaded.so");
  const Probed plugin("handshake exit without preload");
  EXPECT_THAT(plugin.open().reason, HasSubstr("ended the process with status 4"));
}

TEST(Probe, TellsChangesOfTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // another test may have opened the plugin
  const Probed plugin("handshake settings");
  const auto try_it = [&] {  // it changes them here too
    const Runtime runtime(plugin.options);
    const PluginInfo info = plugin_info(runtime, "misdeeds");
    std::string all(to_string(info.status));
    for (const std::string& change : info.changes) all += ", " + change;
    const bool is_told = runtime.explain().find("process: " + all.substr(8)) != std::string::npos;
    std::fprintf(stderr, "%s; %s", all.c_str(), is_told ? "explained" : "not explained");
    std::_Exit(0);
  };
  EXPECT_EXIT(try_it(), testing::ExitedWithCode(0),
              "^loaded, floating-point environment, handler of SIGUSR2, limit 'Max open files', "
              "locale, umask, working directory, variable MISDEED_WAS_HERE; explained$");
  testing::FLAGS_gtest_death_test_style = "fast";
  EXPECT_TRUE(Probed().open().changes.empty());
}

TEST(Probe, LetsTheInstalledPluginsPass) {
  Probed plugin;
  plugin.options.plugin_directories.clear();
  plugin.options.search_default_directories = true;
  const Runtime runtime(plugin.options);
  (void)runtime.devices();
  RuntimeOptions options = plugin.options;
  options.probe = ProbeMode::kOff;
  const Runtime other(options);
  EXPECT_EQ(runtime.devices().size(), other.devices().size()) << runtime.explain();
  for (const PluginInfo& info : runtime.plugins()) {
    EXPECT_NE(to_string(info.status), "quarantined") << info.path << ": " << info.reason;
  }
}

}  // namespace
}  // namespace patchbay::faults
