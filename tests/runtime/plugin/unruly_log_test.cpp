// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A log sink may call the runtime while a misbehaving plugin is opened, closed or used. A plugin's
// threads may log and ask for scratch memory at any time.
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/interop.h>
#include <patchbay/patchbay.h>

#include "runtime/plugin/unruly.h"
#include "support/runtime_fixture.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

using test::EnvironmentVariable;

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

TEST(UnrulyPlugin, IsUnloadedWhileTheLogAsksTheRuntime) {
  for (const char* ways : {"", "close-logs"}) {
    const EnvironmentVariable variable("UNRULY", ways);
    RuntimeOptions options = unruly_options({{"log", "info"}});
    Runtime* asked = nullptr;
    std::string refusal;
    options.log = [&asked, &refusal](LogLevel, std::string_view) {
      if (asked == nullptr) return;
      EXPECT_EQ(asked->plugins().size(), 1u);
      try {
        asked->unload("kept");
      } catch (const Error& error) {
        refusal = error.what();
      }
    };
    Runtime runtime(options);
    EXPECT_EQ(values_on(runtime.device("kept:1")), kOnes);
    asked = &runtime;
    runtime.unload("kept");
    asked = nullptr;
    if (std::string(ways).empty()) continue;
    EXPECT_EQ(
        refusal,
        "[unload] this thread is opening or closing a plugin, which logged a line: expected no "
        "unload inside the log sink, got one. Call unload for 'kept' afterwards.");
  }
}

/// The plugin logs lines while its device is opened and closed.
TEST(UnrulyPlugin, ADeviceIsNotUsedByTheLogOfItsOpeningOrClosing) {
  for_each_mode([](const auto& settings) {
    const EnvironmentVariable ways("UNRULY", "open-device-logs,count-memory");
    RuntimeOptions options = unruly_options(settings);
    Runtime* asked = nullptr;
    int num_openings = 0;
    options.log = [&](LogLevel, std::string_view line) {
      const bool is_opened = line.find("opening a device") != std::string::npos;
      const bool is_closed = line.find("all memory is back") != std::string::npos;
      if (!is_opened && !is_closed) return;
      const Device device = asked->device("kept:1");
      EXPECT_ERROR((void)device.memory(), ErrorCode::kInvalidArgument,
                   "[memory] this thread is opening or closing kept:1: expected no use of it "
                   "meanwhile, got one. Use it afterwards.");
      if (is_closed) return;
      EXPECT_ERROR((void)ones({3}, device), ErrorCode::kInvalidArgument,
                   "[Device] this thread is opening or closing kept:1");
      EXPECT_ERROR(asked->unload("kept"), ErrorCode::kInUse,
                   "[unload] this thread is opening or closing kept:1, which logged a line: "
                   "expected no unload inside the log sink, got one. Call unload for 'kept' "
                   "afterwards.");
      ++num_openings;
    };
    Runtime runtime(options);
    asked = &runtime;
    EXPECT_EQ(values_on(runtime.device("kept:1")), kOnes);
    runtime.unload("kept");
    EXPECT_EQ(num_openings, 1);
  });
}

const char* const kGone = "[Device] device 'kept:0' is gone: its plugin 'kept' was unloaded.";

/// What a log sink is told that uses the device while a line is written about the plugin's closing.
std::vector<std::string> told_while_closing(const std::string& device, const std::string& ways,
                                            const std::map<std::string, std::string>& settings) {
  const EnvironmentVariable variable("UNRULY", ways);
  RuntimeOptions options = unruly_options(settings);
  Runtime* asked = nullptr;
  std::vector<std::string> told;
  options.log = [&](LogLevel, std::string_view line) {
    if (asked == nullptr || line.find(" goes") == std::string_view::npos) return;
    const Device used = asked->device(device);
    for (const std::function<void()>& use : {std::function([&] { (void)values_on(used); }),
                                             std::function([&] { (void)used.default_stream(); }),
                                             std::function([&] { used.synchronize(); })}) {
      try {
        use();
        told.emplace_back("no error");
      } catch (const Error& error) {
        told.emplace_back(error.what());
      }
    }
  };
  Runtime runtime(options);
  for (const char* name : {"kept:0", "kept:1"}) {
    EXPECT_EQ(values_on(runtime.device(name)), kOnes);
  }
  asked = &runtime;
  runtime.unload("kept");
  return told;
}

TEST(UnrulyPlugin, ADeviceIsNotUsedByTheLogOnceItsPluginIsBeingClosed) {
  for (const char* ways : {"kernel-logs", "stream-logs", "device-logs", "device-thread-logs"}) {
    for (const char* device : {"kept:0", "kept:1"}) {
      for_each_mode([&](const auto& settings) {
        SCOPED_TRACE(std::string(ways) + ", " + device);
        const std::vector<std::string> told = told_while_closing(device, ways, settings);
        EXPECT_GE(told.size(), 6u);
        const std::string name = device;
        for (const std::string& text : told) {
          const bool is_closing =
              text.find("] this thread is opening or closing " + name +
                        ": expected no use of it "
                        "meanwhile, got one. Use it afterwards.") != std::string::npos;
          const bool is_gone = text.find("device '" + name +
                                         "' is gone: its plugin 'kept' was "
                                         "unloaded.") != std::string::npos;
          EXPECT_TRUE(is_closing || is_gone) << text;
        }
      });
    }
  }
}

