// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A plugin that misbehaves while it is used harms nothing but its own devices, and each error says
// what is wrong.
#include <malloc.h>

#include <cfenv>
#include <new>
#include <tuple>

#include "runtime/plugin/unruly.h"
#include "support/runtime_fixture.h"

namespace patchbay::faults {
namespace {

using test::EnvironmentVariable;

TEST(UnrulyPlugin, BehavesWell) {
  for_each_mode("", [](Unruly& plugin) {
    EXPECT_EQ(values_on(plugin.device(0)), kOnes);
    EXPECT_EQ(values_on(plugin.device(1)), kOnes);
    plugin.runtime().unload("kept");
  });
}

// ------------------------------------------------------------------------------- failed calls

TEST(UnrulyPlugin, StreamsThatAreNotMadeAreNotUsed) {
  for_each_mode("create-leaves", [](Unruly& plugin) {
    EXPECT_EQ(values_on(plugin.device()), kOnes);
    EXPECT_ERROR(Stream(plugin.device()), kLaunchFailed, "[Stream] no stream (kept:1)");
  });
}

TEST(UnrulyPlugin, MemoryThatIsNotGivenIsNotUsed) {
  for_each_mode("allocate-leaves", [](Unruly& plugin) {
    for (int i = 0; i < 2; ++i) EXPECT_THROW((void)Buffer::allocate(plugin.device(), 64), Error);
  });
}

TEST(UnrulyPlugin, MayGiveOneEventForAll) {
  for_each_mode("one-event", [](Unruly& plugin) {
    const Stream stream(plugin.device());
    const Event first = stream.record(), second = stream.record();
    first.wait();
    EXPECT_TRUE(second.is_done());
    EXPECT_EQ(values_on(plugin.device()), kOnes);
  });
}

TEST(UnrulyPlugin, FailuresSayWhatIsKnownInOneLine) {
  const std::tuple<const char*, ErrorCode, const char*> failures[] = {
      {"allocate-fails,info-fails", ErrorCode::kOutOfMemory,
       "[allocate] out of memory on kept:1: requested 64 bytes, free memory not known, held by "
       "this "
       "runtime 0 in 0 blocks (no room)."},
      {"allocate-builds", ErrorCode::kBuildFailed, "[allocate] line one line two (kept:1)"},
      {"allocate-says-nothing", ErrorCode::kLaunchFailed,
       "[allocate] it gave no message (kept:1)"}};
  for (const auto& [ways, code, text] : failures) {
    EXPECT_ERROR(Buffer::allocate(Unruly(ways).device(), 64), code, text);
  }
  const EnvironmentVariable ways("UNRULY", "open-says-nothing");
  EXPECT_ERROR(Runtime{unruly_options()}, kPluginFailed, "failed: it gave no message");
}

TEST(UnrulyPlugin, AWorkspaceThatGrowsIsItsFault) {
  Unruly plugin("workspace-grows", {{"validate", "1"}});
  EXPECT_ERROR(ones({3}, plugin.device()), kValidation,
               "[fill] the plugin 'kept' broke the plugin interface: workspace_bytes gave 8192 for "
               "a launch, expected at most 4096, as when the kernel was prepared (kept:1)");
}

TEST(UnrulyPlugin, ProgramsGetItsOwnObjectOfADevice) {
  struct KeptDevice {
    void* driver;
    std::uint32_t index;
  };
  for_each_mode("", [](Unruly& plugin) {
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
        EXPECT_ERROR(values_on(plugin.device(index)), kDeviceLost,
                     "All that is on this device is lost: use another one.");
      }
      EXPECT_ERROR(plugin.device(index).synchronize(), kDeviceLost, "it fell off the bus");
    }
  }
}

TEST(UnrulyPlugin, ATimeoutThatLosesTheDeviceIsNone) {
  Unruly plugin("synchronize-loses");
  const Stream stream(plugin.device());
  EXPECT_ERROR(stream.synchronize(), kDeviceLost, "it fell off the bus");
}

// ------------------------------------------------------------------------------- waits

TEST(UnrulyPlugin, ATimeoutWithoutADeadlineIsItsFault) {
  Unruly plugin("synchronize-times-out");
  const Stream stream(plugin.device());
  const StreamScope scope(stream);
  const Tensor pending = ones({3}, plugin.device());
  EXPECT_ERROR(stream.synchronize(), kPluginFailed,
               "synchronize timed out without a deadline (kept:1). Tell the author of the plugin.");
  EXPECT_ERROR(stream.synchronize(std::chrono::milliseconds(1)), kTimedOut,
               "Nothing is lost: wait again.");
}

/// Memory is not released before its work has ended, though the first wait fails.
TEST(UnrulyPlugin, AWaitThatFailsIsRepeated) {
  Unruly plugin("pending,synchronize-fails-first");
  (void)ones({3}, plugin.device());
  plugin.device().trim_memory();
  EXPECT_EQ(plugin.count("memory of pending work is released"), 0);
}

TEST(UnrulyPlugin, CallbacksMayComeTwiceOrWithAFailure) {
  for (const auto& [ways, fails] : {std::pair{"callback-and-failure", true},
                                    {"callback-and-unsupported", false},
                                    {"callback-twice", false}}) {
    for_each_mode(ways, [&](Unruly& plugin) {
      int calls = 0;
      const Stream stream(plugin.device());  // destroyed once its own thread has made its calls
      const auto add = [&] { stream.add_callback([&calls](const Error*) { ++calls; }); };
      if (fails) {
        EXPECT_ERROR(add(), kLaunchFailed, "called, and failed");
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
  for_each_mode("callback-without-fault", [](Unruly& plugin) {
    int num_calls = 0;
    Stream(plugin.device()).add_callback([&num_calls](const Error*) {
      ++num_calls;
      throw std::bad_alloc();
    });
    EXPECT_EQ(num_calls, 1);
    EXPECT_EQ(plugin.count("a stream's callback threw an exception"), 1);
  });
}

constexpr const char* kNeverCalled =
    "[add_callback] the plugin 'kept' broke the plugin interface: destroy of the stream table "
    "returned before this call. Tell the author of the plugin (kept:1)";

TEST(UnrulyPlugin, CallbacksThatItDoesNotCallAreToldByTheEndOfTheStream) {
  for_each_mode("never-calls", [](Unruly& plugin) {
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
  EXPECT_HAS(told, "[add_callback] it fell off the bus");
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
  for_each_mode("no-pinned-address", [](Unruly& plugin) {
    const char* const refusal =
        "[allocate] the plugin 'kept' broke the plugin interface: allocate of the memory table "
        "gave "
        "pinned memory, which its host_addressable_kinds lack (kept:0). Tell the author of the "
        "plugin.";
    EXPECT_ERROR(Buffer::allocate(plugin.device(0), 64, MemoryKind::kPinned), kPluginFailed,
                 refusal);
    EXPECT_ERROR(ones({3}, plugin.device(0)).to(plugin.device(1)), kPluginFailed,
                 "gave pinned memory, which its host_addressable_kinds lack (kept:0)");
  });
}

TEST(UnrulyPlugin, AHandleThatIsNotGivenIsNotUsed) {
  for_each_mode("null-handle", [](Unruly& plugin) {
    const Buffer buffer = Buffer::allocate(plugin.device(), 64);
    EXPECT_ERROR(native_handle(buffer), kPluginFailed,
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
  for_each_mode("prepare-loses", [](Unruly& plugin) {
    const Device device = plugin.device();
    EXPECT_ERROR(Kernel::prepare(device, fill_spec()), kDeviceLost, "it fell off the bus");
    EXPECT_ERROR(Buffer::allocate(device, 64), kDeviceLost, "it fell off the bus");
    EXPECT_ERROR(device.synchronize(), kDeviceLost, "it fell off the bus");
    (void)Buffer::allocate(plugin.device(0), 64);
  });
}

TEST(UnrulyPlugin, TooLargeAWorkspaceIsNamed) {
  for_each_mode("workspace-absurd", [](Unruly& plugin) {
    EXPECT_ERROR(ones({3}, plugin.device()), kOutOfMemory,
                 "no room for the workspace of 36028797018963968 bytes that fill.1 asks for: out "
                 "of memory on kept:1: requested 36028797018963968 bytes");
  });
}

// ------------------------------------------------------------------------------- interop

TEST(UnrulyPlugin, ItsMemoryIsTheHostsInDlpackOnlyIfTheHostCanUseIt) {
  const EnvironmentVariable ways("UNRULY", "host-in-dlpack");
  EXPECT_ERROR(Runtime{unruly_options()}, kPluginFailed,
               "its DLPack device is the host, and its host_addressable_kinds lack device memory");
}

}  // namespace
}  // namespace patchbay::faults
