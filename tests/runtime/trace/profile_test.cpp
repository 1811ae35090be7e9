// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Profiles: what they count, on which streams they know times, and what PATCHBAY_PROFILE prints.
#include <sys/wait.h>
#include <unistd.h>

#include "support/child.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

/// The row of that name; no calls if there is none.
ProfileRow find(const std::vector<ProfileRow>& rows, const std::string& name) {
  for (const ProfileRow& row : rows) {
    if (row.name == name) return row;
  }
  return {};
}

class ProfileTest : public DeviceTest {
 protected:
  /// A device of a runtime of its own. Its default stream exists.
  Device open_device() {
    Device device = runtime_.device(device_.name());
    static_cast<void>(ones({10}, device));
    device.synchronize();
    return device;
  }

  const Runtime runtime_{device_options()};
};
PATCHBAY_ON_EACH_DEVICE(ProfileTest);

TEST_P(ProfileTest, CountsCallsBytesAndTimes) {
  const Device device = open_device();
  const Tensor a = ones({1000}, device), row = ones({1, 10}, device),
               column = ones({50, 1}, device);
  Profile profile(runtime_);
  for (int i = 0; i < 3; ++i) static_cast<void>(a + a);
  static_cast<void>(row * column);
  EXPECT_EQ(exp(a).to_vector<float>().size(), 1000u);
  profile.stop();
  static_cast<void>(a - a);
  const std::vector<ProfileRow> rows = profile.rows();
  ASSERT_EQ(rows.size(), 4u) << profile.table();
  const ProfileRow add = find(rows, "add"), exponential = find(rows, "exp");
  EXPECT_EQ(add.device, device.name());
  EXPECT_EQ(add.calls, 3u);
  EXPECT_EQ(add.timed_calls, 3u) << "the default stream was made before the profile";
  EXPECT_EQ(add.bytes, 3u * 3 * 4000);
  EXPECT_EQ(exponential.calls, 1u);
  EXPECT_EQ(exponential.timed_calls, 1u);
  EXPECT_EQ(exponential.bytes, 2u * 4000);
  EXPECT_EQ(find(rows, "mul").bytes, 4u * (10 + 50 + 500)) << "repeated elements count once";
  const ProfileRow copy = find(rows, "copy " + device.name() + " -> host");
  EXPECT_EQ(copy.device, device.properties().host_addressable ? "host" : device.name());
  EXPECT_EQ(copy.calls, 1u);
  EXPECT_EQ(copy.timed_calls, 1u);
  EXPECT_EQ(copy.bytes, 4000u);
  double shares = 0, seconds = rows.front().seconds;
  for (const ProfileRow& each : rows) {
    EXPECT_LE(each.seconds, seconds) << "those that took longest come first";
    seconds = each.seconds;
    shares += each.share;
  }
  EXPECT_NEAR(shares, 1, 1e-9);
}

TEST_P(ProfileTest, KeepsTheOrderOfWorkThatIsQueued) {
  const Device device = open_device();
  Tensor a = ones({1000}, device);
  for (int i = 0; i < 20; ++i) a = a + 1;
  const Profile profile(runtime_);
  for (int i = 0; i < 20; ++i) a = a * 1 + 1;
  EXPECT_EQ(a.to_vector<float>(), Floats(1000, 41));
  EXPECT_EQ(find(profile.rows(), "mul").calls, 20u);
}

TEST_P(ProfileTest, CoversAllThreadsAndStreams) {
  const Device device = open_device();
  const Tensor a = ones({100}, device);
  const Stream before(device);
  Profile profile(runtime_);
  const Stream during(device);
  std::vector<std::thread> threads;
  for (const Stream& stream : {before, during, device.default_stream()}) {
    threads.emplace_back([&a, stream] {
      const StreamScope scope(stream);
      for (int i = 0; i < 5; ++i) static_cast<void>(exp(a));
    });
  }
  for (std::thread& thread : threads) thread.join();
  profile.stop();
  EXPECT_EQ(find(profile.rows(), "exp").calls, 15u);
  EXPECT_EQ(find(profile.rows(), "exp").timed_calls, 15u) << profile.table();
}

TEST_P(ProfileTest, WorksInsideAnotherAndBesideATrace) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) /
                                     ("profile-" + std::to_string(::getpid()) + ".json");
  const Device device = open_device();
  const Tensor a = ones({100}, device);
  Profile outer(runtime_);
  static_cast<void>(exp(a));
  runtime_.start_trace(file);
  {
    Profile inner(runtime_);
    static_cast<void>(exp(a));
    inner.stop();
    EXPECT_EQ(find(inner.rows(), "exp").timed_calls, 1u);
  }
  static_cast<void>(exp(a));
  device.synchronize();
  runtime_.stop_trace();
  static_cast<void>(exp(a));
  outer.stop();
  EXPECT_EQ(find(outer.rows(), "exp").timed_calls, 4u);
  const std::string text = read_text(file);
  std::size_t spans = 0;
  for (std::size_t at = 0; (at = text.find("\"name\":\"exp\"", at)) != std::string::npos; ++at)
    ++spans;
  EXPECT_EQ(spans, 4u) << "two on the thread, two on the stream";
  std::filesystem::remove(file);
}