TEST(UnrulyPlugin, TheLogMayTrimWhileMemoryIsReleased) {
  const EnvironmentVariable ways("UNRULY", "release-logs");
  RuntimeOptions options = unruly_options();
  Runtime* asked = nullptr;
  int num_trims = 0;
  options.log = [&](LogLevel, std::string_view line) {
    if (asked == nullptr || line.find("memory goes") == std::string_view::npos) return;
    for (const char* device : {"kept:0", "kept:1"}) asked->device(device).trim_memory();
    ++num_trims;
  };
  Runtime runtime(options);
  for (const char* device : {"kept:0", "kept:1"}) {
    EXPECT_EQ(values_on(runtime.device(device)), kOnes);
  }
  asked = &runtime;
  runtime.device("kept:1").trim_memory();
  EXPECT_EQ(num_trims, 2);  // that of the other device within
  asked = nullptr;
}

/// The log's kernel is the first, so the one that it interrupted is not kept.
TEST(UnrulyPlugin, TheLogMayPrepareTheKernelThatIsBeingPrepared) {
  for_each_mode([](const auto& settings) {
    const EnvironmentVariable ways("UNRULY", "prepare-logs,kernel-logs");
    RuntimeOptions options = unruly_options(settings);
    Runtime* asked = nullptr;
    int num_prepared = 0, num_gone = 0;
    options.log = [&](LogLevel, std::string_view line) {
      if (asked == nullptr) return;
      const bool is_first =
          line.find("is prepared") != std::string_view::npos && ++num_prepared == 1;
      const bool is_gone = line.find("a kernel goes") != std::string_view::npos && ++num_gone == 1;
      if (is_first || is_gone) (void)Kernel::prepare(asked->device("kept:1"), fill_spec());
    };
    Runtime runtime(options);
    asked = &runtime;
    (void)Kernel::prepare(runtime.device("kept:1"), fill_spec());
    EXPECT_EQ(num_prepared, 2);
    EXPECT_EQ(num_gone, 1);
    asked = nullptr;
  });
}

/// Two threads whose sinks did so would wait for each other.
TEST(UnrulyPlugin, NothingElseIsOpenedByTheLogOfADevicesOpeningOrClosing) {
  const EnvironmentVariable ways("UNRULY", "open-device-logs,count-memory");
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.add("plain-c");
  RuntimeOptions options = unruly_options({{"visible_devices", "kept:0,kept:1,plainc:0,absent:0"}});
  options.plugin_directories = {directory.path()};
  Runtime* asked = nullptr;
  int num_calls = 0;
  std::vector<std::string> absent;
  options.log = [&](LogLevel, std::string_view line) {
    if (line.find("is not there") != std::string_view::npos) absent.emplace_back(line);
    const bool is_opened = line.find("opening a device") != std::string::npos;
    const bool is_closed = line.find("all memory is back") != std::string::npos;
    if (!is_opened && !is_closed) return;
    ++num_calls;
    const std::string what = is_opened ? "kept:1" : "a plugin";
    EXPECT_EQ(asked->devices().size(), 2u);  // those of the open plugin
    EXPECT_EQ(asked->gpus().size(), 2u);
    EXPECT_ERROR((void)asked->load(file), ErrorCode::kInUse,
                 "[load] this thread is opening or closing " + what +
                     ", which logged a line: expected no load inside the log sink, got one.");
    EXPECT_ERROR((void)asked->device("plainc"), ErrorCode::kInUse,
                 "[Device] this thread is opening or closing " + what +
                     ", which logged a line: expected inside the log sink a device whose plugin "
                     "is open, got 'plainc:0'. Use it afterwards.");
    if (is_closed) {  // with its plugin
      EXPECT_ERROR((void)ones({3}, asked->device("kept:0")), ErrorCode::kUnknownDevice, kGone);
      return;
    }
    EXPECT_ERROR((void)ones({3}, asked->device("kept:0")), ErrorCode::kInvalidArgument,
                 "[Device] this thread is opening or closing kept:1: expected no other device to "
                 "be opened meanwhile, got kept:0. Use it afterwards.");
  };
  Runtime runtime(options);
  asked = &runtime;
  EXPECT_EQ(values_on(runtime.device("kept:1")), kOnes);
  runtime.unload("kept");
  EXPECT_EQ(num_calls, 2);
  EXPECT_TRUE(absent.empty());
  EXPECT_EQ(runtime.devices().size(), 1u);
  EXPECT_EQ(absent.size(), 3u);  // of the unloaded plugin, too
}

