// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Several runtimes in a process, with the same plugin, and plugins whose objects have equal
// addresses.
#include "support/kernels.h"
#include "support/temporary_directory.h"

namespace patchbay::faults {
namespace {

TEST(SeveralRuntimes, EachCountsForItself) {
  const Runtime first = fake_runtime({{"fake_fail_allocate", "2"}, {"memory_cache", "off"}}),
                second = fake_runtime();
  const Device failing = first.device("fake"), fine = second.device("fake");
  const Buffer a = Buffer::allocate(failing, 16), b = Buffer::allocate(fine, 16);
  EXPECT_THROW(static_cast<void>(Buffer::allocate(failing, 16)), Error);
  const Buffer c = Buffer::allocate(fine, 16);
  EXPECT_EQ(fine.memory().live_bytes, 32u);
  EXPECT_EQ(failing.memory().live_bytes, 16u);
}

TEST(SeveralRuntimes, ABufferKeepsItsRuntimeAlive) {
  const std::vector<int> sent = {1, 2, 3};
  Buffer buffer;
  {
    const Runtime runtime = fake_runtime();
    buffer = Buffer::allocate(runtime.device("fake"), 12);
  }
  copy_from_host({buffer, 0, 12}, sent.data());
  std::vector<int> received(3);
  copy_to_host(received.data(), {buffer, 0, 12});
  EXPECT_EQ(received, sent);
}

TEST(SeveralRuntimes, OneAfterTheOther) {
  for (int i = 0; i < 20; ++i) {
    const Runtime runtime = fake_runtime();
    const Buffer buffer = Buffer::allocate(runtime.device("fake"), 16);
    runtime.device("fake").synchronize();
  }
}

// ------------------------------------------------------------------------------- equal objects

RuntimeOptions equal_options(const char* setting, const char* value) {
  RuntimeOptions result = only({});
  result.plugin_files = {fixture_path("equal-one"), fixture_path("equal-two")};
  result.settings = {{setting, value}};
  return result;
}
/// The setting `validate`.
class EqualObjects : public testing::TestWithParam<const char*> {
 protected:
  static RuntimeOptions options() { return equal_options("validate", GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Validation, EqualObjects, testing::Values("0", "1"));

void expect_works(const Device& device) {
  EXPECT_EQ(ones({3}, device).to_vector<float>(), std::vector<float>(3, 1));
}

TEST_P(EqualObjects, OfTwoPluginsAreTwo) {
  Runtime runtime(options());
  const Stream stream(runtime.device("equalone"));
  const Event event = stream.record();
  {
    const Device other = runtime.device("equaltwo");
    Stream(other).record().wait();
    expect_works(other);
  }
  runtime.unload("equal-two");
  event.wait();
  EXPECT_TRUE(stream.record().is_done());
  expect_works(runtime.device("equalone"));
}

TEST_P(EqualObjects, OfTwoRuntimesAreTwo) {
  std::optional<Runtime> first(options()), second(options());
  std::optional<Stream> stream(first->device("equalone"));
  const Event event = stream->record();
  {
    const Stream other(second->device("equalone"));
    other.record().wait();
    expect_works(second->device("equalone"));
    expect_works(second->device("equaltwo"));
  }
  second.reset();
  event.wait();
  EXPECT_TRUE(stream->record().is_done());
  expect_works(first->device("equalone"));
  expect_works(first->device("equaltwo"));  // which only the other runtime has opened so far
}

TEST_P(EqualObjects, OfOneDeviceAreTwo) {
  const Runtime runtime(options());
  const Device device = runtime.device("equalone");
  const Kernel fill = Kernel::prepare(device, test::fill_spec());
  const Buffer out = Buffer::allocate(device, 16);
  const auto launch_on = [&](const Stream& stream) {
    fill.launch(stream, std::vector{Argument::tensor(out, DType::f32, {4}, Access::kWrite),
                                    Argument::scalar(1.0F)});
  };
  const Stream one(device), two(device), three(device);
  launch_on(one);
  const Event of_one = one.record(), of_two = two.record();
  three.wait(of_one);
  launch_on(three);  // after the first launch, whatever the address of the second event
  const bool validates = std::string(GetParam()) == "1";
  EXPECT_EQ(validation_report(runtime).num_findings, 0u) << validation_report(runtime).to_text();
  std::size_t num_streams = 0, num_events = 0;
  for (const LiveObject& object : validation_report(runtime).live) {
    num_streams += object.kind == "stream" ? 1 : 0;
    num_events += object.kind == "event" ? 1 : 0;
  }
  EXPECT_EQ(num_streams, validates ? 3u : 0u);
  EXPECT_EQ(num_events, validates ? 2u : 0u);
}

TEST_P(EqualObjects, AreThePluginsOwnForTheProgram) {
  const Runtime runtime(options());
  const PluginExtension found = plugin_extension(runtime.device("equalone"), "equal.device", 1);
  EXPECT_EQ(found.device, found.table);
}

TEST(EqualDrivers, ShowRangesUntilTheirOwnEnd) {
  Runtime runtime(equal_options("ranges", "1"));
  static_cast<void>(runtime.device("equalone"));
  static_cast<void>(runtime.device("equaltwo"));
  runtime.unload("equal-two");
  testing::internal::CaptureStderr();
  { const TraceScope scope("later", runtime); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "equal-one begins later\n");
}

TEST(EqualDriversDeathTest, AreStoppedAtTheEndOfTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static Runtime& runtime = *new Runtime(equal_options("ranges", "0"));
        expect_works(runtime.device("equalone"));
        expect_works(runtime.device("equaltwo"));
        runtime.unload("equal-two");
        std::exit(3);
      },
      testing::ExitedWithCode(3), "stop of equal-one");
  EXPECT_EXIT(
      {
        static Runtime& runtime = *new Runtime(equal_options("ranges", "0"));
        expect_works(runtime.device("equalone"));
        expect_works(Runtime(equal_options("ranges", "0")).device("equalone"));
        std::exit(3);
      },
      testing::ExitedWithCode(3), "stop of equal-one");
}

}  // namespace
}  // namespace patchbay::faults
