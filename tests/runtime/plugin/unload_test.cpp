// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Unloading is explicit, and refused while anything lives.
#include <future>

#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

TEST(Unload, TakesDevicesAndLibraryAway) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("fake").string();
  directory.add("plain-c");
  Runtime runtime(only({directory.path()}));
  const Device device = runtime.device("fake");
  device.default_stream().synchronize();
  EXPECT_TRUE(is_mapped(file));
  runtime.unload("fake");
  EXPECT_FALSE(is_mapped(file));
  EXPECT_EQ(plugin_info(runtime, "fake").status, PluginStatus::kUnloaded);
  EXPECT_EQ(runtime.num_gpus(), 0);
  EXPECT_THROW(static_cast<void>(runtime.device("fake")), Error);
  EXPECT_THROW(static_cast<void>(device.default_stream()), Error);  // a handle outlives it
  EXPECT_THROW(static_cast<void>(device.memory()), Error);
  EXPECT_EQ(device.name(), "fake:0");
  expect_plain_c_works(runtime);
}

TEST(Unload, MakesWayForTheNextOfTheBackend) {
  const TemporaryDirectory directory;
  directory.add("nothing");  // before plain-c by name, and of its backend
  directory.add("plain-c");
  Runtime runtime(only({directory.path()}));
  const Device first = runtime.device("plainc");
  EXPECT_EQ(runtime.plugins()[1].status, PluginStatus::kShadowed);
  runtime.unload("nothing");
  EXPECT_EQ(runtime.plugins()[1].status, PluginStatus::kFound);
  EXPECT_EQ(runtime.plugins()[1].reason, "not opened yet");
  EXPECT_EQ(runtime.device("plainc").properties().name, "Plain C");
  expect_plain_c_works(runtime);
  EXPECT_EQ(runtime.devices().size(), 1u);
  EXPECT_EQ(runtime.plugins()[0].status, PluginStatus::kUnloaded);
  EXPECT_THROW(static_cast<void>(first.memory()), Error);
  runtime.unload("plain-c");
  EXPECT_TRUE(runtime.devices().empty());
  const std::string text = test::error_of([&] { return runtime.device("plainc"); }).what();
  for (const char* file : {"patchbay-nothing.so", "patchbay-plain-c.so"}) {
    EXPECT_HAS(text, file + std::string("' is unloaded: unloaded by the program."));
  }
  EXPECT_EQ(runtime.plugins().size(), 2u);
}

TEST(Unload, IsOfTheFileUnderEachOfItsNames) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("plain-c").string();
  std::filesystem::create_directory(directory.path() / "second");
  std::filesystem::create_symlink(file, directory.path() / "second/patchbay-plain-c.so");
  Runtime runtime(only({directory.path(), directory.path() / "second"}));
  (void)runtime.device("plainc");
  runtime.unload("plain-c");
  EXPECT_TRUE(runtime.devices().empty());
  EXPECT_THROW((void)runtime.device("plainc"), Error);
  EXPECT_EQ(runtime.plugins()[1].status, PluginStatus::kShadowed);
  EXPECT_EQ(runtime.plugins()[1].reason, "the same file as '" + file + "'");
}

TEST(Unload, MakesWayWhileOtherThreadsAskForTheBackend) {
  const TemporaryDirectory directory{"nothing", "plain-c"};
  Runtime runtime(only({directory.path()}));
  std::atomic<bool> is_over{};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        EXPECT_EQ(runtime.device("plainc").name(), "plainc:0");
        EXPECT_EQ(runtime.plugins().size(), 2u);
      }
    });
  }
  (void)runtime.device("plainc");
  runtime.unload("nothing");
  EXPECT_EQ(runtime.device("plainc").properties().name, "Plain C");
  is_over = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Unload, IsRefusedWhileAnotherThreadIsInACall) {
  std::promise<void> is_inside, may_end;
  Runtime runtime = fake_runtime({{"fake_memory_bytes", "1000000"}});
  runtime.set_out_of_memory_callback([&](const Device&, std::size_t) {
    is_inside.set_value();
    may_end.get_future().wait();
  });
  const Device device = runtime.device("fake:0");
  std::thread allocating(
      [&] { EXPECT_THROW(static_cast<void>(Buffer::allocate(device, 2000000)), Error); });
  is_inside.get_future().wait();
  EXPECT_ERROR(runtime.unload("fake"), kInUse,
               "[unload] plugin 'fake' is in use: a call of another thread is running");
  may_end.set_value();
  allocating.join();
  runtime.unload("fake");
}

