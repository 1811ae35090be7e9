// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include "support/runtime_fixture.h"

namespace patchbay {
namespace {

class Copy : public testing::Test {
 protected:
  Device at(const char* name) const { return runtime_.device(name); }
  Ledger& ledger() const { return runtime_.ledger(); }

  Runtime runtime_{test::options({{"fake_peer", "1"}})};
};

/// A runtime whose fake devices are slow, and a source that a copy to them still reads.
struct Unfinished {
  Unfinished()
      : runtime(test::options({{"fake_delay_ms", "30"}})),
        target(Buffer::allocate(runtime.device("fake:0"), 64)),
        source(Buffer::allocate(runtime.device("cpu:0"), 64)) {
    std::memset(source.host_pointer(), 7, 64);
    copy({target, 0, 64}, {source, 0, 64}, /*non_blocking=*/true);
  }

  Runtime runtime;
  Buffer target, source;
};

// What is freed while one plugin's stream still reads it is held by another plugin's device.
TEST(CopyUnfinished, RuntimesEndInAnyOrderOfPlugins) {
  const Unfinished fake_first;
  EXPECT_EQ(fake_first.runtime.devices().front().name(), "fake:0");
}

TEST(CopyUnfinished, FreedSourcesDoNotOutliveAnUnloadedPlugin) {
  Unfinished unfinished;
  unfinished.source = Buffer();
  unfinished.target = Buffer();
  unfinished.runtime.unload("fake");
  EXPECT_EQ(unfinished.runtime.device("cpu:0").memory().live_bytes, 0u);
  EXPECT_NO_THROW((void)Buffer::allocate(unfinished.runtime.device("cpu:0"), 64));
}

TEST(CopyUnfinished, SourcesOutliveAnUnloadedPlugin) {
  Unfinished unfinished;
  const Stream stream = unfinished.runtime.device("fake:0").default_stream();
  unfinished.target = Buffer();
  unfinished.runtime.unload("fake");
  std::vector<unsigned char> back(64);
  copy_to_host(back.data(), {unfinished.source, 0, 64});
  EXPECT_EQ(back, std::vector<unsigned char>(64, 7));
  std::memset(unfinished.source.host_pointer(), 8, 64);
  EXPECT_ERROR(stream.synchronize(), kUnknownDevice, "its plugin 'fake' was unloaded");
}

// A use that failed has ended; the others have not.
TEST(CopyUnfinished, LentMemoryComesBackAfterEveryUse) {
  const Runtime runtime(test::options({{"fake_delay_ms", "30"}, {"fake_fail_async_launch", "1"}}));
  std::vector<unsigned char> lent(64, 1);
  const Tensor poisoned = zeros({64}, {DType::u8, runtime.device("fake:0")});
  const Buffer lost = poisoned.buffer(), whole = Buffer::allocate(runtime.device("fake:1"), 64);
  {
    const Buffer source = Buffer::wrap_host(runtime.device("cpu:0"), lent.data(), 64,
                                            [&lent] { std::memset(lent.data(), 9, 64); });
    copy({lost, 0, 64}, {source, 0, 64}, /*non_blocking=*/true);
    copy({whole, 0, 64}, {source, 0, 64}, /*non_blocking=*/true);
  }
  EXPECT_EQ(lent[0], 9);
  std::vector<unsigned char> back(64);
  copy_to_host(back.data(), {whole, 0, 64});
  EXPECT_EQ(back, std::vector<unsigned char>(64, 1));
}

TEST_F(Copy, WrappedMemoryHoldsItsPlugin) {
  std::vector<int> lent(4);
  const Buffer buffer = Buffer::wrap_host(at("cpu:0"), lent.data(), 16);
  EXPECT_ERROR(runtime_.unload("cpu-openblas"), kInUse, "cpu:0: 1 wrapped buffer");
}

TEST_F(Copy, ExceptionsOfTheOwnersCallbackAreKept) {
  std::vector<int> lent(4);
  Buffer buffer = Buffer::wrap_host(at("cpu:0"), lent.data(), 16, [] { throw 1; });
  buffer = Buffer();
  EXPECT_INVALID(buffer.size_bytes(), "[size_bytes] null buffer");
  EXPECT_INVALID(buffer.host_pointer(), "[host_pointer] null buffer");
}

TEST(CopyPlan, OfAStagedCopyNamesItsLegsAndChunks) {
  const Runtime runtime(test::options({{"fake_peer", "0"}}));
  const Device from = runtime.device("fake:0");
  EXPECT_FALSE(from.properties().peer_access);
  const CopyPlan plan = plan_copy(from, runtime.device("fake:1"), (10u << 20) + 7);
  EXPECT_EQ(plan.route, Route::kStaged);
  ASSERT_EQ(plan.legs.size(), 2u);
  EXPECT_EQ(plan.legs[0].to, "host");
  EXPECT_EQ(plan.legs[1].from, "host");
  EXPECT_EQ(plan.chunks, 11u);
  EXPECT_FALSE(plan.seconds.has_value()) << "nothing was measured";
}

TEST_F(Copy, NoneMovesNothingAndCountsNothing) {
  const Buffer buffer = Buffer::allocate(at("fake:0"), 8);
  ledger().reset();
  copy({buffer, 0, 8}, {buffer, 0, 8});
  copy({buffer, 0, 0}, {buffer, 4, 0});
  EXPECT_TRUE(ledger().entries().empty());
}

TEST_F(Copy, PlanSaysWhyItIsThatRoute) {
  const auto planned = [&](const Endpoint& from, const Endpoint& to, std::size_t size_bytes) {
    const CopyPlan plan = plan_copy(from, to, size_bytes);
    return std::string(to_string(plan.route)) + ": " + plan.reason;
  };
  EXPECT_EQ(planned(at("cpu:0"), at("fake:0"), 0), "none: there are no bytes to move");
  EXPECT_EQ(planned(at("fake:0"), at("fake:0"), 5),
            "same device: both ends are memory of one device");
  EXPECT_EQ(planned(Endpoint::host(), at("fake:0"), 5),
            "host to device: the host can address the source");
  EXPECT_EQ(planned(at("fake:0"), at("cpu:0"), 5),
            "device to host: the host can address the destination");
  EXPECT_EQ(planned(Endpoint::host(), at("cpu:0"), 5),
            "host to host: the host can address both ends");
  EXPECT_EQ(planned(at("cpu:0"), at("cpu:1"), 5), "host to host: the host can address both ends");
  EXPECT_EQ(planned(at("fake:0"), at("fake:1"), 5),
            "peer: the source's device reaches the destination's");
}

TEST(CopyPlan, SaysWhyACopyIsStaged) {
  const auto reason = [](const char* setting) {
    const Runtime runtime(test::options({{"fake_devices", "3"}, {"fake_peers", setting}}));
    return plan_copy(runtime.device("fake:0"), runtime.device("fake:1"), 5).reason;
  };
  EXPECT_EQ(reason(""), "the source's device reaches no other");
  EXPECT_EQ(reason("0>2"), "the source's device can't reach the destination's");
  EXPECT_EQ(reason("0>1"), "the source's device reaches the destination's");
}

TEST_F(Copy, PinnedMemoryIsAHostEnd) {
  const Buffer pinned = Buffer::allocate(at("fake:0"), 64, MemoryKind::kPinned);
  const Buffer device = Buffer::allocate(at("fake:0"), 64);
  static_cast<char*>(pinned.host_pointer())[5] = 42;
  ledger().reset();
  copy({device, 0, 64}, {pinned, 0, 64});
  EXPECT_EQ(ledger().entries().at(0).route, Route::kHostToDevice);
  char back[64];
  copy_to_host(back, {device, 0, 64});
  EXPECT_EQ(back[5], 42);
}

TEST_F(Copy, BadRangesAreErrorsBeforeAnything) {
  const Buffer a = Buffer::allocate(at("fake:0"), 16), b = Buffer::allocate(at("cpu:0"), 16);
  ledger().reset();
  EXPECT_INVALID(copy({a, 0, 8}, {b, 0, 9}), "sizes differ");
  EXPECT_INVALID(copy({a, 9, 8}, {b, 0, 8}),
                 "destination range is outside its buffer: 8 bytes from offset 9, of 16 bytes");
  EXPECT_INVALID(copy({a, 0, 8}, {b, SIZE_MAX, 8}), "source range");
  EXPECT_INVALID(copy({a, 0, 8}, {a, 4, 8}), "overlap");
  EXPECT_INVALID(copy({a, 0, 8}, {Buffer(), 0, 8}), "no buffer");
  EXPECT_INVALID(copy_from_host({a, 0, 8}, nullptr), "null");
  EXPECT_INVALID(copy_to_host(nullptr, {a, 0, 8}), "null");
  EXPECT_TRUE(ledger().entries().empty());
}

TEST_F(Copy, BuffersThatWrapOneBlockMayNotOverlap) {
  int values[8] = {};
  const Buffer low = Buffer::wrap_host(at("cpu:0"), values, 6 * sizeof(int));
  const Buffer high = Buffer::wrap_host(at("cpu:1"), values + 2, 6 * sizeof(int));
  EXPECT_INVALID(copy({low, 0, 24}, {high, 0, 24}), "overlap");
  values[7] = 5;
  copy({low, 0, 8}, {high, 16, 8});
  EXPECT_EQ(values[1], 5);
}

TEST_F(Copy, GuardForbidsMovementAndLeavesTheDestination) {
  const Buffer device = Buffer::allocate(at("fake:0"), 4);
  const Buffer other = Buffer::allocate(at("fake:0"), 4);
  const int before = 7;
  const int after = 8;
  copy_from_host({device, 0, 4}, &before);
  ledger().reset();
  {
    const CopyGuard guard;
    EXPECT_ERROR(copy_from_host({device, 0, 4}, &after), kCopyForbidden,
                 "copy of 4 bytes from host to fake:0 (host to device) inside a CopyGuard");
    copy({other, 0, 4}, {device, 0, 4});  // stays on the device
    const CopyGuard allowed(CopyGuard::Mode::kAllow);
    copy_from_host({other, 0, 4}, &after);
  }
  int value = 0;
  copy_to_host(&value, {device, 0, 4});
  EXPECT_EQ(value, before);
}

TEST(CopyGuardLog, ReportsAndGoesOn) {
  RuntimeOptions chosen = test::options();
  std::string lines;
  chosen.log = [&lines](LogLevel, std::string_view line) { lines += line; };
  const Runtime runtime(chosen);
  const Buffer device = Buffer::allocate(runtime.device("fake:0"), 4);
  const CopyGuard guard(CopyGuard::Mode::kLog);
  const int value = 3;
  copy_from_host({device, 0, 4}, &value);
  EXPECT_NE(lines.find("copy of 4 bytes from host to fake:0"), std::string::npos) << lines;
  EXPECT_EQ(runtime.ledger().total().copies, 1u);
}

TEST_F(Copy, LedgerCountsByTag) {
  const Buffer device = Buffer::allocate(at("fake:0"), 4);
  ledger().reset();
  const int value = 1;
  copy_from_host({device, 0, 4}, &value);
  {
    const CopyTag tag("input \"x\"\n");
    copy_from_host({device, 0, 4}, &value);
    copy_from_host({device, 0, 2}, &value);
  }
  const auto entries = ledger().entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].tag, "");
  EXPECT_EQ(entries[1].copies, 2u);
  EXPECT_EQ(entries[1].bytes, 6u);
  EXPECT_EQ(ledger().total("host", "fake:0").copies, 3u);
  EXPECT_EQ(ledger().total("fake:0").copies, 0u);
  EXPECT_NE(ledger().to_json().find(R"("tag":"input \"x\"\n")"), std::string::npos)
      << ledger().to_json();
}

TEST_F(Copy, LedgerHasOneLineAnEntry) {
  const Buffer buffer = Buffer::allocate(at("cpu:0"), 4);
  ledger().reset();
  const CopyTag tag("a\nb");
  copy_from_host({buffer, 0, 4}, "abc");
  const std::string text = ledger().to_text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_NE(text.find("a\\x0ab"), std::string::npos) << text;
}

TEST_F(Copy, PlanOfTwoRuntimesIsAnError) {
  const Runtime other(test::options());
  EXPECT_INVALID(plan_copy(at("fake:0"), other.device("fake:0"), 1), "two runtimes");
}

}  // namespace
}  // namespace patchbay
