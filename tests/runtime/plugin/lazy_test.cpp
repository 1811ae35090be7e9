// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin is opened when one of its devices is asked for, or when devices are listed.
#include "support/temporary_directory.h"
#include "support/threads.h"

namespace patchbay::faults {
namespace {

/// Without opening anything.
PluginInfo look_at(const Runtime& runtime, const std::string& name) {
  for (PluginInfo& info : runtime.plugins()) {
    if (info.path.filename() == "patchbay-" + name + ".so") return info;
  }
  ADD_FAILURE() << name << " is not among the candidates";
  return {};
}

void expect_status(const Runtime& runtime, const std::string& name, PluginStatus status,
                   const std::string& reason) {
  const PluginInfo info = look_at(runtime, name);
  EXPECT_EQ(to_string(info.status), to_string(status)) << name;
  EXPECT_HAS(info.reason, reason);
}

TEST(LazyPlugin, IsOpenedWithItsFirstDevice) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("plain-c").string(),
                    other = directory.add("fake").string();
  const Runtime runtime(only({directory.path()}));
  expect_status(runtime, "plain-c", PluginStatus::kFound, "not opened yet");
  EXPECT_EQ(look_at(runtime, "plain-c").backend, "plainc");
  EXPECT_FALSE(is_mapped(file));
  EXPECT_EQ(runtime.device("plainc").name(), "plainc:0");
  expect_status(runtime, "plain-c", PluginStatus::kLoaded, "1 device");
  EXPECT_TRUE(is_mapped(file));
  expect_status(runtime, "fake", PluginStatus::kFound, "not opened yet");
  EXPECT_FALSE(is_mapped(other));
}

TEST(LazyPlugin, IsOpenedByAListOfDevices) {
  const TemporaryDirectory directory{"plain-c", "fake"};
  const RuntimeOptions options = only({directory.path()});
  EXPECT_EQ(Runtime(options).devices().size(), 3u);
  EXPECT_EQ(Runtime(options).num_gpus(), 2);
  EXPECT_EQ(Runtime(options).try_gpu(1).name(), "fake:1");
  EXPECT_EQ(Runtime(options).device("gpu:1").name(), "fake:1");
  EXPECT_HAS(Runtime(options).explain(), "plainc:0");
}

TEST(LazyPlugin, IsOpenedAtOnceIfItIsNamedInCode) {
  const TemporaryDirectory directory;
  RuntimeOptions options = only({directory.path()});
  options.plugin_files = {directory.add("plain-c")};
  directory.add("nothing");  // the same backend
  const Runtime runtime(options);
  expect_status(runtime, "plain-c", PluginStatus::kLoaded, "1 device");
  expect_status(runtime, "nothing", PluginStatus::kShadowed, "backend 'plainc'");
}

TEST(LazyPlugin, IsFollowedByTheNextOfItsBackend) {
  const TemporaryDirectory directory{"broken-driver", "driverless", "nothing"};
  const std::string unused = directory.add("plain-c").string();
  const Runtime runtime(only({directory.path()}));
  EXPECT_EQ(runtime.device("plainc").name(), "plainc:0");
  expect_status(runtime, "broken-driver", PluginStatus::kFailed, "the driver is on fire");
  expect_status(runtime, "driverless", PluginStatus::kNoDriver, "no library of the driver");
  expect_status(runtime, "nothing", PluginStatus::kLoaded, "1 device");
  expect_status(runtime, "plain-c", PluginStatus::kShadowed, "backend 'plainc'");
  EXPECT_FALSE(is_mapped(unused));
}

TEST(LazyPlugin, ThatFailsIsAnUnknownDeviceWithTheReason) {
  const TemporaryDirectory directory{"broken-driver"};
  const Runtime runtime(only({directory.path()}));
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_ERROR(runtime.device("plainc"), kUnknownDevice, "failed: the driver is on fire");
  }
}

TEST(LazyPlugin, ThatFailedIsTriedAgainIfItIsAskedFor) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.add("plain-c"), away = directory.path() / "away";
  const Runtime runtime(only({directory.path()}));
  std::filesystem::rename(file, away);
  EXPECT_THROW((void)runtime.device("plainc"), Error);
  expect_status(runtime, "plain-c", PluginStatus::kRefused, "can't be found");
  std::filesystem::rename(away, file);
  EXPECT_TRUE(runtime.devices().empty());  // a list does not try again
  EXPECT_EQ(runtime.device("plainc").name(), "plainc:0");
}

TEST(LazyPlugin, GivesWayToOneThatIsLoadedByName) {
  const TemporaryDirectory directory, elsewhere;
  directory.add("nothing");
  const Runtime runtime(only({directory.path()}));
  EXPECT_EQ(runtime.load(elsewhere.add("plain-c")).status, PluginStatus::kLoaded);
  expect_status(runtime, "nothing", PluginStatus::kShadowed, "backend 'plainc'");
  EXPECT_EQ(runtime.device("plainc").properties().name, "Plain C");
}

TEST(LazyPlugin, IsOpenedOnceByManyThreads) {
  const TemporaryDirectory directory{"plain-c", "fake"};
  const Runtime runtime(only({directory.path()}));
  test::on_threads(8, [&runtime](int i) {
    EXPECT_EQ(runtime.device(i % 2 == 0 ? "plainc" : "fake:1"),
              runtime.device(i % 2 == 0 ? "plainc:0" : "fake:1"));
    EXPECT_EQ(runtime.devices().size(), 3u);
  });
  EXPECT_EQ(runtime.plugins().size(), 2u);
}

/// The sink of each runtime lists the devices of the other.
TEST(LazyPlugin, MayBeListedByTheLogOfAnotherRuntime) {
  const TemporaryDirectory directory{"fake"};
  std::optional<Runtime> first, second;
  std::vector<std::size_t> seen;
  const auto options_of = [&](std::optional<Runtime>& other) {
    RuntimeOptions options = only({directory.path()});
    options.settings = {{"log", "info"}};
    options.log = [&other, &first, &second, &seen](LogLevel, std::string_view) {
      if (first && second) seen.push_back(other->devices().size());
    };
    return options;
  };
  first.emplace(options_of(second));
  second.emplace(options_of(first));
  EXPECT_EQ(first->devices().size(), 2u);
  EXPECT_EQ(second->devices().size(), 2u);
  EXPECT_EQ(seen, (std::vector<std::size_t>{2, 2}));
}

}  // namespace
}  // namespace patchbay::faults
