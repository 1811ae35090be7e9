// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Where a log sink is called: with no lock of the library held, so that it may use the library,
// wait for other threads that do, and throw; with the lines of each thread in order, and all of
// them.
#include <unistd.h>

#include <future>
#include <mutex>
#include <shared_mutex>

#include "runtime/plugin/held_locks.h"
#include "runtime/plugin/unruly.h"
#include "support/child.h"
#include "support/runtime_fixture.h"
#include "support/temporary_directory.h"
#include "support/threads.h"

namespace patchbay::faults {
namespace {

using test::EnvironmentVariable;

/// The plugin logs in its entries, and in threads that it waits for.
constexpr const char* kTalkative =
    "open-thread-logs,open-device-logs,prepare-logs,launch-logs,release-logs,stream-logs,"
    "kernel-logs,device-logs,device-thread-logs,close-thread-logs,close-logs,count-memory";

/// The plugin is opened when it is used.
RuntimeOptions found_options(std::map<std::string, std::string> settings = {}) {
  settings.try_emplace("log", "info");
  RuntimeOptions options = unruly_options(std::move(settings));
  options.plugin_files.clear();
  options.plugin_directories = {PATCHBAY_FIXTURE_DIR "/unruly"};
  return options;
}

/// Everything else that holds locks. Other threads, and the caller, use the runtime meanwhile.
void use(Runtime& runtime) {
  const std::function<void(const Device&)> uses[] = {
      [](const Device& device) { return values_on(device); },
      [](const Device& device) { return device.memory(); },
      [](const Device& device) { device.synchronize(); },
      [](const Device& device) { device.trim_memory(); },
      [](const Device& device) { Stream(device).record().wait(); },
      [](const Device& device) { return Kernel::prepare(device, fill_spec()); },
      [](const Device& device) { return ones({3}, device).to(device.runtime().device("kept:0")); }};
  const auto attempt = [](const auto& body, ErrorCode allowed = ErrorCode::kUnknownDevice) {
    try {
      body();
    } catch (const Error& error) {  // another thread has closed the plugin, opened it, or uses it
      EXPECT_TRUE(error.code() == allowed || error.code() == ErrorCode::kInUse) << error.what();
    }
  };
  for (const auto& each : uses) attempt([&] { each(runtime.device("kept:1")); });
  attempt([&] { EXPECT_FALSE(runtime.explain().empty()); });
  attempt([&] { return runtime.devices(); });
  attempt([&] { return runtime.load(fixture_path("plain-c")); }, ErrorCode::kPluginFailed);
  attempt([&] { runtime.unload("plain-c"); }, ErrorCode::kInvalidArgument);
  attempt([&] { return Runtime(only({})).load(fixture_path("fake")); });
}

/// A sink that uses the library at the first line of each text, in the thread that calls it and in
/// another one that it waits for.
class UsingSink {
 public:
  void operator()(std::string_view line) {
    EXPECT_EQ(num_held_locks(), 0u) << line;
    {
      const std::scoped_lock lock(mutex_);
      if (!texts_.emplace(line).second) return;
    }
    const std::shared_lock lock(asked_mutex_);
    if (asked_ == nullptr) return;
    use(*asked_);
    std::thread([this] { use(*asked_); }).join();
  }
  void ask(Runtime* runtime) {
    const std::scoped_lock lock(asked_mutex_);
    asked_ = runtime;
  }
  bool has(const std::string& part) {
    const std::scoped_lock lock(mutex_);
    return std::any_of(texts_.begin(), texts_.end(), [&part](const std::string& text) {
      return text.find(part) != std::string::npos;
    });
  }

