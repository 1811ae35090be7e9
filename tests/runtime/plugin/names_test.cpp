// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Misspelt settings, variables and plugins are errors, which name the nearest right one.
#include "support/environment_variable.h"
#include "support/runtime_fixture.h"
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
  return only_fixture("fake", std::move(settings));
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
  EXPECT_EQ(error_of(options), "no error");
}

/// What a runtime with these options logs as warnings, and then explains.
struct Told {
  std::string warnings, explained;
};
Told told_by(RuntimeOptions options) {
  Told told;
  options.log = [&told](LogLevel level, std::string_view line) {
    if (level == LogLevel::kWarning) told.warnings.append(line).append("\n");
  };
  const Runtime runtime(options);
  const std::string at_creation = told.warnings;
  told.explained = runtime.explain();
  told.warnings = at_creation;
  return told;
}

/// A fleet sets a variable for a plugin that this machine does not have.
TEST(Names, VariablesOfPluginsThatAreNotHereAreTold) {
  RuntimeOptions options = fake_options();
  options.read_environment = true;
  const EnvironmentVariable first("PATCHBAY_VENDOR_TF32", "1"), second("PATCHBAY_COLOUR", "");
  const std::string text =
      "unknown variable 'PATCHBAY_VENDOR_TF32': neither the library nor a plugin found here has "
      "it\n";
  const Told told = told_by(options);
  EXPECT_HAS(told.warnings, "[Runtime] " + text);
  EXPECT_HAS(told.warnings, "'PATCHBAY_COLOUR'");
  EXPECT_HAS(told.explained, "\n" + text);
  options.settings = {{"vendor_tf32", "1"}};  // what the program says stays an error
  EXPECT_TRUE(
      error_of(options).starts_with("[Runtime] unknown setting 'vendor_tf32': neither the library "
                                    "nor a plugin found here has it"));
}

TEST(Names, PluginsOfAVariableThatAreNotHereAreTold) {
  const TemporaryDirectory directory{"plain-c"};
  RuntimeOptions options = only({directory.path()});
  options.read_environment = true;
  {
    const EnvironmentVariable variable("PATCHBAY_PLUGINS", "plain-c,vendor-blas");
    const Told told = told_by(options);
    const std::string begin = "no plugin 'vendor-blas' was found: found are [cpu-openblas",
                      end = "], PATCHBAY_PLUGINS='plain-c,vendor-blas' names it\n";
    EXPECT_HAS(told.warnings, "[Runtime] " + begin);
    EXPECT_HAS(told.warnings, end);
    EXPECT_HAS(told.explained, "\n" + begin);
    const Runtime runtime(options);
    EXPECT_EQ(runtime.devices().size(), 1u);
    EXPECT_ERROR(runtime.device("cpu"), kUnknownDevice, "no backend 'cpu'");
    options.plugins = {"plain-c", "vendor-blas"};  // what the program says stays an error
    EXPECT_TRUE(error_of(options).ends_with("]. Correct RuntimeOptions::plugins."));
    options.plugins = {};
    options.settings = {{"plugins", "plain-c,vendor-blas"}};
    EXPECT_TRUE(error_of(options).ends_with("]. Correct RuntimeOptions::settings."));
    options.settings = {};
  }
  for (const char* none : {"vendor-blas", "vendor-blas,other"}) {  // no device is left
    const EnvironmentVariable variable("PATCHBAY_PLUGINS", none);
    const std::string text = error_of(options);
    EXPECT_TRUE(text.starts_with("[Runtime] no plugin 'vendor-blas' was found: found are ["))
        << text;
    EXPECT_TRUE(text.ends_with("]. Correct PATCHBAY_PLUGINS.")) << text;
  }
  const EnvironmentVariable backend("PATCHBAY_PLUGINS", "plain-c,cpu");  // of cpu-openblas
  EXPECT_TRUE(error_of(options).ends_with(
      "], backend 'cpu' is of plugin 'cpu-openblas'. Correct PATCHBAY_PLUGINS."));
}