TEST_P(ProfileTest, NamesFusedFunctionsAndCountsGraphs) {
  const Device device = open_device();
  const Tensor a = ones({100}, device);
  const auto twice = fuse([](const Expression& x) { return x * 2 + 1; }, "twice and one");
  Tensor out = empty({100}, device);
  const Graph graph = record_graph([&] { exp_out(out, a); });
  Profile profile(runtime_);
  static_cast<void>(twice(a));
  graph.replay();
  graph.replay();
  profile.stop();
  EXPECT_EQ(find(profile.rows(), "twice and one").timed_calls, 1u) << profile.table();
  EXPECT_EQ(find(profile.rows(), "twice and one").bytes, 800u);
  EXPECT_EQ(find(profile.rows(), "exp").timed_calls, 2u) << profile.table();
}

TEST_P(ProfileTest, HasNoTimesOfAQueueThatTheApplicationHas) {
  const Device device = open_device();
  const Stream stream(device);
  try {
    static_cast<void>(native_handle(stream));
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  Profile profile(runtime_);
  const Tensor a = ones({100}, device);
  on_stream(stream, [&] { return exp(a); });
  profile.stop();
  EXPECT_EQ(find(profile.rows(), "exp").calls, 1u);
  EXPECT_EQ(find(profile.rows(), "exp").timed_calls, 0u);
  EXPECT_EQ(find(profile.rows(), "exp").share, 0);
  EXPECT_HAS(profile.table(), device.name() +
                                  ": 1 of 2 calls have no time: they failed, were not seen to end, "
                                  "or ran on a stream of the application's.\n");
}

TEST(Profile, HasTheTimesOfTheStreams) {
  const Runtime runtime(options({{"fake_delay_ms", "5"}}));
  const Device device = runtime.device("fake:0");
  const Tensor a = ones({4}, device);
  Profile profile(runtime);
  static_cast<void>(a + 1);
  static_cast<void>(a + 2);
  profile.stop();
  EXPECT_GE(find(profile.rows(), "add").seconds, 0.01);
  EXPECT_EQ(find(profile.rows(), "add").share, 1);
}

TEST(Profile, NamesBothEndsOfCopies) {
  const Runtime runtime(options({{"fake_peer", "0"}}));
  const Tensor a = ones({1000}, runtime.device("cpu:0"));
  const Tensor b = ones({1000}, runtime.device("fake:0"));
  Profile profile(runtime);
  static_cast<void>(a.to(runtime.device("fake:0")));
  static_cast<void>(b.clone());
  static_cast<void>(b.to(runtime.device("fake:1")));
  profile.stop();
  const std::vector<ProfileRow> rows = profile.rows();
  EXPECT_EQ(find(rows, "copy cpu:0 -> fake:0").bytes, 4000u) << profile.table();
  EXPECT_EQ(find(rows, "copy fake:0 -> host").bytes, 4000u) << "the first leg of a staged copy";
  EXPECT_EQ(find(rows, "copy host -> fake:1").bytes, 4000u) << "the second leg";
  EXPECT_EQ(find(rows, "copy host -> fake:1").device, "fake:1");
  for (const ProfileRow& row : rows) EXPECT_EQ(row.timed_calls, row.calls) << row.name;
}

TEST(Profile, CountsFailedWorkWithoutATime) {
  const Runtime runtime(options({{"fake_fail_async_launch", "3"}}));
  const Device device = runtime.device("fake:0");
  const Tensor a = ones({4}, device);
  Profile profile(runtime);
  static_cast<void>(a + 1);
  device.synchronize();
  static_cast<void>(a * 2);
  profile.stop();
  EXPECT_EQ(find(profile.rows(), "add").timed_calls, 1u);
  EXPECT_EQ(find(profile.rows(), "mul").calls, 1u);
  EXPECT_EQ(find(profile.rows(), "mul").timed_calls, 0u);
  EXPECT_HAS(profile.table(), "fake:0: 1 of 2 calls have no time");
  EXPECT_ERROR(device.synchronize(), kLaunchFailed, "[mul]");
}

TEST(Profile, PrintsATable) {
  const Runtime runtime(options());
  const Device device = runtime.device("cpu:0");
  const Tensor a = ones({1 << 20}, device);
  Profile profile(runtime);
  EXPECT_EQ(profile.table(), "No launch and no copy was profiled.\n");
  static_cast<void>(exp(a));
  profile.stop();
  const std::string table = profile.table();
  const std::vector<ProfileRow> rows = profile.rows();
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "OPERATOR  DEVICE  CALLS" + table.substr(23, table.find('\n') - 23));
  for (const char* heading : {"TIME", "PER CALL", "BYTES", "GB/s", "SHARE"}) {
    EXPECT_HAS(table, heading);
  }
  EXPECT_HAS(table, "\nexp       cpu:0       1  ");
  EXPECT_HAS(table, "  8.0 MiB  ");
  EXPECT_TRUE(table.ends_with("100.0 %\n")) << table;
}