 private:
  std::mutex mutex_;
  std::set<std::string> texts_;
  std::shared_mutex asked_mutex_;
  Runtime* asked_ = nullptr;
};

void unload_when_unused(Runtime& runtime) {
  for (;;) {
    try {
      return runtime.unload("kept");
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInUse) throw;
    }
    std::this_thread::yield();
  }
}

void use_as_caller(Runtime& runtime) {
  const Device device = runtime.device("kept:1");
  EXPECT_EQ(values_on(device), kOnes);
  {
    const CopyGuard guard(CopyGuard::Mode::kLog);
    EXPECT_EQ(ones({3}, device).to(runtime.device("kept:0")).to_vector<float>(), kOnes);
  }
  Stream(device).add_callback([](const Error*) { throw std::runtime_error("oh"); });
  device.synchronize();
  device.trim_memory();
}

TEST(LogDelivery, ASinkMayUseTheLibrary) {
  for_each_mode([](const auto& settings) {
    const EnvironmentVariable ways("UNRULY", kTalkative);
    UsingSink sink;
    RuntimeOptions options = found_options(settings);
    options.log = [&sink](LogLevel, std::string_view line) { sink(line); };
    {
      Runtime runtime(options);
      sink.ask(&runtime);
      use_as_caller(runtime);
      unload_when_unused(runtime);
      sink.ask(nullptr);
    }
    EXPECT_GT(num_taken_locks(), 0);
    for (const char* line :
         {"opening in a thread", "loaded: 2 devices", "opening a device", "a kernel is prepared",
          "launching", "inside a CopyGuard", "a stream's callback threw", "memory goes",
          "a stream goes", "a kernel goes", "a device goes", "a device goes, says a thread",
          "closing in a thread", "all memory is back", "[kept] closing", "unloaded by"}) {
      EXPECT_TRUE(sink.has(line)) << line;
    }
  });
}

/// Gradients are added, and graphs run, under locks.
TEST(LogDelivery, ASinkHasNoLockOfAGradientOrAGraph) {
  const EnvironmentVariable ways("UNRULY", "prepare-logs,launch-logs");
  RuntimeOptions options = unruly_options();
  std::atomic<int> num_lines{0};
  Tensor leaf;
  options.log = [&](LogLevel, std::string_view line) {
    EXPECT_EQ(num_held_locks(), 0u) << line;
    if (leaf.defined()) std::thread([&] { return leaf.grad(); }).join();
    ++num_lines;
  };
  const Runtime runtime(options);
  leaf = ones({3}, runtime.device("kept:1"));
  const Tensor gradient = ones({3}, runtime.device("kept:1"));
  leaf.requires_grad_();
  for (int i = 0; i < 2; ++i) {
    try {
      leaf.clone().backward(gradient);
    } catch (const Error& error) {  // the plugin can only fill
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.what();
    }
  }
  const Graph graph = record_graph([&](GraphRecording&) { gradient.fill_(1); });
  const int before = num_lines;
  graph.replay();
  EXPECT_GT(num_lines, before);
  leaf = Tensor();
}

/// Others go on while a sink waits, also at a line that came within a lock or on a plugin's thread.
TEST(LogDelivery, ASinkThatWaitsHoldsUpItsOwnThreadAlone) {
  for (const char* line : {"opening in a thread", "loaded: 2 devices", "opening a device",
                           "a kernel is prepared", "launching", "memory goes", "a device goes",
                           "a device goes, says a thread", "unloaded by"}) {
    SCOPED_TRACE(line);
    const EnvironmentVariable ways("UNRULY", kTalkative);
    std::promise<void> has_come, may_go;
    std::atomic<bool> waits{true};
    RuntimeOptions options = found_options();
    options.log = [&](LogLevel, std::string_view text) {
      if (text.find(line) == std::string_view::npos || !waits.exchange(false)) return;
      has_come.set_value();
      may_go.get_future().wait();
    };
    Runtime runtime(options);
    std::thread caller([&runtime] {
      use_as_caller(runtime);
      unload_when_unused(runtime);
    });
    has_come.get_future().wait();
    use(runtime);
    may_go.set_value();
    caller.join();
  }
}

/// What unload says in the sink of the line that the plugin logs while the device is opened.
std::string unloaded_by_sink(const std::function<void(const Device&)>& open) {
  const EnvironmentVariable ways("UNRULY", "open-device-logs");
  RuntimeOptions options = unruly_options();
  Runtime* asked = nullptr;
  std::string answer = "nothing";
  options.log = [&](LogLevel, std::string_view) {
    try {
      asked->unload("kept");
      answer = std::string(to_string(asked->plugins()[0].status));
    } catch (const Error& error) {
      answer = error.what();
    }
  };
  Runtime runtime(options);
  asked = &runtime;
  open(runtime.device("kept:1"));
  return answer;
}

/// It is refused as in any thread: the interrupted call has made a buffer.
TEST(LogDelivery, ASinkMayUnloadThePluginThatLogged) {
  EXPECT_EQ(unloaded_by_sink([](const Device& device) { device.synchronize(); }), "unloaded");
  EXPECT_EQ(unloaded_by_sink([](const Device& device) { EXPECT_EQ(values_on(device), kOnes); }),
            "[unload] plugin 'kept' is in use: kept:1: 1 buffer (12 bytes). Release these first, "
            "then unload.");
}

/// The lines that its calls cause wait until it has returned.
TEST(LogDelivery, ASinkIsNotCalledWithinItself) {
  const EnvironmentVariable ways("UNRULY", "launch-logs");
  RuntimeOptions options = unruly_options();
  Runtime* asked = nullptr;
  std::vector<std::string> calls;
  options.log = [&](LogLevel, std::string_view) {
    calls.emplace_back("begin");
    if (calls.size() == 1) (void)values_on(asked->device("kept:0"));
    calls.emplace_back("end");
  };
  Runtime runtime(options);
  asked = &runtime;
  EXPECT_EQ(values_on(runtime.device("kept:1")), kOnes);
  EXPECT_EQ(calls, (std::vector<std::string>{"begin", "end", "begin", "end"}));
}

TEST(LogDelivery, WhatASinkThrowsIsDropped) {
  const EnvironmentVariable ways("UNRULY", kTalkative);
  std::atomic<int> num_lines{0};
  RuntimeOptions options = found_options();
  options.log = [&num_lines](LogLevel, std::string_view) {
    ++num_lines;
    throw std::runtime_error("a sink's");
  };
  {
    Runtime runtime(options);
    use_as_caller(runtime);
    runtime.unload("kept");
  }
  EXPECT_GE(num_lines, 12);
}

TEST(LogDelivery, TheLinesOfAThreadStayInOrder) {
  constexpr std::size_t kThreads = 4, kLines = 50;
  std::mutex mutex;
  std::map<std::thread::id, std::vector<std::string>> told;
  RuntimeOptions options = unruly_options({{"log", "info"}});
  options.log = [&](LogLevel, std::string_view line) {
    const std::size_t at = line.find("file number ");
    if (at == std::string_view::npos) return;
    const std::scoped_lock lock(mutex);
    told[std::this_thread::get_id()].emplace_back(line.substr(at, 16));
  };
  const Runtime runtime(options);
  test::on_threads(kThreads, [&runtime](std::size_t) {
    for (std::size_t k = 0; k < kLines; ++k) {
      const std::string name = "file number " + std::to_string(1000 + k);
      EXPECT_THROW((void)runtime.load("/nowhere/patchbay-" + name + ".so"), Error);
    }
  });
  ASSERT_EQ(told.size(), kThreads);
  for (const auto& [thread, lines] : told) {
    ASSERT_EQ(lines.size(), kLines);
    for (std::size_t k = 0; k < kLines; ++k) {
      EXPECT_EQ(lines[k], "file number " + std::to_string(1000 + k));
    }
  }
}

/// A runtime that its caller never ends, in a child whose sink writes to a pipe.
std::string lines_of_child(const std::function<void(int pipe)>& body) {
  const test::Ended ended = test::in_child([&body](int pipe) {
    body(pipe);
    _exit(0);
  });
  EXPECT_EQ(ended.status, 0) << ended.text;
  return ended.text;
}

void write_line(int pipe, std::string_view line) {
  const std::string text = std::string(line) + "\n";
  EXPECT_EQ(write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(LogDelivery, NoLineIsLostAtExit) {
  const EnvironmentVariable ways("UNRULY", "open-thread-logs");
  const std::string text = lines_of_child([](int pipe) {
    RuntimeOptions options = unruly_options({{"log", "info"}});
    options.log = [pipe](LogLevel, std::string_view line) {
      const bool is_threads = line.find("in a thread") != std::string_view::npos;
      if (is_threads) std::this_thread::sleep_for(std::chrono::milliseconds(200));
      write_line(pipe, line);
    };
    static const auto* const runtime = new Runtime(options);
    static_cast<void>(runtime);
    std::exit(0);
  });
  EXPECT_HAS(text, "opening in a thread\n");
  EXPECT_HAS(text, "loaded: 2 devices\n");
}

/// The others wait behind it.
TEST(LogDelivery, NoLineIsLostIfTheSinkOfTheFirstExits) {
  const EnvironmentVariable ways("UNRULY", "device-logs,count-memory");
  const std::string text = lines_of_child([](int pipe) {
    RuntimeOptions options = unruly_options();
    options.log = [pipe](LogLevel, std::string_view line) {
      write_line(pipe, line);
      if (line.find("a device goes") != std::string_view::npos) std::exit(0);
    };
    static auto* const runtime = new Runtime(options);
    EXPECT_EQ(values_on(runtime->device("kept:1")), kOnes);
    runtime->unload("kept");
  });
  EXPECT_EQ(text, "[kept] a device goes\n[kept] all memory is back\n");
}

TEST(LogDelivery, AChildOfForkLogsAgain) {
  const EnvironmentVariable ways("UNRULY", "open-thread-logs");
  const std::string text = lines_of_child([](int pipe) {
    const auto options_of = [pipe](RuntimeOptions options) {
      options.settings["log"] = "info";
      options.log = [pipe](LogLevel, std::string_view line) { write_line(pipe, line); };
      return options;
    };
    const Runtime runtime(options_of(unruly_options()));  // has started the thread of the log
    if (fork() != 0) {
      wait(nullptr);
      return;
    }
    EXPECT_EQ(Runtime(options_of(only({}))).load(fixture_path("fake")).devices.size(), 2u);
    _exit(0);
  });
  EXPECT_HAS(text, "patchbay-fake.so loaded: 2 devices\n");
}

/// The line that announces a call to a driver.
TEST(LogDelivery, TheFileHasTheLastLineBeforeACrash) {
  const EnvironmentVariable ways("UNRULY", "launch-logs,launch-crashes");
  const TemporaryDirectory directory;
  const std::string file = directory.path() / "log";
  const std::string text = lines_of_child([&file](int pipe) {
    if (fork() != 0) {
      wait(nullptr);
      return;
    }
    RuntimeOptions options = unruly_options({{"log", "error:" + file}});
    options.log = [pipe](LogLevel, std::string_view line) { write_line(pipe, line); };
    (void)values_on(Runtime(options).device("kept:1"));
    _exit(0);
  });
  EXPECT_EQ(text, "");
  EXPECT_EQ(test::read_text(file), "patchbay error: [kept] launching\n");
}

}  // namespace
}  // namespace patchbay::faults
