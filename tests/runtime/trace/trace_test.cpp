// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The trace file: what is in it, and that it is whole at any time.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <nlohmann/json.hpp>

#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Json = nlohmann::json;

Json parse(const std::filesystem::path& file) {
  std::ifstream in(file);
  Json parsed = Json::parse(in, nullptr, false);
  EXPECT_TRUE(parsed.is_array());
  return parsed;
}

/// Of a process that was killed: the format lets the closing bracket be absent.
Json parse_what_is_left(const std::filesystem::path& file) {
  std::string text = read_text(file);
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_discarded()) {
    text.erase(text.find_last_not_of(" \n,") + 1);
    parsed = Json::parse(text + "]", nullptr, false);
  }
  EXPECT_TRUE(parsed.is_array()) << text.substr(text.size() -
                                                std::min<std::size_t>(text.size(), 300));
  return parsed;
}

/// The first event that has this phase and name; null if there is none.
Json find(const Json& events, const std::string& phase, const std::string& name) {
  for (const Json& event : events) {
    if (event["ph"] == phase && event.value("name", "") == name) return event;
  }
  return nullptr;
}

std::vector<Json> find_all(const Json& events, const std::string& phase, const std::string& name) {
  std::vector<Json> found;
  std::copy_if(events.begin(), events.end(), std::back_inserter(found), [&](const Json& event) {
    return event["ph"] == phase && event.value("name", "") == name;
  });
  return found;
}

/// The first span of that name on a line of the host; null if there is none.
Json find_on_host(const Json& events, const std::string& name) {
  for (const Json& span : find_all(events, "X", name)) {
    if (span["pid"] == 1) return span;
  }
  return nullptr;
}

/// What the metadata calls the event's process or thread.
std::string name_of_track(const Json& events, const std::string& kind, const Json& event) {
  for (const Json& track : find_all(events, "M", kind)) {
    const bool is_thread = kind == "thread_name";
    if (track["pid"] == event["pid"] && (!is_thread || track["tid"] == event["tid"])) {
      return track["args"]["name"];
    }
  }
  return "";
}

std::filesystem::path file_for_this_test() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->name()) + "-" + std::to_string(::getpid()) + ".json";
  std::replace(name.begin(), name.end(), '/', '-');
  return std::filesystem::path(testing::TempDir()) / name;
}

class TraceTest : public DeviceTest {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  const std::filesystem::path file_ = file_for_this_test();
};
PATCHBAY_ON_EACH_DEVICE(TraceTest);

TEST_P(TraceTest, HasTracksForThreadsAndAllocations) {
  const Runtime runtime(device_options());
  const Device device = runtime.device(device_.name());
  runtime.start_trace(file_);
  {
    const TraceScope scope("a \"quoted\"\nname", runtime);
    const CopyTag tag("weights");
    std::thread([&] { return Buffer::allocate(device, 1000); }).join();
  }
  runtime.stop_trace();
  static_cast<void>(Buffer::allocate(device, 1234));
  const Json events = parse(file_);
  const Json host = find(events, "M", "process_name");
  EXPECT_EQ(host["args"]["name"], "host (process " + std::to_string(::getpid()) + ")");
  const Json span = find(events, "X", "a \"quoted\"\nname");
  ASSERT_TRUE(span.is_object());
  const Json allocation = find(events, "i", "allocate");
  ASSERT_TRUE(allocation.is_object());
  EXPECT_EQ(allocation["args"]["bytes"], 1000);
  EXPECT_EQ(allocation["args"]["device"], device.name());
  EXPECT_EQ(allocation["args"]["kind"], "device");
  EXPECT_NE(allocation["tid"], span["tid"]) << "two threads, two tracks";
  EXPECT_GE(allocation["ts"].get<double>(), span["ts"].get<double>());
  EXPECT_LE(allocation["ts"].get<double>(), span["ts"].get<double>() + span["dur"].get<double>());
  EXPECT_EQ(find(events, "i", "free")["args"]["bytes"], 1000);
  const Json counter = find(events, "C", "device memory");
  EXPECT_EQ(counter["args"]["live"], 1000);
  EXPECT_GE(counter["args"]["reserved"], 1000);
  EXPECT_EQ(events.dump().find("\"bytes\":1234"), std::string::npos) << "after the stop";
}