TEST(Names, VisibleDevicesOfAVariableThatAreNotHereAreTold) {
  RuntimeOptions options = fake_options();
  options.read_environment = true;
  {
    const EnvironmentVariable variable("PATCHBAY_VISIBLE_DEVICES", "vendor:0,fake:1");
    const Told told = told_by(options);
    EXPECT_HAS(
        told.warnings,
        "[Runtime] no backend 'vendor' was found for the visible device 'vendor:0': found are [");
    EXPECT_HAS(told.warnings, "], PATCHBAY_VISIBLE_DEVICES='vendor:0,fake:1' names it");
    EXPECT_HAS(told.explained, "\nno backend 'vendor' was found for the visible device");
    EXPECT_HAS(told.explained, "\nvisible device 'vendor:0' is not there\n");
    const Runtime runtime(options);
    EXPECT_EQ(runtime.devices().size(), 1u);
    EXPECT_ERROR(runtime.device("fake:0"), kUnknownDevice,
                 "[Device] device 'fake:0' is hidden: visible are [vendor:0, fake:1] "
                 "(PATCHBAY_VISIBLE_DEVICES='vendor:0,fake:1'). Add it to PATCHBAY_VISIBLE_DEVICES "
                 "or RuntimeOptions::visible_devices.");
    EXPECT_ERROR(runtime.first_cpu(), kUnknownDevice,
                 "visible are [vendor:0, fake:1] (PATCHBAY_VISIBLE_DEVICES='vendor:0,fake:1')");
    EXPECT_ERROR(runtime.device("gpu:1"), kUnknownDevice,
                 "[Device] no device 'gpu:1': 1 accelerator found (fake:1), visible are [vendor:0, "
                 "fake:1] (PATCHBAY_VISIBLE_DEVICES='vendor:0,fake:1'). Runtime::explain() says");
  }
  {
    const EnvironmentVariable variable("PATCHBAY_VISIBLE_DEVICES", "fake:0,fkae:1");
    const std::string text = error_of(options);
    EXPECT_TRUE(text.starts_with(
        "[Runtime] no backend 'fkae' was found for the visible device 'fkae:1': found are ["))
        << text;
    EXPECT_TRUE(text.ends_with(
        ", the nearest is 'fake'. Correct or unset PATCHBAY_VISIBLE_DEVICES='fake:0,fkae:1'."))
        << text;
  }
  {
    const EnvironmentVariable variable("PATCHBAY_VISIBLE_DEVICES", "vendor:0,vendor:1");
    const std::string text = error_of(options);
    EXPECT_TRUE(text.ends_with("]. Correct or unset PATCHBAY_VISIBLE_DEVICES='vendor:0,vendor:1'."))
        << text;
  }
  for (const char* other : {"cpu:0,tpu:0", "cpu:0,npu:1"}) {
    const EnvironmentVariable variable("PATCHBAY_VISIBLE_DEVICES", other);
    RuntimeOptions both = test::options();
    both.read_environment = true;
    const Runtime runtime(both);
    EXPECT_HAS(runtime.explain(), std::string("PATCHBAY_VISIBLE_DEVICES='") + other + '\'');
    EXPECT_EQ(runtime.devices().size(), 1u);
  }
  const EnvironmentVariable variable("PATCHBAY_VISIBLE_DEVICES", "fake:7");
  const Runtime runtime(options);
  EXPECT_ERROR(runtime.devices(), kUnknownDevice,
               "[Device] no visible device is there: expected some of [fake:0, fake:1], got "
               "PATCHBAY_VISIBLE_DEVICES='fake:7'. Correct or unset it.");
  EXPECT_HAS(runtime.explain(), "visible device 'fake:7' is not there");
}

/// The file may have been refused before its backend was known.
TEST(Names, AMissingBackendIsToldWithTheFilesThatCouldHaveIt) {
  const TemporaryDirectory directory{"plain-c", "open-error"};
  const std::filesystem::path odd = directory.write("vendor", "no library");
  const Runtime runtime(only({directory.path()}));
  const std::string refused = " Plugin '" + odd.string() + "' is refused: not an ELF file";
  EXPECT_ERROR(runtime.device("vendor:0"), kUnknownDevice, refused);
  EXPECT_ERROR(runtime.device("gpu:0"), kUnknownDevice, refused);
  const std::string failed =
      " Plugin '" + (directory.path() / "patchbay-open-error.so").string() + "' is failed: ";
  EXPECT_ERROR(runtime.device("openerror:0"), kUnknownDevice, failed);
  EXPECT_ERROR(runtime.device("gpu:0"), kUnknownDevice, failed);
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
  const TemporaryDirectory directory{"fake", "plain-c"};
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
  EXPECT_HAS(error_of(options), "unknown setting 'other_thing'");
}

TEST(Names, MisspeltPluginsAreErrors) {
  const TemporaryDirectory directory{"plain-c"};
  RuntimeOptions options = only({directory.path()});
  options.plugins = {"plain-d"};
  const std::string found = " was found: found are [cpu-openblas", text = error_of(options);
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
  EXPECT_INVALID(Runtime(runtime).unload("fack"),
                 "[unload] no plugin 'fack' is loaded: loaded are [fake], the nearest is 'fake'.");
}

TEST(Names, PluginsDeclareTheSettingsThatTheyAskFor) {
  RuntimeOptions options = fake_options();
  std::string warnings;
  options.log = [&warnings](LogLevel, std::string_view line) {
    if (line.find("asks for the setting") != std::string_view::npos) warnings += line;
  };
  const Runtime runtime(options);
  EXPECT_EQ(warnings, "");
}

}  // namespace
}  // namespace patchbay::faults
