// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// When the verdict of an earlier probe counts.
#include "probed.h"
#include "support/paths.h"

namespace patchbay::faults {
namespace {

void expect(const Probed& plugin, const char* status, const char* probe, std::size_t processes) {
  const PluginInfo info = plugin.open();
  EXPECT_EQ(to_string(info.status), status) << info.reason;
  EXPECT_EQ(to_string(info.probe), probe);
  EXPECT_EQ(plugin.processes().size(), processes);
}

TEST(KeptVerdict, OfHarmStartsNoProcess) {
  const Probed plugin("enumeration crash");
  expect(plugin, "quarantined", "new", 1);
  expect(plugin, "quarantined", "kept", 1);
  const Runtime runtime(plugin.options);
  EXPECT_HAS(plugin_info(runtime, "misdeeds").reason, "it crashed (SIGSEGV)");
  EXPECT_HAS(runtime.explain(), "judged by an earlier probe");
}

TEST(KeptVerdict, OfASoundPluginStartsNoProcess) {
  const Probed plugin;
  expect(plugin, "loaded", "new", 2);  // in the probe and here
  expect(plugin, "loaded", "kept", 3);
}

TEST(KeptVerdict, TellsTheChangesAgain) {
  const Probed plugin("open signal");
  EXPECT_EQ(plugin.open().changes, std::vector<std::string>{"handler of SIGUSR2"});
  const PluginInfo again = plugin.open();
  EXPECT_EQ(to_string(again.probe), "kept");
  EXPECT_EQ(again.changes, std::vector<std::string>{"handler of SIGUSR2"});
}

TEST(KeptVerdict, EndsWithAChangeOfTheFile) {
  const Probed plugin("constructor exit");
  expect(plugin, "quarantined", "new", 1);
  const auto time = std::filesystem::last_write_time(plugin.file);
  std::fstream(plugin.file, std::ios::in | std::ios::out).put('\x7f');  // the same byte
  std::filesystem::last_write_time(plugin.file, time);
  expect(plugin, "quarantined", "new", 2);
  expect(plugin, "quarantined", "kept", 2);
  std::ofstream(plugin.file, std::ios::app) << "more";
  expect(plugin, "quarantined", "new", 3);
}

TEST(KeptVerdict, EndsWithAChangeOfTheDriver) {
  const TemporaryDirectory folder;
  const std::filesystem::path driver = folder.add("null");
  const test::EnvironmentVariable path("PATCHBAY_TEST_DRIVER", driver);
  const Probed plugin("enumeration crash");
  expect(plugin, "quarantined", "new", 1);
  expect(plugin, "quarantined", "kept", 1);
  std::filesystem::remove(driver);
  folder.add("null");
  expect(plugin, "quarantined", "new", 2);
  const Probed sound;
  expect(sound, "loaded", "new", 2);
  std::ofstream(driver, std::ios::app) << "more";
  expect(sound, "loaded", "new", 4);
}

TEST(KeptVerdict, IsOfOneEnvironmentAndSettings) {
  Probed plugin("constructor exit");
  expect(plugin, "quarantined", "new", 1);
  {
    const test::EnvironmentVariable other("MISDEEDS_OTHER", "1");
    expect(plugin, "quarantined", "new", 2);
  }
  plugin.options.settings["misdeeds_other"] = "1";
  expect(plugin, "quarantined", "new", 3);
  expect(plugin, "quarantined", "kept", 3);
}

TEST(KeptVerdict, DoesNotDependOnWhatAShellCounts) {
  const Probed plugin("constructor exit");
  expect(plugin, "quarantined", "new", 1);
  const test::EnvironmentVariable depth("SHLVL", "17"), folder("PWD", "/nowhere");
  expect(plugin, "quarantined", "kept", 1);
}

TEST(KeptVerdict, CountsForNothingIfAskedAgain) {
  Probed plugin("constructor exit");
  expect(plugin, "quarantined", "new", 1);
  plugin.options.probe = ProbeMode::kAgain;
  expect(plugin, "quarantined", "new", 2);
  const Runtime runtime(plugin.options);
  for (int i = 0; i < 3; ++i) {  // a runtime asks again once
    EXPECT_THROW((void)runtime.device("misdeeds:0"), Error);
  }
  EXPECT_EQ(plugin.processes().size(), 3u);
}

TEST(KeptVerdict, IsNoneOfADamagedFile) {
  const Probed plugin("constructor exit");
  expect(plugin, "quarantined", "new", 1);
  int num_files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(plugin.options.settings.at("cache_dir"))) {
    if (!entry.path().filename().string().starts_with("probe-")) continue;
    ++num_files;
    EXPECT_EQ(std::filesystem::status(entry.path()).permissions(), std::filesystem::perms(0600));
    std::fstream file(entry.path(), std::ios::in | std::ios::out);
    file.seekp(20).put('x');
  }
  EXPECT_EQ(num_files, 1);
  expect(plugin, "quarantined", "new", 2);
}

TEST(KeptVerdict, OfNoDriverIsNone) {
  const TemporaryDirectory directory{"fake"};
  const Probed plugin;
  RuntimeOptions options = plugin.options;
  options.plugin_directories = {directory.path()};
  options.settings["fake_open"] = "no-driver";
  for (int i = 0; i < 2; ++i) {
    const PluginInfo info = plugin_info(Runtime(options), "fake");
    EXPECT_EQ(to_string(info.status), "no-driver");
    EXPECT_EQ(to_string(info.probe), "new");
  }
}

}  // namespace
}  // namespace patchbay::faults