TEST_P(TraceTest, HasLaunchesOnHostAndDeviceWithAnArrow) {
  const Runtime runtime(device_options());
  runtime.start_trace(file_);  // before the device is opened: its streams take times
  const Device device = runtime.device(device_.name());
  const Tensor a = ones({1000}, device);
  EXPECT_EQ(sum(a + a).item<float>(), 2000);
  device.synchronize();
  runtime.stop_trace();
  const Json events = parse(file_);
  const std::vector<Json> adds = find_all(events, "X", "add");
  ASSERT_EQ(adds.size(), 2u) << "one on the thread, one on the stream";
  const bool host_first = adds[0]["pid"] == 1;
  const Json &host = adds[host_first ? 0 : 1], &there = adds[host_first ? 1 : 0];
  EXPECT_EQ(host["pid"], 1);
  EXPECT_EQ(name_of_track(events, "process_name", there), device.name());
  EXPECT_EQ(name_of_track(events, "thread_name", there), "default stream");
  const auto starts_at = [&](const Json& span, const Json& arrow) {
    return arrow["pid"] == span["pid"] && arrow["tid"] == span["tid"] &&
           arrow["ts"].get<double>() >= span["ts"].get<double>() &&
           arrow["ts"].get<double>() <=
               span["ts"].get<double>() + span["dur"].get<double>() + 0.001;
  };
  Json begin, end;
  for (const Json& arrow : find_all(events, "s", "flow")) {
    if (starts_at(host, arrow)) begin = arrow;
  }
  ASSERT_TRUE(begin.is_object());
  for (const Json& arrow : find_all(events, "f", "flow")) {
    if (arrow["id"] == begin["id"]) end = arrow;
  }
  ASSERT_TRUE(end.is_object());
  EXPECT_TRUE(starts_at(there, end)) << end << there;
  EXPECT_TRUE(find(events, "X", "sum").is_object());
}

TEST_P(TraceTest, HasCopiesWithTheirRouteAndWaits) {
  const Runtime runtime(device_options());
  runtime.start_trace(file_);
  const Device device = runtime.device(device_.name());
  {
    const CopyTag tag("weights");
    const Tensor a = from_host<float>({1, 2, 3}, {3}, device);
    EXPECT_EQ(a.to_vector<float>(), (Floats{1, 2, 3}));
  }
  runtime.stop_trace();
  const Json events = parse(file_);
  const Json in = find_on_host(events, "from_host"), out = find_on_host(events, "to_vector");
  ASSERT_TRUE(in.is_object());
  ASSERT_TRUE(out.is_object());
  EXPECT_EQ(in["args"]["from"], "host");
  EXPECT_EQ(in["args"]["to"], device.name());
  EXPECT_EQ(in["args"]["bytes"], 12);
  EXPECT_EQ(in["args"]["tag"], "weights");
  EXPECT_EQ(in["args"]["route"], to_string(plan_copy(Endpoint::host(), device, 12).route));
  EXPECT_EQ(out["args"]["to"], "host");
  if (device.properties().host_addressable) return;  // done by the host: nothing to wait for
  const Json wait = find(events, "X", "wait");
  ASSERT_TRUE(wait.is_object());
  EXPECT_EQ(wait["args"]["device"], device.name());
}

TEST_P(TraceTest, HasStreamsThatExistedBefore) {
  const Runtime runtime(device_options());
  const Device device = runtime.device(device_.name());
  Tensor a = ones({10}, device);
  runtime.start_trace(file_);
  a = a + 1;
  EXPECT_EQ(a.to_vector<float>(), Floats(10, 2));
  runtime.stop_trace();
  const std::vector<Json> spans = find_all(parse(file_), "X", "add");
  ASSERT_EQ(spans.size(), 2u) << "one on the thread, one on the stream";
  EXPECT_NE(spans[0]["pid"], spans[1]["pid"]);
}

TEST_P(TraceTest, HasEachStreamOnALineOfItsOwn) {
  const Runtime runtime(device_options());
  runtime.start_trace(file_);
  const Device device = runtime.device(device_.name());
  const Stream first(device), second(device);
  for (const Stream& stream : {first, second}) {
    const StreamScope scope(stream);
    static_cast<void>(exp(ones({10}, device)));
    stream.synchronize();
  }
  runtime.stop_trace();
  const Json events = parse(file_);
  std::set<std::string> lines;
  for (const Json& span : find_all(events, "X", "exp")) {
    if (span["pid"] != 1) lines.insert(name_of_track(events, "thread_name", span));
  }
  EXPECT_EQ(lines, (std::set<std::string>{"stream 1", "stream 2"}));
}

// A process that is killed leaves whole JSON with what happened up to a moment before.
TEST(Trace, IsWholeWhenTheProcessIsKilled) {
  const std::filesystem::path file = file_for_this_test();
  const pid_t child = ::fork();
  if (child == 0) {
    const Device device = Runtime(options({{"trace", file.string()}})).device("fake:0");
    for (;;) static_cast<void>(Buffer::allocate(device, 100));
  }
  ASSERT_GT(child, 0);
  const auto has_much = [&] {
    std::error_code ignored;
    return std::filesystem::file_size(file, ignored) + 1 > 1'000'000;  // and not the error's -1
  };
  int status = 0;
  while (!has_much() && ::waitpid(child, &status, WNOHANG) == 0) std::this_thread::yield();
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Json events = parse_what_is_left(file);
  EXPECT_GT(events.size(), 1000u);
  EXPECT_TRUE(find(events, "i", "allocate").is_object());
  std::filesystem::remove(file);
}

