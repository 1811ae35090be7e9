// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Plugins that are added to a runtime later.
#include "support/temporary_directory.h"
#include "support/threads.h"

namespace patchbay::faults {
namespace {

std::string words_of(const Error& error) {
  return std::string(to_string(error.code())) + " " + error.what();
}

std::string error_of(const Runtime& runtime, const std::filesystem::path& file,
                     std::map<std::string, std::string> settings = {}) {
  return words_of(test::error_of([&] { return runtime.load(file, std::move(settings)); }));
}

TEST(Load, AddsAPlugin) {
  const TemporaryDirectory directory;
  const auto file = directory.add("plain-c");
  const Runtime runtime = fake_runtime();
  const Device before = runtime.device("fake:1");
  const PluginInfo info = runtime.load(file);
  EXPECT_EQ(info.status, PluginStatus::kLoaded) << info.reason;
  EXPECT_EQ(info.name, "plain-c");
  ASSERT_EQ(info.devices.size(), 1u);
  expect_plain_c_works(runtime);
  EXPECT_EQ(runtime.device("fake:1"), before);
  ASSERT_EQ(runtime.devices().size(), 3u);
  EXPECT_EQ(runtime.devices()[2].name(), info.devices[0]);
  EXPECT_HAS(runtime.explain(), file.string() + " loaded");
}

TEST(Load, TakesSettingsForThePluginAlone) {
  const Runtime runtime(only({}));
  EXPECT_EQ(runtime.load(fixture_path("fake"), {{"fake_devices", "3"}}).devices.size(), 3u);
  EXPECT_EQ(runtime.num_gpus(), 3);
  EXPECT_EQ(error_of(runtime, fixture_path("plain-c"), {{"fake_devices", "3"}})
                .find("invalid_argument [Runtime] unknown setting 'fake_devices'"),
            0u);
  EXPECT_EQ(error_of(Runtime(only({})), fixture_path("fake"), {{"fake_device", "3"}}),
            "invalid_argument [Runtime] unknown setting 'fake_device': neither the library nor a "
            "plugin found here has it, the nearest is 'fake_devices'. Correct the settings of "
            "load.");
}

TEST(Load, AFileIsListedOnceHoweverOftenItIsOpened) {
  Runtime runtime(only({}));
  for (int i = 0; i < 3; ++i) {
    (void)runtime.load(fixture_path("fake"));
    runtime.unload("fake");
    EXPECT_NE(error_of(runtime, "/nowhere/patchbay-x.so"), "");
  }
  ASSERT_EQ(runtime.plugins().size(), 2u);
  EXPECT_EQ(runtime.plugins()[0].status, PluginStatus::kRefused);
  EXPECT_EQ(runtime.plugins()[1].status, PluginStatus::kUnloaded);
  const std::string text = runtime.explain();
  const std::size_t first = text.find("unloaded by the program");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("unloaded by the program", first + 1), std::string::npos) << text;
  (void)runtime.load(fixture_path("fake"));
  ASSERT_EQ(runtime.plugins().size(), 2u);
  EXPECT_EQ(runtime.plugins()[1].status, PluginStatus::kLoaded);
}

TEST(Load, AFileThatWasFoundBeforeIsListedOnce) {
  const TemporaryDirectory directory;
  const auto first = directory.add("nothing"), second = directory.add("plain-c");
  RuntimeOptions options = only({directory.path(), directory.path()});
  Runtime runtime(options);
  const auto statuses = [&runtime] {
    std::string text;
    for (const PluginInfo& plugin : runtime.plugins()) {
      text += plugin.name + " " + std::string(to_string(plugin.status)) + ", ";
    }
    return text;
  };
  EXPECT_EQ(statuses(), "nothing found, plain-c found, ");
  EXPECT_EQ(runtime.load(first).status, PluginStatus::kLoaded);
  EXPECT_EQ(statuses(), "nothing loaded, plain-c shadowed, ");
  EXPECT_HAS(error_of(runtime, first), "the same file as");
  EXPECT_HAS(error_of(runtime, second), "is already provided by");
  EXPECT_EQ(statuses(), "nothing loaded, plain-c shadowed, ");
  runtime.unload("nothing");
  EXPECT_EQ(runtime.load(second).status, PluginStatus::kLoaded);
  EXPECT_EQ(statuses(), "nothing unloaded, plain-c loaded, ");
  EXPECT_HAS(error_of(runtime, first), "is already provided by");
  EXPECT_EQ(statuses(), "plain-c loaded, nothing shadowed, ");
  runtime.unload("plain-c");
  EXPECT_EQ(runtime.device("plainc").name(), "plainc:0");
  EXPECT_EQ(statuses(), "plain-c unloaded, nothing loaded, ");

  options.plugins = {"plain-c"};
  options.plugin_files = {second};
  runtime = Runtime(options);
  EXPECT_EQ(statuses(), "plain-c loaded, nothing filtered, ");
  runtime.unload("plain-c");
  EXPECT_EQ(runtime.load(first).status, PluginStatus::kLoaded);
  EXPECT_EQ(statuses(), "plain-c unloaded, nothing loaded, ");
}

TEST(Load, WhatDoesNotLoadIsAnErrorAndChangesNothing) {
  const TemporaryDirectory directory;
  const Runtime runtime = fake_runtime();
  EXPECT_EQ(error_of(runtime, "/nowhere/patchbay-x.so"),
            "plugin_failed [Runtime] plugin '/nowhere/patchbay-x.so' refused: can't be found: No "
            "such file or directory.");
  EXPECT_EQ(error_of(runtime, ""), "plugin_failed [Runtime] plugin '' refused: the path is empty.");
  const std::string with_zero = fixture_path("plain-c").string() + std::string("\0x", 2);
  EXPECT_HAS(error_of(runtime, with_zero), "the path contains a zero byte");
  EXPECT_HAS(error_of(runtime, directory.write("text", "hello")), "not an ELF file");
  EXPECT_HAS(error_of(runtime, directory.add("throwing-open")), "thrown out of it");
  const auto unsafe = directory.add("plain-c");
  std::filesystem::permissions(unsafe, std::filesystem::perms(0646));
  EXPECT_HAS(error_of(runtime, unsafe), "the file is writable by others");
  EXPECT_EQ(runtime.devices().size(), 2u);
  EXPECT_EQ(plugin_info(runtime, "text").status, PluginStatus::kRefused);
  EXPECT_EQ(Buffer::allocate(runtime.device("fake"), 16).size_bytes(), 16u);
}

TEST(Load, RelativeFilesWithoutACurrentDirectoryAreRefused) {
  const auto before = std::filesystem::current_path();
  const Runtime runtime(only({}));
  RuntimeOptions relative = only({});
  relative.plugin_files = {"patchbay-x.so"};
  {
    const TemporaryDirectory directory;
    std::filesystem::current_path(directory.path());
  }
  const std::string text =
      "plugin_failed [Runtime] plugin 'patchbay-x.so' refused: is relative, and the current "
      "directory can't be found: No such file or directory.";
  EXPECT_EQ(error_of(runtime, "patchbay-x.so"), text);
  EXPECT_EQ(words_of(test::error_of([&] { const Runtime other(relative); })), text);
  std::filesystem::current_path(before);
}

TEST(Load, ABackendIsThereOnce) {
  const TemporaryDirectory directory;
  const Runtime runtime(only({}));
  static_cast<void>(runtime.load(directory.add("plain-c")));
  EXPECT_HAS(error_of(runtime, directory.path() / "patchbay-plain-c.so"), "the same file as");
  EXPECT_HAS(error_of(runtime, directory.add("nothing")),
             "shadowed: backend 'plainc' is already provided by");
  EXPECT_EQ(runtime.devices().size(), 1u);
  expect_plain_c_works(runtime);
}

TEST(Load, WithoutADriverIsNoError) {
  const Runtime runtime(only({}));
  const PluginInfo info = runtime.load(fixture_path("fake"), {{"fake_open", "no-driver"}});
  EXPECT_EQ(info.status, PluginStatus::kNoDriver);
  EXPECT_TRUE(info.devices.empty());
  EXPECT_EQ(runtime.load(fixture_path("fake")).status, PluginStatus::kLoaded);
}

TEST(Load, ALogSinkMayAskTheRuntime) {
  RuntimeOptions options = only({});
  options.settings["log"] = "info";
  Runtime* seen = nullptr;
  std::size_t num_devices = 99;
  options.log = [&](LogLevel, std::string_view) {
    if (seen != nullptr) num_devices = seen->devices().size();
  };
  Runtime runtime(options);
  seen = &runtime;
  static_cast<void>(runtime.load(fixture_path("fake")));
  EXPECT_EQ(num_devices, 2u);
}

TEST(Load, OneOfManyThreadsLoadsAPlugin) {
  const TemporaryDirectory directory;
  const auto plain_c = directory.add("plain-c");
  const Runtime runtime(only({}));
  std::atomic<int> loaded{}, refused{};
  test::on_threads(8, [&](int i) {
    try {
      static_cast<void>(runtime.load(i % 2 == 0 ? plain_c : fixture_path("fake")));
      ++loaded;
    } catch (const Error&) {
      ++refused;
    }
    for (int k = 0; k < 100; ++k) {
      for (const Device& device : runtime.devices()) {
        EXPECT_EQ(runtime.device(device.name()), device);
      }
      static_cast<void>(runtime.explain());
    }
  });
  EXPECT_EQ(loaded, 2);
  EXPECT_EQ(refused, 6);
  EXPECT_EQ(runtime.devices().size(), 3u);
}

/// Two fake devices and the CPU, in a runtime that is not the default one.
Runtime own_runtime() {
  RuntimeOptions options;
  options.read_environment = false;
  options.plugins = {"cpu-openblas"};
  options.plugin_files = {fixture_path("fake")};
  return Runtime(options);
}

TEST(OwnRuntime, ANameMeansADeviceOfTheTensorsRuntime) {
  const Runtime runtime = own_runtime();
  const Tensor there = full({3}, 2, runtime.device("fake:0")), by_literal = there.to("cpu");
  EXPECT_EQ(by_literal.device(), runtime.device("cpu:0"));
  EXPECT_EQ(by_literal.to_vector<float>(), (std::vector<float>{2, 2, 2}));
  const std::string name = "fake:1";
  EXPECT_EQ(there.to(name).device(), runtime.device("fake:1"));
  EXPECT_EQ(there.to(std::string_view("gpu:1")).device(), runtime.device("fake:1"));
  EXPECT_TRUE(there.to("fake:0").is_same(there));
  EXPECT_FALSE(there.to("fake:0", {.copy = true}).is_same(there));
  EXPECT_THROW(static_cast<void>(there.to("fake:9")), Error);
}

TEST(OwnRuntime, TheAdviceOfDataWorks) {
  const Tensor there = full({3}, 2, own_runtime().device("fake:0"));
  EXPECT_HAS(test::error_of([&] { return there.data<float>(); }).what(), "tensor.to(\"cpu\")");
  EXPECT_EQ(there.to("cpu").data<float>()[2], 2.0F);
}

}  // namespace
}  // namespace patchbay::faults
