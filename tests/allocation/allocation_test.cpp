// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Each allocation of the host's in turn finds no memory. The work that met it succeeds or throws;
// the process goes on, and so does the same work afterwards, with the right values.
#include <unistd.h>

#include "failing_allocations.h"
#include "support/device_test.h"

namespace patchbay::test {
namespace {

using Values = std::vector<float>;

/// What `work` gives; nothing if it throws for want of memory.
std::optional<Values> attempt(const std::function<Values()>& work) {
  try {
    return work();
  } catch (const Error&) {
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

/// Fails every allocation of `work`, one after the other: all of them in long runs, else the first
/// ones and a part of the others.
void sweep(const std::function<void()>& prepare, const std::function<Values()>& work,
           bool may_be_whole = true) {
  constexpr std::int64_t kFirst = 200;
  const bool is_whole = may_be_whole && std::getenv("PATCHBAY_TEST_ALL") != nullptr;
  prepare();
  const Values right = work();
  for (std::int64_t number = 1;; number += is_whole || number < kFirst ? 1 : number / 16) {
    SCOPED_TRACE("allocation " + std::to_string(number));
    prepare();
    std::optional<Values> got;
    bool has_failed = false;
    {
      const FailingAllocation failing(number);
      got = attempt(work);
      has_failed = failing.has_failed();
    }
    if (got) {
      EXPECT_EQ(*got, right);
    } else {
      EXPECT_TRUE(has_failed) << "an error without a cause";
    }
    EXPECT_EQ(work(), right);
    if (!has_failed || testing::Test::HasFailure()) {
      testing::Test::RecordProperty("allocations", std::to_string(number - 1));
      return;
    }
  }
}

/// The plugin of the device, and for copies two devices that do not reach each other.
RuntimeOptions options_of(const std::string& device) {
  RuntimeOptions options = device_options();
  const std::string plugin = vendors_plugin(device);
  const bool is_cpu = device.starts_with("cpu");
  options.plugins = {!plugin.empty() ? plugin : is_cpu ? "cpu-openblas" : "fake"};
  options.settings["fake_peers"] = "";
  return options;
}

class FailedAllocation : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!can_fail_allocations()) GTEST_SKIP() << "a sanitizer has its own allocator";
    // A vendor's library may end the process when it finds no memory while it is loaded: it stays.
    if (!IsSkipped()) static_cast<void>(matmul(ones({2, 2}, device_), ones({2, 2}, device_)));
  }

  /// A runtime that nothing has used.
  void renew(const std::map<std::string, std::string>& settings = {}) {
    runtime_.reset();
    RuntimeOptions options = options_of(GetParam());
    for (const auto& [name, value] : settings) options.settings[name] = value;
    runtime_.emplace(options);
  }
  Device device() const { return runtime_->device(GetParam()); }

  std::optional<Runtime> runtime_;
};

Values train(const Device& device) {
  Values start(12), input(24);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i % 5);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i % 7) - 3;
  const Tensor weight = from_host(start, {6, 2}, device).requires_grad_();
  const Tensor x = from_host(input, {4, 6}, device);
  for (int step = 0; step < 2; ++step) {
    const Tensor loss = sum(relu(matmul(x, weight)) * 2);
    loss.backward();
    const NoGrad scope;
    weight -= weight.grad();
    weight.set_grad({});
  }
  return weight.to_vector<float>();
}