TEST(UnrulyPlugin, ScratchMemoryDoesNotHoldIt) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("device-scratch,count-memory", settings);
    (void)Kernel::prepare(plugin.device(), fill_spec());
    plugin.runtime().unload("kept");
    EXPECT_EQ(plugin.count("all memory is back"), 1u);
    EXPECT_EQ(plugin.count("memory is missing"), 0u);
    EXPECT_EQ(plugin.count("never released"), 0u);
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
  for_each_mode([](const auto& settings) {
    Unruly plugin("device-scratch,allocate-fails", settings);
    plugin.runtime().set_out_of_memory_callback([](const Device&, std::size_t) { throw 1; });
    EXPECT_ERROR((void)Kernel::prepare(plugin.device(), fill_spec()), ErrorCode::kOutOfMemory,
                 "an exception of an unknown type (kept:1)");
  });
}

TEST(UnrulyPlugin, IsRefusedScratchMemoryOfADeviceThatIsNotOpen) {
  for (const char* ways : {"open-asks", "create-asks"}) {
    for_each_mode([ways](const auto& settings) {
      Unruly plugin(ways, settings);
      EXPECT_EQ(values_on(plugin.device()), kOnes);
      EXPECT_EQ(plugin.count("scratch memory is refused"), 1u);
    });
  }
}

// ------------------------------------------------------------------------------- its threads

TEST(UnrulyPlugin, IsNotUnloadedWhileItPlansACopy) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("slow-peer", settings);
    const Device from = plugin.device(0), to = plugin.device(1);
    std::thread planner([&] { EXPECT_EQ(plan_copy(from, to, 64).route, Route::kPeer); });
    while (plugin.count("asks about a peer") == 0) std::this_thread::yield();
    EXPECT_ERROR(plugin.runtime().unload("kept"), ErrorCode::kInUse,
                 "a call of another thread is running");
    planner.join();
    plugin.runtime().unload("kept");
  });
}

TEST(UnrulyPlugin, ItsThreadsAreRefusedScratchMemoryOfADeviceThatIsNotOpen) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("open-thread-asks", settings);
    EXPECT_EQ(values_on(plugin.device()), kOnes);
    EXPECT_EQ(plugin.count("scratch memory is refused"), 1u);
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
        EXPECT_EQ(plugin.count("never released"), 0u);
      }
    });
  }
}

/// The thread that opens or closes the plugin waits for the one that logs.
TEST(UnrulyPlugin, ALogOfItsThreadsListsDevices) {
  const EnvironmentVariable variable("UNRULY", "open-thread-logs,close-thread-logs");
  RuntimeOptions options = unruly_options();
  options.plugin_files.clear();
  options.plugin_directories = {PATCHBAY_FIXTURE_DIR "/unruly"};
  Runtime* asked = nullptr;
  std::vector<std::size_t> listed;
  std::string refusal;
  options.log = [&](LogLevel, std::string_view line) {
    if (asked == nullptr || line.find(" in a thread") == std::string_view::npos) return;
    listed.push_back(asked->devices().size());
    try {
      asked->unload("kept");
    } catch (const Error& error) {
      refusal = error.what();
    }
  };
  Runtime runtime(options);
  asked = &runtime;
  EXPECT_EQ(values_on(runtime.device("kept:1")), kOnes);
  runtime.unload("kept");
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0], 0u);
  EXPECT_NE(refusal.find("is opening or closing a plugin"), std::string::npos) << refusal;
}

/// The plugin logs within a call, perhaps under a lock: a sink that used a device would wait for
/// itself.
TEST(UnrulyPlugin, ALogWithinACallUsesNoDevice) {
  const EnvironmentVariable variable("UNRULY", "launch-logs");
  RuntimeOptions options = unruly_options();
  Runtime* asked = nullptr;
  std::vector<std::string> refusals;
  options.log = [&](LogLevel, std::string_view) {
    Runtime* const runtime = std::exchange(asked, nullptr);
    if (runtime == nullptr) return;
    const Device device = runtime->device("kept:1");
    (void)device.memory();
    EXPECT_FALSE(runtime->explain().empty());
    const std::function<void()> calls[] = {
        [&] { (void)ones({3}, device); }, [&] { device.synchronize(); },
        [&] { device.trim_memory(); }, [&] { runtime->unload("kept"); }};
    for (const auto& call : calls) {
      try {
        call();
        refusals.emplace_back();
      } catch (const Error& error) {
        refusals.emplace_back(error.what());
      }
    }
  };
  Runtime runtime(options);
  (void)runtime.device("kept:1").memory();
  asked = &runtime;
  EXPECT_EQ(values_on(runtime.device("kept:1")), kOnes);
  ASSERT_EQ(refusals.size(), 4u);
  for (const std::string& refusal : refusals) {
    EXPECT_NE(
        refusal.find(
            "a log sink called the runtime while a plugin, which logged a line, is given work"),
        std::string::npos)
        << refusal;
  }
}

}  // namespace
}  // namespace patchbay::faults