TEST(Profile, WithoutOneNothingIsCounted) {
  const Runtime runtime(options());
  const Tensor a = ones({4}, runtime.device("fake:0"));
  { const Profile profile(runtime); }
  static_cast<void>(a + 1);
  const Profile profile(runtime);
  EXPECT_TRUE(profile.rows().empty());
}

// ------------------------------------------------------------------------------ PATCHBAY_PROFILE

/// Without the notes of sanitizers about threads that a forked process does not have.
std::string without_notes(const std::string& text) {
  std::string kept, line;
  for (std::istringstream lines(text); std::getline(lines, line);) {
    if (!line.starts_with("==")) kept += line + '\n';
  }
  return kept;
}

/// What a child prints to standard error, and how it ended.
Ended printing_child(const std::function<void()>& body) {
  Ended ended = in_child([&body](int pipe) {
    ::dup2(pipe, STDERR_FILENO);
    body();
  });
  ended.text = without_notes(ended.text);
  return ended;
}

void compute(const Runtime& runtime) {
  const Tensor a = ones({1000}, runtime.device("fake:0"));
  static_cast<void>(exp(a).to_vector<float>());
}

TEST(PrintedProfile, ComesAtTheEndOfTheRuntime) {
  const Ended ended = printing_child([] {
    {
      const Runtime runtime(options({{"profile", "1"}}));
      compute(runtime);
    }
    ::_exit(0);
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.text.starts_with("OPERATOR ")) << ended.text;
  EXPECT_HAS(ended.text, "\nexp ");
  EXPECT_HAS(ended.text, "\ncopy fake:0 -> host  fake:0 ");
}

TEST(PrintedProfile, ComesAtTheEndOfTheProcess) {
  const Ended ended = printing_child([] {
    static auto* const runtime = new Runtime(options({{"profile", "1"}}));  // as the default one
    compute(*runtime);
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.text.starts_with("OPERATOR ")) << ended.text;
  EXPECT_EQ(ended.text.find("OPERATOR", 1), std::string::npos) << "once: " << ended.text;
  EXPECT_HAS(ended.text, "\nexp ");
}

TEST(PrintedProfile, IsNotPrintedByForkedProcesses) {
  const Ended ended = printing_child([] {
    static auto* const runtime = new Runtime(options({{"profile", "1"}}));
    compute(*runtime);
    if (::fork() == 0) {
      delete runtime;
      std::exit(0);
    }
    int status = 0;
    ::wait(&status);
    if (status != 0) ::_exit(1);
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.text.starts_with("OPERATOR ")) << ended.text;
  EXPECT_EQ(ended.text.find("OPERATOR", 1), std::string::npos) << "once: " << ended.text;
}

TEST(PrintedProfile, SaysThatNothingRan) {
  const Ended ended = printing_child([] {
    return Runtime(options({{"profile", "1"}})).device("cpu:0");
  });
  EXPECT_EQ(ended.text, "No launch and no copy was profiled.\n");
  const Ended off = printing_child([] {
    return Runtime(options({{"profile", "0"}})).device("cpu:0");
  });
  EXPECT_EQ(off.text, "");
}

TEST(PrintedProfile, IsOnOrOff) {
  EXPECT_INVALID(Runtime(options({{"profile", "yes"}})), "PATCHBAY_PROFILE");
}

TEST(Profile, OfTheParentIsAnErrorInAForkedProcess) {
  const Runtime runtime(options());
  compute(runtime);
  EXPECT_EQ(answer_of([&runtime] {
              const Error error = error_of([&] { const Profile profile(runtime); });
              return std::string(to_string(error.code()));
            }),
            "device_lost");
  auto profile = std::make_unique<Profile>(runtime);
  EXPECT_EQ(answer_of([&profile] {
              const Error error = error_of([&] { return profile->table(); });
              profile.reset();
              return std::string(to_string(error.code()));
            }),
            "device_lost");
}

}  // namespace
}  // namespace patchbay::test
