// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Misspelt settings, variables and plugins are errors, which name the nearest right one.
#include <gtest/gtest.h>

#include <patchbay/error.h>

#include "support/environment_variable.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

using test::EnvironmentVariable;

std::string error_of(const RuntimeOptions& options) {
  try {
    const Runtime runtime(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << error.what();
    return error.what();
  }
  return "no error";
}

/// The fake plugin alone.
RuntimeOptions fake_options(std::map<std::string, std::string> settings = {}) {
  RuntimeOptions options = only({});
  options.plugin_files = {fixture_path("fake")};
  options.settings = std::move(settings);
  return options;
}

std::string unknown_setting(const std::string& name, const std::string& nearest) {
  return "[Runtime] unknown setting '" + name +
         "': neither the library nor a plugin found here has it, the nearest is '" + nearest +
         "'. Correct RuntimeOptions::settings.";
}

std::string unknown_variable(const std::string& name, const std::string& nearest) {
  return "[Runtime] unknown variable '" + name +
         "': neither the library nor a plugin found here has it, the nearest is '" + nearest +
         "'. Correct or unset it.";
}

TEST(Names, MisspeltSettingsAreErrors) {
  for (const auto& [name, nearest] :
       std::map<std::string, std::string>{{"fake_fail_lunch", "fake_fail_launch"},  // of the plugin
                                          {"fake_device", "fake_devices"},
                                          {"memory_cashe", "memory_cache"},  // of the library
                                          {"validat", "validate"},
                                          {"VALIDATE", "validate"}}) {
    EXPECT_EQ(error_of(fake_options({{name, "1"}})), unknown_setting(name, nearest));
  }
  for (const std::string name : {"", "colour"}) {  // nothing is similar
    EXPECT_EQ(error_of(fake_options({{name, "1"}})),
              "[Runtime] unknown setting '" + name +
                  "': neither the library nor a plugin found here has it. Correct "
                  "RuntimeOptions::settings.");
  }
}

TEST(Names, MisspeltVariablesAreErrors) {
  RuntimeOptions options = fake_options();
  options.read_environment = true;
  for (const auto& [name, nearest] :
       std::map<std::string, std::string>{{"PATCHBAY_FAKE_FAIL_LUNCH", "PATCHBAY_FAKE_FAIL_LAUNCH"},
                                          {"PATCHBAY_VISIBLE_DEVICE", "PATCHBAY_VISIBLE_DEVICES"},
                                          {"PATCHBAY_PLUGINPATH", "PATCHBAY_PLUGIN_PATH"},
                                          {"PATCHBAY_Log", "PATCHBAY_LOG"}}) {
    const EnvironmentVariable variable(name.c_str(), "1");
    EXPECT_EQ(error_of(options), unknown_variable(name, nearest));
    EXPECT_EQ(error_of(fake_options()), "no error");  // which reads none
  }
  const EnvironmentVariable variable("PATCHBAY_FOO", "1");  // no more like PATCHBAY_LOG than FOO is
  EXPECT_EQ(
      error_of(options),
      "[Runtime] unknown variable 'PATCHBAY_FOO': neither the library nor a plugin found here "
      "has it. Correct or unset it.");
}

TEST(Names, ControlCharactersAreEscaped) {
  EXPECT_EQ(error_of(fake_options({{"sync\n", "1"}})), unknown_setting("sync\\x0a", "sync"));
}

TEST(Names, VariablesOfTestsAndOfCmakeAreNotTheRuntimes) {
  RuntimeOptions options = fake_options();
  options.read_environment = true;
  for (const char* name : {"PATCHBAY_TEST_ANYTHING", "PATCHBAY_SIM_ANYTHING", "PATCHBAY_ROOT"}) {
    const EnvironmentVariable variable(name, "1");
    EXPECT_EQ(error_of(options), "no error") << name;
  }
}

TEST(Names, SettingsOfPluginsThatAreNotLoadedAreKnown) {
  const TemporaryDirectory directory;
  directory.add("fake");
  directory.add("plain-c");
  RuntimeOptions filtered = only({directory.path()});
  filtered.plugins = {"plain-c"};
  filtered.settings = {{"fake_devices", "1"}};
  EXPECT_EQ(error_of(filtered), "no error");
  filtered.settings = {{"fake_device", "1"}};
  EXPECT_EQ(error_of(filtered), unknown_setting("fake_device", "fake_devices"));

  std::filesystem::permissions(directory.path() / "patchbay-fake.so", std::filesystem::perms(0666));
  RuntimeOptions refused = only({directory.path()});
  refused.settings = {{"fake_devices", "1"}};
  EXPECT_EQ(error_of(refused), "no error");
}

TEST(Names, VariablesOfPluginsBesideTheLibraryAreKnownToEveryRuntime) {
  RuntimeOptions options = fake_options();  // looks for no other plugin
  options.read_environment = true;
  const EnvironmentVariable known("PATCHBAY_CPU_DEVICES", "1");
  EXPECT_EQ(error_of(options), "no error");
  const EnvironmentVariable misspelt("PATCHBAY_CPU_DEVICE", "1");
  EXPECT_EQ(error_of(options), unknown_variable("PATCHBAY_CPU_DEVICE", "PATCHBAY_CPU_DEVICES"));
}

TEST(Names, APluginThatDeclaresNoSettingsMayHaveAny) {
  const TemporaryDirectory directory;
  directory.add("plain-c");  // its backend is plainc
  RuntimeOptions options = only({directory.path()});
  options.settings = {{"plainc_anything", "1"}, {"plain_c_anything", "1"}};
  EXPECT_EQ(error_of(options), "no error");
  options.settings = {{"other_thing", "1"}};
  EXPECT_NE(error_of(options).find("unknown setting 'other_thing'"), std::string::npos);
}

TEST(Names, MisspeltPluginsAreErrors) {
  const TemporaryDirectory directory;
  directory.add("plain-c");
  RuntimeOptions options = only({directory.path()});
  options.plugins = {"plain-d"};
  const std::string found = " was found: found are [cpu-openblas";
  const std::string text = error_of(options);
  EXPECT_EQ(text.rfind("[Runtime] no plugin 'plain-d'" + found, 0), 0u) << text;
  EXPECT_TRUE(text.ends_with("], the nearest is 'plain-c'. Correct RuntimeOptions::plugins."))
      << text;

  options.plugins = {};
  options.read_environment = true;
  const EnvironmentVariable variable("PATCHBAY_PLUGINS", "plain-c,cpu-openblass");
  const std::string by_variable = error_of(options);
  EXPECT_TRUE(by_variable.ends_with("], the nearest is 'cpu-openblas'. Correct PATCHBAY_PLUGINS."))
      << by_variable;
}

TEST(Names, ABackendInThePlaceOfAPluginIsToldWhoHasIt) {
  RuntimeOptions options;
  options.read_environment = false;
  options.plugins = {"cpu"};
  const std::string text = error_of(options);
  EXPECT_TRUE(text.ends_with(
      "], backend 'cpu' is of plugin 'cpu-openblas'. Correct RuntimeOptions::plugins."))
      << text;

  const Runtime runtime(fake_options());
  try {
    Runtime(runtime).unload("fack");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "[unload] no plugin 'fack' is loaded: loaded are [fake], the nearest is 'fake'.");
  }
}

TEST(Names, PluginsDeclareTheSettingsThatTheyAskFor) {
  RuntimeOptions options;
  options.read_environment = false;
  options.plugin_files = {fixture_path("fake")};
  std::string warnings;
  options.log = [&warnings](LogLevel, std::string_view line) {
    if (line.find("asks for the setting") != std::string_view::npos) warnings += line;
  };
  const Runtime runtime(options);
  EXPECT_EQ(warnings, "");
}

}  // namespace
}  // namespace patchbay::faults
