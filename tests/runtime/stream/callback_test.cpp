// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <future>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "runtime/stream/gate.h"
#include "support/device_test.h"
#include "support/log_lines.h"

namespace patchbay::test {
namespace {

/// A callback that gives what it is told: empty, or the error's message.
class Told {
 public:
  StreamCallback callback() const {
    return [promise = promise_](const Error* error) {
      promise->set_value(error == nullptr ? "" : error->what());
    };
  }
  std::string get() const { return promise_->get_future().get(); }

 private:
  // The callback may still be on its way out of set_value when the test has gone on.
  std::shared_ptr<std::promise<std::string>> promise_ =
      std::make_shared<std::promise<std::string>>();
};

PATCHBAY_DEVICE_TESTS(CallbackOn);

TEST_P(CallbackOn, HoldsNoLaterWorkBack) {
  Gate gate;
  gate.close();
  const Told told;
  const Stream stream(device_);
  const StreamScope scope(stream);
  const Tensor value = ones({100}, device_);
  stream.add_callback([&gate, tell = told.callback()](const Error* error) {
    gate.pass();
    tell(error);
  });
  const Tensor later = value + 1;
  const Event after = stream.record();
  after.wait();  // while the callback waits for the gate
  EXPECT_TRUE(after.is_done());
  gate.open();
  EXPECT_EQ(told.get(), "");
  EXPECT_EQ(later.to_vector<float>()[99], 2.0f);
}

TEST_P(CallbackOn, MayNotCallTheRuntime) {
  std::promise<std::vector<std::string>> promise;
  const Stream stream(device_);
  const Tensor value = ones({4}, device_);
  const Event event = stream.record();
  stream.add_callback([&](const Error*) {
    std::vector<std::string> messages;
    const auto attempt = [&](const auto& call) {
      try {
        call();
        messages.emplace_back("no error");
      } catch (const Error& error) {
        messages.emplace_back(error.what());
      }
    };
    attempt([&] { return value + 1; });
    attempt([&] { return value.to_vector<float>(); });
    attempt([&] { stream.synchronize(); });
    attempt([&] { return stream.record(); });
    attempt([&] { event.wait(); });
    attempt([&] { value.buffer().device().synchronize(); });
    promise.set_value(std::move(messages));
  });
  const std::vector<std::string> messages = promise.get_future().get();
  const std::vector<std::string> names = {"add",    "to_vector", "synchronize",
                                          "record", "wait",      "synchronize"};
  ASSERT_EQ(messages.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(messages[i], "[" + names[i] +
                               "] a stream's callback called the runtime: expected a callback that "
                               "only notes what it is told or wakes another thread. Make the call "
                               "on that thread.");
  }
  EXPECT_EQ((value + 1).to_vector<float>()[0], 2.0f) << "nothing is left of it";
}

std::string plugin_of(const Runtime& runtime, const std::string& device) {
  (void)runtime.devices();  // opens every plugin
  for (const PluginInfo& plugin : runtime.plugins()) {
    const auto& devices = plugin.devices;
    if (plugin.status == PluginStatus::kLoaded &&
        std::find(devices.begin(), devices.end(), device) != devices.end()) {
      return plugin.name;
    }
  }
  return {};
}

/// The memory has the last handles of a stream that read and wrote it. The end of the stream waits
/// for the callback, which waits for another thread that uses the memory.
TEST_P(CallbackOn, LetsOtherThreadsUseTheMemoryThatKeepsItsStream) {
  Gate gate;
  gate.close();
  Tensor value = ones({100}, device_);
  {
    const Stream brief(device_);
    const StreamScope scope(brief);
    value += 1;
    brief.record().wait();
    brief.add_callback([&gate](const Error*) { gate.pass(); });
  }
  Floats more;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the call below has begun
    more = (value + 1).to_vector<float>();
    gate.open();
  });
  EXPECT_EQ(value.to_vector<float>()[99], 2.0f);
  other.join();
  EXPECT_EQ(more[99], 3.0f);
}

