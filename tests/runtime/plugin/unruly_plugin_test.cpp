// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin that misbehaves while it is used harms nothing but its own devices, and each error says
// what is wrong.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <patchbay/interop.h>
#include <patchbay/patchbay.h>

#include "support/environment_variable.h"
#include "support/runtime_fixture.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

using test::EnvironmentVariable;

RuntimeOptions unruly_options(std::map<std::string, std::string> settings = {}) {
  RuntimeOptions result;
  result.read_environment = false;
  result.search_default_directories = false;
  result.plugin_files = {PATCHBAY_FIXTURE_DIR "/unruly/patchbay-kept.so"};
  result.settings = std::move(settings);
  return result;
}

/// A runtime with the plugin, which misbehaves in these ways.
class Unruly {
 public:
  explicit Unruly(const std::string& ways, std::map<std::string, std::string> settings = {})
      : ways_("UNRULY", ways), runtime_(options(std::move(settings))) {}

  Runtime& runtime() { return runtime_; }
  Device device(int index = 1) { return runtime_.device("kept:" + std::to_string(index)); }
  std::size_t count(std::string_view text) {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(lines_.begin(), lines_.end(),
                      [text](const auto& line) { return line.find(text) != std::string::npos; }));
  }

 private:
  RuntimeOptions options(std::map<std::string, std::string> settings) {
    settings["log"] = "info";
    RuntimeOptions result = unruly_options(std::move(settings));
    result.log = [this](LogLevel, std::string_view line) {
      const std::scoped_lock lock(mutex_);
      lines_.emplace_back(line);
    };
    return result;
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
  const EnvironmentVariable ways_;
  Runtime runtime_;
};

/// With validation and without.
void for_each_mode(const std::function<void(const std::map<std::string, std::string>&)>& body) {
  for (const char* validate : {"0", "1"}) {
    SCOPED_TRACE(std::string("validate ") + validate);
    body({{"validate", validate}});
  }
}

KernelSpec fill_spec() {
  return {"fill.1",
          {ArgumentSpec::tensor(DType::f32, Access::kWrite), ArgumentSpec::scalar(DType::f32)},
          {}};
}

std::vector<float> values_on(const Device& device) { return ones({3}, device).to_vector<float>(); }
const std::vector<float> kOnes(3, 1);

TEST(UnrulyPlugin, BehavesWell) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("", settings);
    EXPECT_EQ(values_on(plugin.device(0)), kOnes);
    EXPECT_EQ(values_on(plugin.device(1)), kOnes);
    plugin.runtime().unload("kept");
  });
}

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

// ------------------------------------------------------------------------------- failed calls

TEST(UnrulyPlugin, StreamsThatAreNotMadeAreNotUsed) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("create-leaves", settings);
    EXPECT_EQ(values_on(plugin.device()), kOnes);
    EXPECT_ERROR(Stream(plugin.device()), ErrorCode::kLaunchFailed, "[Stream] no stream (kept:1)");
  });
}

TEST(UnrulyPlugin, MemoryThatIsNotGivenIsNotUsed) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("allocate-leaves", settings);
    for (int i = 0; i < 2; ++i) {
      EXPECT_THROW((void)Buffer::allocate(plugin.device(), 64), Error);
    }
  });
}

TEST(UnrulyPlugin, MayGiveOneEventForAll) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("one-event", settings);
    const Stream stream(plugin.device());
    const Event first = stream.record(), second = stream.record();
    first.wait();
    EXPECT_TRUE(second.is_done());
    EXPECT_EQ(values_on(plugin.device()), kOnes);
  });
}

TEST(UnrulyPlugin, UnknownFreeMemoryIsNotShown) {
  Unruly plugin("allocate-fails,info-fails");
  EXPECT_ERROR(
      (void)Buffer::allocate(plugin.device(), 64), ErrorCode::kOutOfMemory,
      "[allocate] out of memory on kept:1: requested 64 bytes, free memory not known, held "
      "by this runtime 0 in 0 blocks (no room).");
}

TEST(UnrulyPlugin, ErrorsHaveOneLine) {
  Unruly plugin("allocate-builds");
  EXPECT_ERROR((void)Buffer::allocate(plugin.device(), 64), ErrorCode::kBuildFailed,
               "[allocate] line one line two (kept:1)");
}