std::ptrdiff_t count_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_P(FailedAllocation, WhileARuntimeIsLoaded) {
  const std::ptrdiff_t num_threads = count_threads();
  sweep([] {},
        [] {
          const Runtime runtime(options_of(GetParam()));
          return ones({3}, runtime.device(GetParam())).to_vector<float>();
        });
  // A stream that nobody owns any more would have left its thread. One that was joined stays in the
  // list for a moment.
  for (int i = 0; i < 5000 && count_threads() > num_threads; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(count_threads(), num_threads);
}

TEST_P(FailedAllocation, WhileARuntimeEnds) {
  std::optional<Runtime> runtime;
  sweep(
      [&runtime] {
        runtime.emplace(options_of(GetParam()));
        static_cast<void>(ones({3}, runtime->device(GetParam())));
      },
      [&runtime] {
        runtime.reset();
        return Values();
      });
}

TEST_P(FailedAllocation, InTheFirstTrainingStep) {
  sweep([this] { renew(); }, [this] { return train(device()); });
}

TEST_P(FailedAllocation, InTrainingStepsOnAStream) {
  renew();
  sweep([] {},
        [this] {
          const Stream stream(device());
          const StreamScope scope(stream);
          return train(device());
        });
}

TEST_P(FailedAllocation, InTrainingStepsThatAreValidated) {
  renew({{"validate", "1"}});
  // Validation looks up the caller of each of its many objects: all of it takes minutes.
  sweep([] {}, [this] { return train(device()); }, /*may_be_whole=*/false);
}

TEST_P(FailedAllocation, InTrainingStepsThatAreTraced) {
  const std::string file =
      testing::TempDir() + "allocation-" + std::to_string(::getpid()) + ".json";
  renew({{"trace", file}});
  sweep([] {}, [this] { return train(device()); });
  runtime_.reset();
  std::filesystem::remove(file);
}

TEST_P(FailedAllocation, InCopies) {
  renew();
  sweep([] {},
        [this] {
          const Tensor a = from_host(Values{1, 2, 3, 4, 5, 6}, {2, 3}, device());
          const Tensor b = zeros({3, 2}, device());
          b.copy_from(a.t(), /*non_blocking=*/true);
          Values values = b.to_vector<float>();
          if (std::string_view(GetParam()).starts_with("fake")) {
            const Tensor there = b.to(runtime_->device("fake:1")), back = zeros({3, 2}, device());
            back.copy_from(there, /*non_blocking=*/true);
            for (const float value : back.to_vector<float>()) values.push_back(value);
          }
          return values;
        });
}

TEST_P(FailedAllocation, InARecordedGraph) {
  renew();
  sweep([] {},
        [this] {
          const Tensor in = full({4}, 2.0f, device());
          Tensor out;
          const Graph graph = record_graph([&] { out = exp(in * 0) + in * in; });
          graph.replay();
          in.fill_(3);
          graph.replay();
          return out.to_vector<float>();
        });
}

TEST_P(FailedAllocation, InCallbacksAndEvents) {
  renew();
  sweep([] {},
        [this] {
          const Stream stream(device());
          const StreamScope scope(stream);
          const Tensor a = ones({4}, device()) + 1;
          const Event event = stream.record();
          stream.add_callback([](const Error*) {});
          event.wait();
          stream.synchronize();
          return a.to_vector<float>();
        });
}

/// The sums of two members in three rounds. A call that fails does not change the other rounds.
Values sums_on(const Device& device) {
  constexpr std::size_t kRounds = 3, kMembers = 2;
  const auto members =
      ProcessGroup::in_process({device, device}, {.timeout = std::chrono::seconds(20)});
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < kRounds * kMembers; ++i) tensors.push_back(full({2}, 1 << i, device));
  std::vector<std::optional<Work>> works(tensors.size());
  Bools fails(kRounds, false);
  const auto try_to = [&](std::size_t i, const auto& call) {
    try {
      call(i);
    } catch (const Error&) {
      fails[i / kMembers] = true;
    } catch (const std::bad_alloc&) {
      fails[i / kMembers] = true;
    }
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    try_to(i, [&](std::size_t k) { works[k] = members[k % kMembers].all_reduce(tensors[k]); });
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (works[i]) try_to(i, [&](std::size_t k) { works[k]->wait(); });
  }
  Values sums;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (fails[i / kMembers]) continue;
    sums.push_back(tensors[i].to_vector<float>()[1]);
    EXPECT_EQ(sums.back(), 3 << (i - i % kMembers));
  }
  if (sums.size() < tensors.size()) throw std::bad_alloc();
  return sums;
}

TEST_P(FailedAllocation, InCollectiveOperations) {
  renew();
  sweep([] {}, [this] { return sums_on(device()); });
}

/// That is no fault of the library's.
TEST_P(FailedAllocation, AThreadThatCanNotBeStartedIsWantOfMemory) {
  renew();
  const Tensor a = ones({2}, device());
  const auto members = ProcessGroup::in_process({device(), device()});
  const FailingThreads failing;
  EXPECT_ERROR(members[0].all_reduce(a), kOutOfMemory,
               "a thread of the library's can't be started: Resource temporarily unavailable");
}

TEST_P(FailedAllocation, WhileAPluginIsUnloaded) {
  sweep([] {},
        [] {
          const RuntimeOptions options = options_of(GetParam());
          Runtime runtime(options);
          Values values = (ones({3}, runtime.device(GetParam())) + 1).to_vector<float>();
          runtime.unload(options.plugins.front());
          return values;
        });
}

/// Failures of the fake device, which are told though there is no memory to tell them with.
class FailedAllocationInAFailure : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_fail_allocations()) GTEST_SKIP() << "a sanitizer has its own allocator";
  }
};

TEST_F(FailedAllocationInAFailure, OfACopy) {
  RuntimeOptions options = options_of("fake:0");
  options.settings["fake_fail_copy"] = "1-";
  const Device here = Runtime(options).device("fake:0"), to = here.runtime().device("fake:1");
  const Buffer from = Buffer::allocate(here, 64);
  for (const bool non_blocking : {false, true}) {
    sweep([] {},
          [&] {
            const Buffer there = Buffer::allocate(to, 64), back = Buffer::allocate(here, 64);
            try {
              copy({there, 0, 64}, {from, 0, 64}, non_blocking);
              copy({back, 0, 64}, {there, 0, 64});
            } catch (const Error& error) {
              if (error.code() == kLaunchFailed) return Values{1};
              throw;
            }
            return Values{0};
          });
  }
}

TEST_F(FailedAllocationInAFailure, OfALaunch) {
  RuntimeOptions options = options_of("fake:0");
  options.settings["fake_fail_async_launch"] = "2";
  bool has_failed = true;
  for (std::int64_t number = 1; has_failed && !HasFailure(); ++number) {
    SCOPED_TRACE("allocation " + std::to_string(number));
    const Runtime runtime(options);
    const Stream stream(runtime.device("fake:0"));
    const StreamScope scope(stream);
    const Tensor a = ones({4}, runtime.device("fake:0"));
    Tensor b;
    const std::function<Values()> work = [&] {
      b = exp(a);
      stream.synchronize();
      return Values();
    };
    {
      const FailingAllocation failing(number);
      static_cast<void>(attempt(work));
      has_failed = failing.has_failed();
    }
    if (b.defined()) {
      EXPECT_THROW(static_cast<void>(b.to_vector<float>()), Error);
    }
  }
}

// Not on PoCL, which ends the process itself when it finds no memory.
INSTANTIATE_TEST_SUITE_P(, FailedAllocation, testing::Values("cpu:0", "fake:0", "cuda:0", "hip:0"),
                         device_test_name);

}  // namespace
}  // namespace patchbay::test