TEST_P(CallbackOn, MayHoldTheLastHandleOfTensorsAndStream) {
  Runtime runtime(device_options());
  const std::string name = device_.name();
  Gate gate;
  gate.close();
  const Told told;
  {
    const Device device = runtime.device(name);
    const Stream stream(device);
    const StreamScope scope(stream);
    const Tensor value = ones({100}, device) + 1;
    stream.add_callback([&gate, value, tell = told.callback()](const Error* error) {
      gate.pass();
      tell(error);
    });
  }
  gate.open();
  EXPECT_EQ(told.get(), "");
  // They go on a thread of their own, after the callback.
  for (bool is_unloaded = false; !is_unloaded; std::this_thread::yield()) {
    try {
      runtime.unload(plugin_of(runtime, name));
      is_unloaded = true;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), kInUse) << error.what();
    }
  }
}

TEST(Callbacks, OfAnInlineStreamAreCalledAtOnce) {
  const Runtime runtime(options());
  const Stream stream = runtime.device("cpu:0").default_stream();
  bool called = false;
  stream.add_callback([&](const Error* error) { called = error == nullptr; });
  EXPECT_TRUE(called);
}

TEST(Callbacks, OfAnInlineStreamHoldNoOtherThreadUp) {
  const Runtime runtime(options());
  const Stream stream = runtime.device("cpu:0").default_stream();
  std::promise<void> has_begun;
  Gate gate;
  gate.close();
  std::thread calling([&] {
    stream.add_callback([&](const Error*) {
      has_begun.set_value();
      gate.pass();
    });
  });
  has_begun.get_future().wait();
  stream.synchronize();
  EXPECT_TRUE(stream.record().is_done());
  gate.open();
  calling.join();
}

// The library's own thread makes the calls of a driver without callbacks.
TEST(OwnThread, LeavesSignalsToTheApplication) {
  if (const std::string why = absence_of("opencl:0"); !why.empty()) GTEST_SKIP() << why;
  std::promise<std::pair<bool, bool>> blocked;
  const Stream stream(test_device("opencl:0"));
  stream.add_callback([&blocked](const Error*) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    blocked.set_value({sigismember(&mask, SIGTERM) == 1, sigismember(&mask, SIGSEGV) == 1});
  });
  EXPECT_EQ(blocked.get_future().get(), std::pair(true, false)) << "the application's, and faults";
}

/// A thread that never ends keeps what it uses: no leak that anybody could mend.
void expect_leaks() {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_disable();
#endif
}

TEST(OwnThreadDeathTest, HoldsNoProcessUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        expect_leaks();
        static std::optional<Stream> last;  // made before the first runtime, so it goes last
        static auto& gate = *new Gate;
        gate.close();
        if (!absence_of("opencl:0").empty()) std::exit(3);
        last.emplace(test_device("opencl:0"));
        last->add_callback([](const Error*) { gate.pass(); });
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
  if (const std::string why = absence_of("opencl:0"); !why.empty()) GTEST_SKIP() << why;
}

TEST(Callbacks, AreToldOfFailures) {
  const Device device = Runtime(options({{"fake_fail_async_launch", "2"}})).device("fake:0");
  const Stream stream(device);
  const StreamScope scope(stream);
  const Tensor value = ones({4}, device);
  static_cast<void>(value * 2);
  const Told told;
  stream.add_callback(told.callback());
  const std::string message = told.get();
  EXPECT_HAS(message, "launched by [mul] on fake:0");
}

TEST(Callbacks, ExceptionsAreLogged) {
  const LogLines lines;
  RuntimeOptions chosen = options();
  chosen.log = lines.sink();
  const Runtime runtime(chosen);
  runtime.device("cpu:0").default_stream().add_callback(
      [](const Error*) { throw std::runtime_error("oh"); });
  EXPECT_EQ(lines.count("[add_callback] a stream's callback threw an exception: oh"), 1);
}

TEST(Callbacks, EmptyFunctionsAreRefused) {
  const Runtime runtime(options());
  EXPECT_INVALID(runtime.device("fake:0").default_stream().add_callback({}),
                 "[add_callback] an empty function");
}

}  // namespace
}  // namespace patchbay::test
