// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A child of fork has neither the library's threads nor the drivers'. What was made before the fork
// fails there at once, nothing hangs, and the parent goes on.
#include <sys/wait.h>
#include <unistd.h>

#include <future>

#include "support/child.h"
#include "support/device_test.h"
#include "support/paths.h"

namespace patchbay::test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr const char* kNoThreads = "the thread sanitizer ends a forked process that starts threads";
#else
constexpr const char* kNoThreads = nullptr;
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kNoBusyParent =
    "the address sanitizer's allocator may be locked in a process forked beside a busy thread";
#else
constexpr const char* kNoBusyParent = kNoThreads;
#endif

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

/// What a call in the child of `parent` is to say.
std::string refusal(std::string_view operation, pid_t parent, std::string_view where) {
  return "device_lost: [" + std::string(operation) +
         "] the runtime is used in a forked process: expected process " + std::to_string(parent) +
         ", which made it, got " + std::to_string(::getpid()) + " (" + std::string(where) +
         "). Make a Runtime of its own in the child.";
}

struct Call {
  const char* operation;
  std::function<void()> make;
};

class ForkedProcess : public DeviceTest {
 protected:
  /// Lines for the calls that a child does not refuse as it should; empty if it refuses all.
  std::string unrefused(const std::vector<Call>& calls) const {
    const pid_t parent = ::getpid();
    const Ended ended = in_child([&] {
      std::string lines;
      for (const Call& call : calls) {
        const std::string expected = refusal(call.operation, parent, device_.name());
        const std::string got = message_of(call.make);
        if (got != expected) lines += got + "\n  expected: " + expected + "\n";
      }
      return lines;
    });
    return ended.status == 0 ? ended.text
                             : ended.text + "ended with " + std::to_string(ended.status) + "\n";
  }
};

TEST_P(ForkedProcess, WaitsFailAtOnce) {
  const Stream stream(device_);
  const StreamScope scope(stream);
  const Tensor a = exp(ones({1000}, device_));
  const Event event = stream.record();
  const Buffer buffer = Buffer::allocate(device_, 64);
  EXPECT_EQ(unrefused({
                {"synchronize", [&] { stream.synchronize(); }},
                {"synchronize", [&] { device_.synchronize(); }},
                {"default_stream", [&] { device_.default_stream().synchronize(); }},
                {"wait", [&] { event.wait(); }},
                {"is_done", [&] { return event.is_done(); }},
                {"to_vector", [&] { return a.to_vector<float>(); }},
                {"flush", [&] { stream.flush(); }},
                {"wait", [&] { stream.wait(event); }},
                {"record", [&] { return stream.record(); }},
                {"reset", [&] { stream.reset(); }},
                {"add_callback", [&] { stream.add_callback([](const Error*) {}); }},
            }),
            "");
  EXPECT_EQ(a.to_vector<float>(), exp(ones({1000}, device_)).to_vector<float>());
}

TEST_P(ForkedProcess, NewWorkFailsAtOnce) {
  const Tensor a = ones({1000}, device_), grad = ones({4}, device_).requires_grad_();
  const Graph graph = record_graph([&] { a.fill_(2); });
  const std::vector<ProcessGroup> group = ProcessGroup::in_process({device_});
  EXPECT_EQ(unrefused({
                {"health", [&] { return group[0].health(); }},
                {"all_reduce", [&] { return group[0].all_reduce(a); }},
                {"allocate", [&] { return (a + a); }},
                {"fill", [&] { a.fill_(3); }},
                {"allocate", [&] { return Buffer::allocate(device_, 8); }},
                {"Stream", [&] { return Stream(device_); }},
                {"memory", [&] { return device_.memory(); }},
                {"trim_memory", [&] { device_.trim_memory(); }},
                {"to_vector", [&] { return a.to_vector<float>(); }},
                {"allocate",
                 [&] {
                   return floats({1, 2});
                 }},
                {"replay", [&] { graph.replay(); }},
                {"allocate", [&] { sum(grad * 2).backward(); }},
            }),
            "");
  graph.replay();
  EXPECT_EQ(a.to_vector<float>(), Floats(1000, 2));
}

TEST_P(ForkedProcess, WhatItInheritedGoesAtOnce) {
  std::optional<Runtime> runtime(std::in_place, device_options());
  std::optional<Device> device(runtime->device(GetParam()));
  std::optional<Tensor> tensor(exp(ones({100000}, *device)).requires_grad_());
  std::optional<Tensor> loss(sum(*tensor * 2));
  std::optional<Stream> stream(std::in_place, *device);
  std::optional<Event> event(stream->record());
  std::optional<Graph> graph(record_graph([&] { return exp(ones({4}, *device)); }));
  stream->add_callback([](const Error*) {});
  EXPECT_EQ(answer_of([&] {
              loss.reset();
              tensor.reset();
              graph.reset();
              event.reset();
              stream.reset();
              device.reset();
              runtime.reset();
              return std::string("gone");
            }),
            "gone");
  loss->backward();
  EXPECT_EQ(tensor->grad().to_vector<float>(), Floats(100000, 2));
}

