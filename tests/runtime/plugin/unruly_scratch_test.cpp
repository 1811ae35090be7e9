// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin's scratch memory, which its threads may ask for at any time.
#include "runtime/plugin/unruly.h"
#include "support/runtime_fixture.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

// ------------------------------------------------------------------------------- unloading

TEST(UnrulyPlugin, IsUnloadedWithinASpanThatItShows) {
  Unruly plugin("", {{"ranges", "1"}});
  (void)plugin.device();
  const TraceScope outer("outer", plugin.runtime());
  {
    const TraceScope inner("inner", plugin.runtime());
    plugin.runtime().unload("kept");
  }
}

TEST(UnrulyPlugin, ScratchMemoryDoesNotHoldIt) {
  for_each_mode("device-scratch,count-memory", [](Unruly& plugin) {
    (void)Kernel::prepare(plugin.device(), fill_spec());
    plugin.runtime().unload("kept");
    EXPECT_EQ(plugin.count("all memory is back"), 1);
    EXPECT_EQ(plugin.count("memory is missing"), 0);
    EXPECT_EQ(plugin.count("never released"), 0);
  });
}

TEST(UnrulyPlugin, ScratchMemoryOfNoBytesIsNothing) {
  Unruly plugin("empty-scratch");
  (void)Kernel::prepare(plugin.device(), fill_spec());
  EXPECT_EQ(plugin.device().memory().live_blocks, 0u);
  plugin.runtime().unload("kept");
}

/// What the program's function throws does not cross the plugin.
TEST(UnrulyPlugin, IsToldThatTheProgramsFunctionThrew) {
  for_each_mode("device-scratch,allocate-fails", [](Unruly& plugin) {
    plugin.runtime().set_out_of_memory_callback([](const Device&, std::size_t) { throw 1; });
    EXPECT_ERROR(Kernel::prepare(plugin.device(), fill_spec()), kOutOfMemory,
                 "an exception of an unknown type (kept:1)");
  });
}

TEST(UnrulyPlugin, IsRefusedScratchMemoryOfADeviceThatIsNotOpen) {
  for (const char* ways : {"open-asks", "create-asks"}) {
    for_each_mode([ways](const auto& settings) {
      Unruly plugin(ways, settings);
      EXPECT_EQ(values_on(plugin.device()), kOnes);
      EXPECT_EQ(plugin.count("scratch memory is refused"), 1);
    });
  }
}

// ------------------------------------------------------------------------------- its threads

TEST(UnrulyPlugin, IsNotUnloadedWhileItPlansACopy) {
  for_each_mode([](const auto& settings) {
    const TemporaryDirectory directory;
    const std::filesystem::path log = directory.path() / "log";
    Unruly plugin("slow-peer", settings, "error:" + log.string());
    const Device from = plugin.device(0), to = plugin.device(1);
    std::thread planner([&] { EXPECT_EQ(plan_copy(from, to, 64).route, Route::kPeer); });
    while (test::read_text(log).find("asks about a peer") == std::string::npos)
      std::this_thread::yield();
    EXPECT_ERROR(plugin.runtime().unload("kept"), kInUse, "a call of another thread is running");
    planner.join();
    plugin.runtime().unload("kept");
  });
}

TEST(UnrulyPlugin, ItsThreadsAreRefusedScratchMemoryOfADeviceThatIsNotOpen) {
  for_each_mode("open-thread-asks", [](Unruly& plugin) {
    EXPECT_EQ(values_on(plugin.device()), kOnes);
    plugin.end();
    EXPECT_EQ(plugin.count("scratch memory is refused"), 1);
  });
}

/// The thread asks for memory while its devices are made, used and closed.
TEST(UnrulyPlugin, ItsThreadsTakeScratchMemoryAtAnyTime) {
  for (const char* ways : {"open-works", "device-works"}) {
    for_each_mode([ways](auto settings) {
      settings["memory_cache"] = "off";
      for (int i = 0; i < 10; ++i) {
        Unruly plugin(ways, settings);
        EXPECT_EQ(values_on(plugin.device(0)), kOnes);
        plugin.runtime().unload("kept");
        EXPECT_EQ(plugin.count("never released"), 0);
      }
    });
  }
}

}  // namespace
}  // namespace patchbay::faults