// The file is the parent's: a child that ends as programs do writes nothing to it.
TEST(Trace, IsLeftAloneByForkedProcesses) {
  const std::filesystem::path file = file_for_this_test();
  const Runtime runtime(options());
  runtime.start_trace(file);
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) const TraceScope scope("of the child", runtime);
    const Runtime own(options());
    own.start_trace(file);
    { const TraceScope scope("of the child", own); }
    own.stop_trace();
    std::exit(0);
  }
  ASSERT_GT(child, 0);
  ::waitpid(child, nullptr, 0);
  { const TraceScope scope("of the parent", runtime); }
  runtime.stop_trace();
  const Json events = parse(file);
  EXPECT_EQ(find_all(events, "X", "of the parent").size(), 1u);
  EXPECT_EQ(find_all(events, "X", "of the child").size(), 0u);
  std::filesystem::remove(file);
}

// The end of the child writes the rest, though its parent has traced before.
TEST(Trace, OfAForkedProcessIsWhole) {
  const std::filesystem::path file = file_for_this_test();
  std::filesystem::path of_child = file;
  of_child.replace_extension("child.json");
  const Runtime runtime(options());
  runtime.start_trace(file);
  runtime.stop_trace();
  const pid_t child = ::fork();
  if (child == 0) {
    const Runtime own(options());
    own.start_trace(of_child);
    { const TraceScope scope("of the child", own); }
    std::exit(0);
  }
  ASSERT_GT(child, 0);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(find_all(parse(of_child), "X", "of the child").size(), 1u);
  EXPECT_EQ(find_all(parse(file), "X", "of the child").size(), 0u);
  std::filesystem::remove(of_child);
  std::filesystem::remove(file);
}

TEST(Trace, StartsWithASettingAndIsSharedByRuntimes) {
  const std::filesystem::path file = file_for_this_test();
  {
    const Runtime first(options({{"trace", file.string()}}));
    const Runtime second(options({{"trace", file.string()}}));
    static_cast<void>(Buffer::allocate(first.device("fake:0"), 11));
    static_cast<void>(Buffer::allocate(second.device("fake:1"), 22));
  }
  const Json events = parse(file);
  std::vector<int> sizes;
  for (const Json& event : events) {
    if (event.value("name", "") == "allocate") sizes.push_back(event["args"]["bytes"]);
  }
  EXPECT_EQ(sizes, (std::vector<int>{11, 22}));
  std::filesystem::remove(file);
}

TEST(Trace, RefusesWhatCanNotBe) {
  const std::filesystem::path file = file_for_this_test();
  const Runtime runtime(options());
  EXPECT_ERROR(runtime.start_trace("/no/such/directory/trace.json"), kIo,
               "[trace] can't write '/no/such/directory/trace.json': No such file or directory");
  EXPECT_ERROR(Runtime(options({{"trace", "/no/such/directory/t"}})), kIo,
               "can't write '/no/such/directory/t'");
  EXPECT_ERROR(runtime.start_trace(std::string(300, 'x')), kIo, "File name too long");
  EXPECT_ERROR(runtime.start_trace("/"), kIo, "Is a directory. Name a file.");
  EXPECT_ERROR(runtime.start_trace("/dev/null"), kIo,
               "[trace] can't write '/dev/null': it is no regular file");
  runtime.stop_trace();  // none: fine
  runtime.start_trace(file);
  EXPECT_ERROR(runtime.start_trace("other.json"), kInUse,
               "[start_trace] a trace is being written already, so not to 'other.json'");
  runtime.stop_trace();
  std::filesystem::remove(file);
}

/// Opening a FIFO waits for its other end.
TEST(Trace, AndLogWaitForNoFifo) {
  const std::filesystem::path fifo = file_for_this_test();
  std::filesystem::remove(fifo);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Runtime runtime(options());
  EXPECT_ERROR(runtime.start_trace(fifo), kIo, "it is no regular file");
  EXPECT_ERROR(Runtime(options({{"trace", fifo.string()}})), kIo, "it is no regular file");
  EXPECT_ERROR(Runtime(options({{"log", "debug:" + fifo.string()}})), kIo,
               "[Runtime] can't open log file '" + fifo.string() +
                   "': it is no regular file. Correct the setting 'log'");
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  EXPECT_ERROR(runtime.start_trace(fifo), kIo, "it is no regular file");
  EXPECT_ERROR(Runtime(options({{"log", "debug:" + fifo.string()}})), kIo,
               "it is no regular file");
  close(reader);
  std::filesystem::remove(fifo);
}

}  // namespace
}  // namespace patchbay::test