TEST_P(ForkedProcess, ExitGivesItsOwnStatus) {
  const Stream stream(device_);
  const StreamScope scope(stream);
  const Tensor a = exp(ones({100000}, device_));
  const Ended ended = in_child([]() -> std::string { std::exit(7); });
  ASSERT_TRUE(WIFEXITED(ended.status)) << ended.status;
  EXPECT_EQ(WEXITSTATUS(ended.status), 7);
  EXPECT_EQ(a.to_vector<float>(), exp(ones({100000}, device_)).to_vector<float>());
}

// At the moment of the fork another thread may hold any lock of the library, for ever in the child.
TEST_P(ForkedProcess, FailsAtOnceWhileAnotherThreadOfTheParentWorks) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << kNoBusyParent;
#endif
  std::atomic<bool> is_over{false};
  std::thread worker([&] {
    while (!is_over.load()) (void)exp(ones({10}, device_)).to_vector<float>();
  });
  const Tensor a = ones({10}, device_);
  std::string failures;
  for (int i = 0; i < 20 && failures.empty(); ++i) {
    failures = unrefused({{"allocate", [&] { return (a + a); }},
                          {"to_vector", [&] { return a.to_vector<float>(); }},
                          {"synchronize", [&] { device_.synchronize(); }}});
    const Ended ended = in_child([]() -> std::string { std::exit(3); });
    if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 3) {
      failures += "exit gave " + std::to_string(ended.status);
    }
  }
  is_over.store(true);
  worker.join();
  EXPECT_EQ(failures, "");
}

PATCHBAY_ON_EACH_DEVICE(ForkedProcess);

// A copy that the runtime's own thread makes, slowly.
TEST(ForkedProcessCopies, OfTheTransferThreadFailAtOnce) {
  const Runtime runtime(options({{"fake_link_bytes_per_s", "4000000"}, {"fake_peers", ""}}));
  const Device from = runtime.device("fake:0"), to = runtime.device("fake:1");
  const Tensor source = ones({1 << 20}, from), target = zeros({1 << 20}, to);
  target.copy_from(source, /*non_blocking=*/true);
  const pid_t parent = ::getpid();
  EXPECT_EQ(answer_of([&] {
              std::string lines;
              for (const auto& [operation, call] :
                   {Call{"to_vector", [&] { return target.to_vector<float>(); }},
                    Call{"copy_from", [&] { target.copy_from(source); }}}) {
                const std::string got = message_of(call);
                if (!got.starts_with("device_lost: [" + std::string(operation) +
                                     "] the runtime is used in a "
                                     "forked process: expected process " +
                                     std::to_string(parent))) {
                  lines += got + "\n";
                }
              }
              return lines;
            }),
            "");
  EXPECT_EQ(target.to_vector<float>(), Floats(1 << 20, 1));
}

TEST(ForkedProcessRuntime, InheritedOnesAreRefusedWhole) {
  Runtime runtime(options());
  const Device device = runtime.device("cpu:0");
  const pid_t parent = ::getpid();
  EXPECT_EQ(answer_of([&] {
              std::string lines;
              const auto expect = [&](const char* operation, const char* where,
                                      const std::function<void()>& call) {
                const std::string got = message_of(call);
                if (got != refusal(operation, parent, where)) lines += got + "\n";
              };
              expect("Device", "cpu:0", [&] { return runtime.device("cpu"); });
              expect("devices", "every device", [&] { return runtime.devices(); });
              expect("devices", "every device", [&] { return runtime.gpus(); });
              expect("plugins", "every plugin", [&] { return runtime.plugins(); });
              expect("explain", "every plugin", [&] { return runtime.explain(); });
              expect("load", "patchbay-x.so", [&] { return runtime.load("patchbay-x.so"); });
              expect("unload", "fake", [&] { runtime.unload("fake"); });
              expect("set_default_device", "cpu:0", [&] { set_default_device(device); });
              expect("ledger", "its entries", [&] { return runtime.ledger().entries(); });
              expect("start_trace", "/nowhere/trace.json",
                     [&] { runtime.start_trace("/nowhere/trace.json"); });
              expect("stop_trace", "its trace", [&] { runtime.stop_trace(); });
              expect("validation_report", "every device",
                     [&] { return validation_report(runtime); });
              expect("set_memory_limit", "cpu:0", [&] { device.set_memory_limit(1); });
              expect("plan_copy", "cpu:0", [&] { return plan_copy(device, Endpoint::host(), 1); });
              int released = 0;
              float number = 0;
              expect("wrap_host", "cpu:0", [&] {
                return Buffer::wrap_host(device, &number, sizeof number, [&] { ++released; });
              });
              if (released != 0) lines += "released memory that was refused\n";
              return lines;
            }),
            "");
}

/// Work of every kind on the device, as text.
std::string work_on(const Device& device) {
  const Stream stream(device);
  const StreamScope scope(stream);
  const Tensor x = ones({160, 160}, device).requires_grad_();
  sum(matmul(x, x)).backward();
  stream.synchronize();
  const Floats grad = x.grad().to_vector<float>();
  return std::to_string(grad.front()) + " " + std::to_string(grad.back());
}