TEST(UnrulyPlugin, EmptyMessagesAreNoted) {
  Unruly plugin("allocate-says-nothing");
  EXPECT_ERROR((void)Buffer::allocate(plugin.device(), 64), ErrorCode::kLaunchFailed,
               "[allocate] it gave no message (kept:1)");
  const EnvironmentVariable ways("UNRULY", "open-says-nothing");
  EXPECT_ERROR(Runtime{unruly_options()}, ErrorCode::kPluginFailed, "failed: it gave no message");
}

TEST(UnrulyPlugin, AWorkspaceThatGrowsIsItsFault) {
  Unruly plugin("workspace-grows", {{"validate", "1"}});
  EXPECT_ERROR((void)ones({3}, plugin.device()), ErrorCode::kValidation,
               "[fill] the plugin 'kept' broke the plugin interface: workspace_bytes gave 8192 "
               "for a launch, expected at most 4096, as when the kernel was prepared (kept:1). "
               "Tell the author of the plugin.");
}

TEST(UnrulyPlugin, ProgramsGetItsOwnObjectOfADevice) {
  struct KeptDevice {
    void* driver;
    std::uint32_t index;
  };
  for_each_mode([](const auto& settings) {
    Unruly plugin("", settings);
    const PluginExtension counts = plugin_extension(plugin.device(), "kept.counts", 1);
    EXPECT_EQ(static_cast<const KeptDevice*>(counts.device)->index, 1u);
  });
}

// ------------------------------------------------------------------------------- lost devices

TEST(UnrulyPlugin, ALostDeviceStaysLost) {
  for (const char* ways : {"launch-loses-first", "allocate-loses"}) {
    for (const int index : {0, 1}) {
      SCOPED_TRACE(std::string(ways) + ", device " + std::to_string(index));
      Unruly plugin(ways);
      for (int i = 0; i < 2; ++i) {
        EXPECT_ERROR((void)values_on(plugin.device(index)), ErrorCode::kDeviceLost,
                     "All that is on this device is lost: use another one.");
      }
      EXPECT_ERROR(plugin.device(index).synchronize(), ErrorCode::kDeviceLost,
                   "it fell off the bus");
    }
  }
}

TEST(UnrulyPlugin, ATimeoutThatLosesTheDeviceIsNone) {
  Unruly plugin("synchronize-loses");
  const Stream stream(plugin.device());
  EXPECT_ERROR(stream.synchronize(), ErrorCode::kDeviceLost, "it fell off the bus");
}

// ------------------------------------------------------------------------------- waits

TEST(UnrulyPlugin, ATimeoutWithoutADeadlineIsItsFault) {
  Unruly plugin("synchronize-times-out");
  const Stream stream(plugin.device());
  const StreamScope scope(stream);
  const Tensor pending = ones({3}, plugin.device());
  EXPECT_ERROR(stream.synchronize(), ErrorCode::kPluginFailed,
               "synchronize timed out without a deadline (kept:1). Tell the author of the plugin.");
  EXPECT_ERROR(stream.synchronize(std::chrono::milliseconds(1)), ErrorCode::kTimedOut,
               "Nothing is lost: wait again.");
}

/// Memory is not released before its work has ended, though the first wait fails.
TEST(UnrulyPlugin, AWaitThatFailsIsRepeated) {
  Unruly plugin("pending,synchronize-fails-first");
  (void)ones({3}, plugin.device());
  plugin.device().trim_memory();
  EXPECT_EQ(plugin.count("memory of pending work is released"), 0u);
}

TEST(UnrulyPlugin, CallbacksMayComeTwiceOrWithAFailure) {
  for (const auto& [ways, fails] : {std::pair{"callback-and-failure", true},
                                    {"callback-and-unsupported", false},
                                    {"callback-twice", false}}) {
    for_each_mode([&](const auto& settings) {
      Unruly plugin(ways, settings);
      int calls = 0;
      const Stream stream(plugin.device());  // destroyed once its own thread has made its calls
      const auto add = [&] { stream.add_callback([&calls](const Error*) { ++calls; }); };
      if (fails) {
        EXPECT_ERROR(add(), ErrorCode::kLaunchFailed, "called, and failed");
      } else {
        add();
      }
      EXPECT_EQ(calls, 1);
    });
  }
}