TEST(Unload, IsRefusedWithinACallOfTheSameThread) {
  Runtime runtime = fake_runtime({{"fake_memory_bytes", "1000000"}});
  runtime.set_out_of_memory_callback([&](const Device& device, std::size_t) {
    Runtime same = device.runtime();
    EXPECT_ERROR(same.unload("fake"), kInUse,
                 "[unload] this thread is in a call that has called the program back. Call unload "
                 "for 'fake' after that call.");
  });
  EXPECT_THROW(static_cast<void>(Buffer::allocate(runtime.device("fake:0"), 2000000)), Error);
  runtime.unload("fake");
}

TEST(Unload, InACallbackIsAnError) {
  Runtime runtime = fake_runtime();
  std::promise<void> told;
  runtime.device("fake:0").default_stream().add_callback([&](const Error*) {
    EXPECT_INVALID(runtime.unload("fake"), "[unload]");
    told.set_value();
  });
  told.get_future().wait();
}

/// Uses the device from a second thread while the plugin is unloaded and loaded again. A call
/// succeeds, or says that the device is gone.
template <class Use>
void expect_apart_from_unload(const Use& use,
                              const std::map<std::string, std::string>& settings = {}) {
  const TemporaryDirectory directory;
  const auto file = directory.add("fake");
  RuntimeOptions options = only({directory.path()});
  options.settings = settings;
  Runtime runtime(options);
  std::atomic<bool> is_over = false;
  std::thread user([&] {
    while (!is_over) {
      try {
        use(runtime.device("fake:0"));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kUnknownDevice) << error.what();
      }
    }
  });
  for (int i = 0; i < 100; ++i) {
    try {
      runtime.unload("fake");
      (void)runtime.load(file);
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kInUse || error.code() == ErrorCode::kInvalidArgument)
          << error.what();
    }
  }
  is_over = true;
  user.join();
}

TEST(Unload, IsApartFromAllocations) {
  expect_apart_from_unload([](const Device& device) {
    static_cast<void>(Buffer::allocate(device, 4 << 20));
    static_cast<void>(Buffer::allocate(device, 64));
  });
}

TEST(Unload, IsApartFromNewStreams) {
  expect_apart_from_unload([](const Device& device) {
    const Stream stream(device);
    static_cast<void>(stream.record());
  });
}

TEST(Unload, IsApartFromWaits) {
  expect_apart_from_unload([](const Device& device) {
    device.synchronize();
    device.default_stream().synchronize();
    static_cast<void>(device.default_stream().record());
    static_cast<void>(device.memory());
  });
}

/// A report gives back memory that queued work has used.
TEST(Unload, IsApartFromReports) {
  expect_apart_from_unload(
      [](const Device& device) {
        static_cast<void>(ones({64}, device));
        static_cast<void>(validation_report(device.runtime()));
      },
      {{"validate", "1"}});
}

TEST(Unload, LeavesTheLibraryToOtherRuntimes) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("fake").string();
  Runtime first(only({directory.path()}));
  {
    const Runtime second(only({directory.path()}));
    (void)first.devices();
    (void)second.devices();
    first.unload("fake");
    EXPECT_TRUE(is_mapped(file));
    second.device("fake").default_stream().synchronize();
  }
  EXPECT_FALSE(is_mapped(file));
}

TEST(Unload, KeepsWhatIsNotOpenFromBeingOpened) {
  const TemporaryDirectory directory;
  const std::string file = directory.add("fake").string();
  Runtime runtime(only({directory.path()}));
  runtime.unload("fake");
  EXPECT_TRUE(runtime.devices().empty());
  EXPECT_THROW(static_cast<void>(runtime.device("fake")), Error);
  EXPECT_EQ(plugin_info(runtime, "fake").status, PluginStatus::kUnloaded);
  EXPECT_FALSE(is_mapped(file));
  EXPECT_INVALID(runtime.unload("fake"), "no plugin 'fake' is loaded");
}

}  // namespace
}  // namespace patchbay::faults
