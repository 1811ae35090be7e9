// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/paths.h"
#include "support/runtime_fixture.h"

namespace patchbay {
namespace {

using test::options;

TEST(Runtime, UnknownBackendListsWhatIsLoadedAndWhereWasLooked) {
  const Runtime runtime(options());
  EXPECT_ERROR(runtime.device("warp:0"), kUnknownDevice, "'warp'", "fake",
               test::test_plugin_folder());
}

TEST(Runtime, IndexTooLargeSaysHowManyThereAre) {
  const Runtime runtime(options());
  EXPECT_ERROR(runtime.device("fake:2"), kUnknownDevice,
               "no device 'fake:2': backend 'fake' has 2 devices (fake:0, fake:1)");
}

TEST(UndefinedDevice, DoesNothingAndOpensNothing) {
  static_assert(std::is_nothrow_default_constructible_v<Device>);
  const Device none, other;
  EXPECT_FALSE(none.defined());
  EXPECT_EQ(none, other);
  EXPECT_EQ(std::hash<Device>()(none), std::hash<Device>()(other));
  std::ostringstream text;
  text << none;
  EXPECT_EQ(text.str(), "undefined");
  const Runtime runtime(options());
  Device moved = runtime.device("fake");
  const Device taken = std::move(moved);
  EXPECT_TRUE(taken.defined());
  EXPECT_FALSE(moved.defined());  // NOLINT(bugprone-use-after-move)
  EXPECT_NE(taken, moved);
}

TEST(UndefinedDevice, IsAnErrorWhereADeviceIsUsed) {
  const Device none;
  const char* const message =
      "[Device] the device is undefined: the handle was default-constructed or moved from. Name "
      "one, for example Device(\"cpu:0\").";
  const auto expect = [&](auto&& call) { EXPECT_INVALID(call(), message); };
  expect([&] { return none.name(); });
  expect([&] { return none.properties(); });
  expect([&] { return none.memory(); });
  expect([&] { none.synchronize(); });
  expect([&] { return none.default_stream(); });
  expect([&] { return none.runtime(); });
  expect([&] { set_default_device(none); });
  expect([&] { const DefaultDeviceScope scope(none); });
  expect([&] { return Buffer::allocate(none, 4); });
  expect([&] { const Stream stream(none); });
}

TEST(Runtime, HiddenDevicesKeepTheirNumbers) {
  RuntimeOptions chosen = options();
  chosen.visible_devices = {"fake:1", "cpu"};
  const Runtime runtime(chosen);
  EXPECT_EQ(runtime.device("fake:1").name(), "fake:1");
  EXPECT_EQ(runtime.devices().size(), 2u);
  EXPECT_EQ(runtime.num_gpus(), 1);
  EXPECT_EQ(runtime.device("gpu:0").name(), "fake:1");
  EXPECT_ERROR(runtime.device("fake:0"), kUnknownDevice,
               "[Device] device 'fake:0' is hidden: visible are [fake:1, cpu:0]. Add it to "
               "PATCHBAY_VISIBLE_DEVICES or RuntimeOptions::visible_devices.");
  EXPECT_HAS(runtime.explain(), "fake:0 accelerator: ");
  EXPECT_HAS(runtime.explain(), "hidden");
}

TEST(Runtime, VisibleDevicesThatAreNotThereAreSaid) {
  RuntimeOptions chosen = options();
  std::string log;
  chosen.log = [&log](LogLevel, std::string_view line) { log += std::string(line) + "\n"; };
  chosen.visible_devices = {"cpu", "fkae:0"};
  const Runtime runtime(chosen);
  EXPECT_EQ(runtime.devices().size(), 1u);  // which opens every plugin
  EXPECT_HAS(log, "visible device 'fkae:0' is not there");
  EXPECT_HAS(runtime.explain(), "visible device 'fkae:0' is not there");
}

TEST(Runtime, NamesOfDirectoriesKeepMessagesOnOneLine) {
  RuntimeOptions chosen = options();
  chosen.plugin_directories.push_back("/tmp/no such\nfolder");
  EXPECT_ERROR(Runtime(chosen).device("zork"), kUnknownDevice, "such\\x0afolder'");
}

TEST(Runtime, BadVisibleDeviceIsAnError) {
  RuntimeOptions chosen = options();
  chosen.visible_devices = {"gpu:0"};
  EXPECT_INVALID(Runtime{chosen}, "got the alias 'gpu:0'");
  chosen.visible_devices = {"fake:x"};
  EXPECT_INVALID(Runtime{chosen}, "'fake:x'");
}

TEST(Runtime, GpuAliasCountsAccelerators) {
  const Runtime runtime(options());
  EXPECT_EQ(runtime.num_gpus(), 2);
  EXPECT_EQ(runtime.device("gpu"), runtime.device("fake:0"));
  EXPECT_EQ(runtime.device("gpu:1"), runtime.device("fake:1"));
  EXPECT_ERROR(runtime.device("gpu:2"), kUnknownDevice,
               "[Device] no device 'gpu:2': 2 accelerators found (fake:0, fake:1). "
               "Runtime::explain() says what was tried; try_gpu(2) falls back to a CPU device.");
}

TEST(Runtime, TryGpuFallsBackToTheCpu) {
  const Runtime with(options());
  EXPECT_EQ(with.try_gpu(1).name(), "fake:1");
  EXPECT_EQ(with.try_gpu(9).name(), "cpu:0");
  EXPECT_INVALID(with.try_gpu(-1), "got -1");
  EXPECT_EQ(with.first_cpu().name(), "cpu:0");
  EXPECT_EQ(with.try_all_gpus().size(), 2u);

  RuntimeOptions only_cpu = options();
  only_cpu.plugins = {"cpu-openblas"};
  const Runtime without(only_cpu);
  EXPECT_EQ(without.num_gpus(), 0);
  EXPECT_ERROR(without.device("gpu"), kUnknownDevice,
               "[Device] no device 'gpu': 0 accelerators found. Runtime::explain() says what was "
               "tried; try_gpu(0) falls back to a CPU device.");
  EXPECT_EQ(without.try_gpu().name(), "cpu:0");
  ASSERT_EQ(without.try_all_gpus().size(), 1u);
  EXPECT_EQ(without.try_all_gpus()[0].name(), "cpu:0");
}

TEST(Runtime, NoPluginsAtAllIsACountOfZeroWithReasons) {
  RuntimeOptions none;
  none.search_default_directories = false;
  const Runtime runtime(none);
  EXPECT_EQ(runtime.num_gpus(), 0);
  EXPECT_TRUE(runtime.devices().empty());
  EXPECT_HAS(runtime.explain(), "none found");
  EXPECT_ERROR(runtime.device("cpu"), kUnknownDevice, "loaded backends are []");
}

TEST(Runtime, AnUnknownBackendIsComparedWithWhatIsOpenAndWhatIsNot) {
  RuntimeOptions chosen = options();
  chosen.plugins = {"fake", "cpu-openblas"};
  const Runtime runtime(chosen);
  EXPECT_ERROR(runtime.device("nope"), kUnknownDevice,
               "no backend 'nope' for device 'nope:0': loaded backends are [], not opened yet "
               "[cpu, fake], plugins were looked for in [");
  (void)runtime.device("cpu");
  EXPECT_ERROR(runtime.device("nope"), kUnknownDevice,
               "loaded backends are [cpu], not opened yet [fake], plugins");
  (void)runtime.devices();
  EXPECT_ERROR(runtime.device("nope"), kUnknownDevice, "loaded backends are [cpu, fake], plugins");
}

TEST(Runtime, ExplainNamesEveryCandidate) {
  RuntimeOptions chosen = options({{"fake_open", "no-driver"}});
  chosen.plugins = {"fake"};
  const Runtime runtime(chosen);
  const std::string text = runtime.explain();
  EXPECT_HAS(text, "patchbay-fake.so no-driver: ");
  EXPECT_HAS(text, "patchbay-null.so filtered: ");
  EXPECT_HAS(text, "patchbay-cpu-openblas.so filtered: ");
  EXPECT_ERROR(runtime.device("fake:0"), kUnknownDevice, "no-driver");
}

TEST(Runtime, DevicesKeepTheRuntimeAlive) {
  Device device = Runtime(options()).device("fake:0");
  const Buffer buffer = Buffer::allocate(device, 64);
  EXPECT_EQ(device.memory().live_bytes, 64u);
  EXPECT_EQ(device.runtime().device("fake:1").name(), "fake:1");
}

TEST(Runtime, UnloadIsRefusedWhileAnythingLives) {
  Runtime runtime(options());
  const Device device = runtime.device("fake:0");
  {
    const Buffer buffer = Buffer::allocate(device, 100);
    const Stream stream(device);
    const Event event = stream.record();
    EXPECT_ERROR(runtime.unload("fake"), kInUse, "fake:0: 1 buffer (100 bytes), 1 stream, 1 event");
  }
  runtime.unload("fake");
  EXPECT_ERROR(runtime.device("fake:0"), kUnknownDevice, "no backend 'fake'");
  EXPECT_ERROR(Buffer::allocate(device, 1), kUnknownDevice, "was unloaded");
  EXPECT_INVALID(runtime.unload("fake"), "no plugin 'fake' is loaded");
  EXPECT_EQ(runtime.device("cpu:1").name(), "cpu:1");
}

TEST(Runtime, SeveralRuntimesShareALibraryAndNothingElse) {
  Runtime first(options());
  const Runtime second(options({{"fake_devices", "3"}}));
  EXPECT_EQ(first.num_gpus(), 2);
  EXPECT_EQ(second.num_gpus(), 3);
  EXPECT_NE(first.device("fake:0"), second.device("fake:0"));
  const Buffer here = Buffer::allocate(first.device("fake:0"), 8);
  const Buffer there = Buffer::allocate(second.device("fake:0"), 8);
  EXPECT_INVALID(copy({here, 0, 8}, {there, 0, 8}), "two runtimes");
}

TEST(Runtime, EnumerationOpensNothing) {
  // Opening fails, yet the devices are listed with their properties.
  const Device device = Runtime(options({{"fake_fail_open_device", "1"}})).device("fake:0");
  EXPECT_GT(device.properties().memory_total_bytes, 0u);
  EXPECT_EQ(device.kind(), DeviceKind::kAccelerator);
  EXPECT_ANY_THROW(Buffer::allocate(device, 8));
  EXPECT_NO_THROW(Buffer::allocate(device, 8)) << "the second attempt opens it";
}

TEST(DefaultDevice, IsACpuDeviceUnlessAScopeSaysOtherwise) {
  const Runtime runtime(options());
  EXPECT_EQ(default_device().name(), "cpu:0");
  {
    const DefaultDeviceScope outer(runtime.device("fake:0"));
    EXPECT_EQ(default_device().name(), "fake:0");
    try {
      const DefaultDeviceScope inner(runtime.device("fake:1"));
      EXPECT_EQ(default_device().name(), "fake:1");
      throw 1;
    } catch (int) {
    }
    EXPECT_EQ(default_device().name(), "fake:0");
    std::thread([] { EXPECT_EQ(default_device().name(), "cpu:0"); }).join();
  }
  EXPECT_EQ(default_device().name(), "cpu:0");
}

TEST(ThreadContext, CarriesDefaultDeviceTagAndGuard) {
  const Runtime runtime(options());
  const Device device = runtime.device("fake:0");
  const Buffer buffer = Buffer::allocate(device, 4);
  const DefaultDeviceScope scope(device);
  const CopyTag tag("carried");
  const CopyGuard guard;
  const ThreadContext context = ThreadContext::current();
  std::thread([&] {
    const ThreadContext::Scope carried(context);
    EXPECT_EQ(default_device().name(), "fake:0");
    const int value = 1;
    EXPECT_ERROR(copy_from_host({buffer, 0, 4}, &value), kCopyForbidden, "CopyGuard");
    const CopyGuard allowed(CopyGuard::Mode::kAllow);
    copy_from_host({buffer, 0, 4}, &value);
    EXPECT_EQ(device.runtime().ledger().entries().at(0).tag, "carried");
  }).join();
}

TEST(Log, ReceivesWhatHappensToPlugins) {
  RuntimeOptions chosen = options({{"log", "info"}});
  std::string lines;
  chosen.log = [&lines](LogLevel, std::string_view line) { lines += std::string(line) + "\n"; };
  const Runtime runtime(chosen);
  EXPECT_HAS(lines, "patchbay-fake.so found: not opened yet");
  (void)runtime.device("fake");
  EXPECT_HAS(lines, "patchbay-fake.so loaded: 2 devices");
}

TEST(Settings, TheCacheDirectoryIsAbsolute) {
  EXPECT_INVALID(Runtime(options({{"cache_dir", "relative"}})),
                 "[Runtime] setting 'cache_dir': expected an absolute path, got 'relative'");
  EXPECT_NO_THROW(Runtime(options({{"cache_dir", ""}})));
}

TEST(Settings, TheMemoryCacheIsOnOrOff) {
  EXPECT_INVALID(Runtime{options({{"memory_cache", "no"}})},
                 "[Runtime] setting 'memory_cache': expected on or off, got 'no'.");
  EXPECT_NO_THROW(Runtime{options({{"memory_cache", "on"}})});
}

TEST(Log, BadSettingIsAnError) {
  EXPECT_INVALID(Runtime{options({{"log", "loud"}})}, "'loud'");
  EXPECT_ERROR(Runtime{options({{"log", "info:/nowhere/at/all"}})}, kIo, "'/nowhere/at/all'");
  // A level alone is for the program's sink.
  EXPECT_INVALID(Runtime{options({{"log", "debug"}})},
                 "[Runtime] log setting 'debug': there is no file, and the program gives no sink. "
                 "Write level:file in the setting 'log' (PATCHBAY_LOG).");
}

/// What names no device takes a CPU device, and never an accelerator.
TEST(FirstCpu, IsTheFirstVisibleOne) {
  RuntimeOptions second = options();
  second.visible_devices = {"cpu:1", "fake:0"};
  const Runtime runtime(second);
  EXPECT_EQ(runtime.first_cpu().name(), "cpu:1");
  EXPECT_EQ(runtime.try_gpu(9).name(), "cpu:1");
  RuntimeOptions none = options();
  none.visible_devices = {"fake:0"};
  const Runtime without(none);
  EXPECT_EQ(without.try_gpu(0).name(), "fake:0");
  EXPECT_ERROR(without.first_cpu(), kUnknownDevice, "[Device] no CPU device is visible",
               "expected one for what names no device, visible are [fake:0]. Name a device, or add "
               "a CPU device to PATCHBAY_VISIBLE_DEVICES or RuntimeOptions::visible_devices.");
  EXPECT_ERROR(without.try_gpu(9), kUnknownDevice, "no CPU device is visible");
}

}  // namespace
}  // namespace patchbay