TEST(UnrulyPlugin, ACallbacksStatusThatIsNoFaultLeavesTheStream) {
  Unruly plugin("callback-without-fault");
  const Stream stream(plugin.device());
  std::string told;
  stream.add_callback(
      [&told](const Error* error) { told = error != nullptr ? error->what() : ""; });
  EXPECT_EQ(told, "[add_callback] it could not wait (kept:1)");
  const StreamScope scope(stream);
  EXPECT_EQ(values_on(plugin.device()), kOnes);
}

TEST(UnrulyPlugin, ACallbackThatFindsNoMemoryIsNotRepeated) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("callback-without-fault", settings);
    int num_calls = 0;
    Stream(plugin.device()).add_callback([&num_calls](const Error*) {
      ++num_calls;
      throw std::bad_alloc();
    });
    EXPECT_EQ(num_calls, 1);
    EXPECT_EQ(plugin.count("a stream's callback threw an exception"), 1u);
  });
}

constexpr const char* kNeverCalled =
    "[add_callback] the plugin 'kept' broke the plugin interface: destroy of the stream table "
    "returned before this call. Tell the author of the plugin (kept:1)";

TEST(UnrulyPlugin, CallbacksThatItDoesNotCallAreToldByTheEndOfTheStream) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("never-calls", settings);
    std::vector<std::string> told;
    const auto held = std::make_shared<int>();
    const auto add = [&](const Stream& stream) {
      stream.add_callback([&told, held](const Error* error) {
        told.emplace_back(error != nullptr ? error->what() : "no error");
      });
    };
    {
      const Stream stream(plugin.device());
      add(stream);
      add(stream);
      add(plugin.device().default_stream());
      EXPECT_EQ(told.size(), 0u);
    }
    EXPECT_EQ(told, std::vector<std::string>(2, kNeverCalled));
    plugin.runtime().unload("kept");
    EXPECT_EQ(told, std::vector<std::string>(3, kNeverCalled));
    EXPECT_EQ(held.use_count(), 1);
  });
}

TEST(UnrulyPlugin, CallbacksThatItDoesNotCallRepeatTheStreamsFailure) {
  Unruly plugin("never-calls,launch-loses-first");
  std::string told;
  {
    const Stream stream(plugin.device());
    const StreamScope scope(stream);
    EXPECT_THROW((void)ones({3}, plugin.device()), Error);
    stream.add_callback([&told](const Error* error) { told = error->what(); });
  }
  EXPECT_NE(told.find("[add_callback] it fell off the bus"), std::string::npos) << told;
}

TEST(UnrulyPlugin, ACallAfterTheEndOfTheStreamDoesNothing) {
  std::vector<std::string> told;
  {
    Unruly plugin("calls-late");
    Stream(plugin.device()).add_callback([&told](const Error* error) {
      told.emplace_back(error != nullptr ? error->what() : "no error");
    });
    EXPECT_EQ(told, std::vector<std::string>{kNeverCalled});
  }
  EXPECT_EQ(told.size(), 1u);
}

// ------------------------------------------------------------------------------- memory

/// What the C library's allocator has given out. Nothing under a sanitizer, which replaces it.
std::size_t allocated_bytes() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

TEST(UnrulyPlugin, LeavesLittleMemoryBehind) {
  constexpr std::size_t kCycles = 20, kMostBytes = 32 << 10;  // for each cycle of two devices
  const EnvironmentVariable ways("UNRULY", "");
  RuntimeOptions options = unruly_options();
  const std::filesystem::path file = std::exchange(options.plugin_files, {}).front();
  Runtime runtime(options);
  const auto run_cycle = [&] {
    (void)runtime.load(file);
    for (const char* device : {"kept:0", "kept:1"}) {
      EXPECT_EQ(values_on(runtime.device(device)), kOnes);
    }
    runtime.unload("kept");
  };
  run_cycle();
  const std::size_t before = allocated_bytes();
  for (std::size_t i = 0; i < kCycles; ++i) run_cycle();
  EXPECT_LT(allocated_bytes(), before + kCycles * kMostBytes);
}