TEST(ForkedProcessRuntime, TheChildsOwnWorks) {
  if (kNoThreads != nullptr) GTEST_SKIP() << kNoThreads;
  for (const char* name : {"cpu:0", "fake:0"}) {
    const Runtime before(options());
    const std::string expected = work_on(before.device(name));
    EXPECT_EQ(answer_of([&] {
                std::string text;
                {
                  const Runtime own(options());
                  text = work_on(own.device(name));
                }
                return text;
              }),
              expected)
        << name;
    EXPECT_EQ(work_on(before.device(name)), expected) << name;
  }
}

TEST(ForkedProcessRuntime, TheDefaultOneIsMadeAnew) {
  ::setenv("PATCHBAY_PLUGIN_PATH", test::test_plugin_folder().c_str(), 1);
  (void)exp(ones({100}, Device("cpu:0"))).to_vector<float>();
  EXPECT_EQ(
      answer_of([] {
        const Floats values = (ones({3}, Device("cpu:0")) + 1).to_vector<float>();
        return std::to_string(values.at(0)) +
               (&Runtime::get_default() == &Runtime::get_default() ? " the same" : " another");
      }),
      "2.000000 the same");
}

std::string text_of(Generator::State state) {
  return std::to_string(state.seed) + "+" + std::to_string(state.offset);
}

TEST(ForkedProcessRuntime, TheChildBeginsWithItsParentsSeed) {
  const Runtime before(options());
  manual_seed(42);
  default_generator(before).advance(5);
  EXPECT_EQ(answer_of([&] {
              const Runtime own(options());
              std::string text = text_of(default_generator(own).state());
              manual_seed(6);
              text += " " + text_of(default_generator(own).state());
              return text + " " + text_of(default_generator(before).state());
            }),
            "42+0 6+0 42+5");
  EXPECT_EQ(text_of(default_generator(before).state()), "42+5");
  manual_seed(0);
}

// Another thread of the parent draws, and so may hold the lock of a generator at the fork.
TEST(ForkedProcessRuntime, GeneratorsGoOnInTheChild) {
  const Runtime before(options());
  const Generator busy(1), quiet(Generator::State{7, 3});
  std::atomic<bool> is_over{false};
  std::thread worker([&] {
    while (!is_over.load()) {
      busy.advance();
      default_generator(before).advance();
    }
  });
  Ended ended{0, "7+3 7+5 1"};
  for (int i = 0; i < 200 && ended.status == 0 && ended.text == "7+3 7+5 1"; ++i) {
    ended = in_child([&] {
      manual_seed(9);  // leaves the generators of the parent's runtime
      std::string text = text_of(quiet.advance(2));
      text += " " + text_of(quiet.state());
      return text + " " + std::to_string(busy.advance().seed);
    });
  }
  is_over.store(true);
  worker.join();
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.text, "7+3 7+5 1");
  EXPECT_EQ(text_of(quiet.state()), "7+3");
}

// The library's own lists are the child's, whatever another thread of the parent is changing.
TEST(ForkedProcessRuntime, TheChildsOwnWorksWhileItsParentWorks) {
  if (kNoBusyParent != nullptr) GTEST_SKIP() << kNoBusyParent;
  const RuntimeOptions validated = options({{"validate", "1"}});
  const auto work = [](const Device& device) {
    std::promise<std::string> called;
    const Stream stream(device);
    stream.add_callback([&called](const Error* error) {
      called.set_value(error == nullptr ? "called" : "failed");
    });
    stream.record().wait();
    return called.get_future().get();
  };
  const Runtime before(validated);
  std::atomic<bool> is_over{false};
  std::thread worker([&] {
    const Device device = before.device("fake:0");
    while (!is_over.load()) (void)work(device);
  });
  Ended ended{0, "called"};
  for (int i = 0; i < 100 && ended.status == 0 && ended.text == "called"; ++i) {
    ended = in_child([&] { return work(Runtime(validated).device("fake:0")); });
  }
  is_over.store(true);
  worker.join();
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.text, "called");
}

TEST(ForkedProcessRuntime, DriversThatTheParentOpenedAreRefused) {
  if (kNoThreads != nullptr) GTEST_SKIP() << kNoThreads;
  for (const char* name : {"opencl:0", "cuda:0", "hip:0"}) {
    if (!absence_of(name).empty()) continue;
    const std::string plugin = vendors_plugin(name);
    EXPECT_EQ(
        answer_of([&] {
          const Runtime own(device_options());
          std::string text =
              (ones({3}, own.device("cpu")) + 1).to_vector<float>() == std::vector<float>(3, 2)
                  ? "cpu works; "
                  : "cpu is wrong; ";
          (void)own.devices();  // opens every plugin
          for (const PluginInfo& info : own.plugins()) {
            if (info.name == plugin)
              text += std::string(to_string(info.status)) + ": " + info.reason;
          }
          return text;
        }),
        "cpu works; failed: this process was forked after the plugin had opened its driver, "
        "which stays with the parent: fork before the first Runtime, or start another program")
        << name;
  }
}

}  // namespace
}  // namespace patchbay::test