TEST(UnrulyPlugin, ItsUnusedDevicesTakeLittleMemory) {
  constexpr std::size_t kDevices = 256, kMostBytes = 16 << 10;
  const std::size_t before = allocated_bytes();
  Unruly plugin("many-devices");
  EXPECT_EQ(plugin.runtime().devices().size(), kDevices);
  EXPECT_LT(allocated_bytes(), before + kDevices * kMostBytes);
}

// ------------------------------------------------------------------------------- properties

TEST(UnrulyPlugin, ItsAlignmentIsKept) {
  Unruly plugin("coarse");
  std::vector<Buffer> buffers;
  for (const std::size_t size : {100, 3000, 5000, 1'500'000}) {
    for (int i = 0; i < 3; ++i) {
      buffers.push_back(Buffer::allocate(plugin.device(), size));
      EXPECT_EQ(native_handle(buffers.back()).value % 4096, 0u) << size;
    }
  }
}

TEST(UnrulyPlugin, CopiesAreStagedWhereItHasNoneBetweenDevices) {
  Unruly plugin("no-peer-copies");
  EXPECT_EQ(plan_copy(plugin.device(0), plugin.device(1), 64).reason,
            "the plugin has no copies between devices");
  EXPECT_EQ(ones({3}, plugin.device(0)).to(plugin.device(1)).to_vector<float>(), kOnes);
}

TEST(UnrulyPlugin, PinnedMemoryWithoutAnAddressIsRefused) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("no-pinned-address", settings);
    const char* const refusal =
        "[allocate] the plugin 'kept' broke the plugin interface: allocate of the memory table "
        "gave "
        "pinned memory, which its host_addressable_kinds lack (kept:0). Tell the author of the "
        "plugin.";
    EXPECT_ERROR((void)Buffer::allocate(plugin.device(0), 64, MemoryKind::kPinned),
                 ErrorCode::kPluginFailed, refusal);
    EXPECT_ERROR((void)ones({3}, plugin.device(0)).to(plugin.device(1)), ErrorCode::kPluginFailed,
                 "gave pinned memory, which its host_addressable_kinds lack (kept:0)");
  });
}

TEST(UnrulyPlugin, AHandleThatIsNotGivenIsNotUsed) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("null-handle", settings);
    const Buffer buffer = Buffer::allocate(plugin.device(), 64);
    EXPECT_ERROR((void)native_handle(buffer), ErrorCode::kPluginFailed,
                 "[native_handle] the plugin 'kept' broke the plugin interface: native_handle "
                 "reported success and gave nothing (kept:1)");
  });
}

TEST(UnrulyPlugin, AdoptingAContextKeepsTheRoundingMode) {
  Unruly plugin("adopt-rounds");
  adopt_context(plugin.device(), 64);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(UnrulyPlugin, ALossInPrepareIsALoss) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("prepare-loses", settings);
    const Device device = plugin.device();
    EXPECT_ERROR((void)Kernel::prepare(device, fill_spec()), ErrorCode::kDeviceLost,
                 "it fell off the bus");
    EXPECT_ERROR((void)Buffer::allocate(device, 64), ErrorCode::kDeviceLost, "it fell off the bus");
    EXPECT_ERROR(device.synchronize(), ErrorCode::kDeviceLost, "it fell off the bus");
    (void)Buffer::allocate(plugin.device(0), 64);
  });
}

TEST(UnrulyPlugin, TooLargeAWorkspaceIsNamed) {
  for_each_mode([](const auto& settings) {
    Unruly plugin("workspace-absurd", settings);
    EXPECT_ERROR(
        (void)ones({3}, plugin.device()), ErrorCode::kOutOfMemory,
        "no room for the workspace of 36028797018963968 bytes that fill.1 asks for: out of "
        "memory on kept:1: requested 36028797018963968 bytes");
  });
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

// ------------------------------------------------------------------------------- interop

TEST(UnrulyPlugin, ItsMemoryIsTheHostsInDlpackOnlyIfTheHostCanUseIt) {
  const EnvironmentVariable ways("UNRULY", "host-in-dlpack");
  EXPECT_ERROR(Runtime{unruly_options()}, ErrorCode::kPluginFailed,
               "its DLPack device is the host, and its host_addressable_kinds lack device memory");
}

}  // namespace
}  // namespace patchbay::faults
