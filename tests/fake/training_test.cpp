// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A small network is trained while memory, launches or devices fail: at each point where they can.
#include "support/runtime_fixture.h"
#include "support/temporary_directory.h"
#include "support/threads.h"

namespace patchbay::faults {
namespace {

using Settings = std::map<std::string, std::string>;

/// Every n, but where each run takes ten times as long.
constexpr int kStep = test::kSanitized ? 7 : 1;

/// The loss of each step, and the parameters at the end.
struct Result {
  std::vector<float> losses, w1, b1, w2, b2;
  friend bool operator==(const Result&, const Result&) = default;
};

/// Values that look random and are the same everywhere.
Tensor pattern(const Shape& shape, float scale, const Device& device) {
  std::vector<float> values(static_cast<std::size_t>(num_elements(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = scale * (static_cast<float>((i * 7919 + 13) % 101) / 50.0F - 1.0F);
  }
  return from_host(values, shape, device);
}

/// x [batch, in] -> relu(x w1 + b1) [batch, hidden] -> h w2 + b2 [batch, out]; mean squared error.
struct Network {
  Tensor x, target, w1, b1, w2, b2;

  Network(const Device& device, std::int64_t batch, std::int64_t in) {
    constexpr std::int64_t kHidden = 12, kOut = 5;
    {
      const CopyTag tag("data");
      x = pattern({batch, in}, 1, device);
      target = pattern({batch, kOut}, 1, device);
    }
    const CopyTag tag("parameters");
    w1 = pattern({in, kHidden}, 0.3F, device);
    b1 = zeros({kHidden}, device);
    w2 = pattern({kHidden, kOut}, 0.3F, device);
    b2 = zeros({kOut}, device);
  }

  float step() const {
    const CopyTag tag("step");
    const float rate = 0.05F;
    const Tensor before = matmul(x, w1) + b1, h = maximum(before, 0);
    const Tensor error = matmul(h, w2) + b2 - target, loss = mean(square(error));
    // Backwards, by hand.
    const Tensor d_out = error * (2.0F / static_cast<float>(error.num_elements()));
    const Tensor d_h = matmul(d_out, w2.t()) * gt(before, 0).cast(DType::f32);
    w2 -= matmul(h.t(), d_out) * rate;
    b2 -= sum(d_out, 0) * rate;
    w1 -= matmul(x.t(), d_h) * rate;
    b1 -= sum(d_h, 0) * rate;
    return loss.item<float>();
  }
};

/// How a run is laid out; `trims` makes it go back to the driver for memory again and again.
struct Plan {
  int steps = 3;
  std::int64_t batch = 8, in = 6;
  bool trims = false;
};

Result train(const Device& device, const Plan& plan) {
  const Network network(device, plan.batch, plan.in);
  Result result;
  for (int i = 0; i < plan.steps; ++i) {
    if (plan.trims) device.trim_memory();
    result.losses.push_back(network.step());
  }
  result.w1 = network.w1.to_vector<float>();
  result.b1 = network.b1.to_vector<float>();
  result.w2 = network.w2.to_vector<float>();
  result.b2 = network.b2.to_vector<float>();
  return result;
}

/// Without any fault. The loss falls, so that it is a training.
Result expected(const Plan& plan) {
  const Runtime runtime = fake_runtime();
  Result result = train(runtime.device("fake"), plan);
  EXPECT_LT(result.losses.back(), result.losses.front());
  return result;
}

void expect_nothing_lives(const Device& device) {
  device.trim_memory();
  const DeviceMemory memory = device.memory();
  EXPECT_EQ(memory.live_bytes, 0u);
  EXPECT_EQ(memory.live_blocks, 0u);
  EXPECT_EQ(memory.reserved_bytes, 0u);
  EXPECT_EQ(memory.free_bytes, memory.total_bytes) << "as the driver says";
}

void expect_words(const Error& error, const std::vector<std::string>& words) {
  const std::string text = error.what();
  for (const std::string& word : words) EXPECT_HAS(text, word);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

/// The n-th allocation fails, as often as the core asks for it, for each n. Gives how many n.
int exhaust(const Settings& settings, int num_tries, const Plan& plan) {
  std::vector<std::string> words = {"out of memory on fake:0: requested ",
                                    " bytes, free ",
                                    ", total ",
                                    ", held by this runtime ",
                                    "finds no memory",
                                    "Free tensors or use smaller ones."};
  const Result right = expected(plan);
  for (int n = 1;; n += kStep) {
    if (n == 1 + kStep) words.insert(words.end(), {", most by tag: ", "'data' "});
    SCOPED_TRACE("allocation " + std::to_string(n));
    Settings faulty = settings;
    faulty["fake_out_of_memory"] = std::to_string(n) + "-" + std::to_string(n + num_tries - 1);
    const Runtime runtime = fake_runtime(faulty);
    const Device device = runtime.device("fake:0");
    try {
      EXPECT_EQ(train(device, plan), right);
      return n - 1;  // it needs fewer allocations
    } catch (const Error& error) {
      EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kOutOfMemory));
      expect_words(error, words);
    }
    expect_nothing_lives(device);
    EXPECT_EQ(train(device, plan), right) << "the same runtime goes on";
    expect_nothing_lives(device);
    if (testing::Test::HasFailure()) return n;
  }
}

TEST(TrainingFaults, OutOfMemoryAtEachAllocationWithoutACache) {
  // One try, and one when what can be freed was.
  EXPECT_GT(exhaust({{"memory_cache", "off"}}, 2, {}), 60);
}

TEST(TrainingFaults, OutOfMemoryAtEachAllocationOfWorkspaces) {
  EXPECT_GT(exhaust({{"memory_cache", "off"}, {"fake_workspace_bytes", "100"}}, 2, {}), 120);
}

// Each try asks for a segment to share, for one of the block's size, and for the block's bytes.
TEST(TrainingFaults, OutOfMemoryAtEachAllocationOfTheCache) {
  // Blocks of nearly 1 MiB: two a segment.
  const Plan plan{.steps = 4, .batch = 20'000, .trims = true};
  EXPECT_GT(exhaust({}, 6, plan), 10);
}

TEST(TrainingFaults, OutOfMemoryThatPassesIsNotSeen) {
  const Plan plan;
  const Result right = expected(plan);
  for (int n = 1; n <= 60; n += kStep) {
    const Runtime runtime =
        fake_runtime({{"memory_cache", "off"}, {"fake_out_of_memory", std::to_string(n)}});
    EXPECT_EQ(train(runtime.device("fake"), plan), right) << "allocation " << n;
  }
}

TEST(TrainingFaults, EachLaunchFailingAtOnce) {
  const Plan plan;
  const Result right = expected(plan);
  for (const char* cache : {"on", "off"}) {
    int n = 1;
    for (;; n += kStep) {
      SCOPED_TRACE("launch " + std::to_string(n));
      const Runtime runtime =
          fake_runtime({{"memory_cache", cache}, {"fake_fail_launch", std::to_string(n)}});
      const Device device = runtime.device("fake:0");
      try {
        EXPECT_EQ(train(device, plan), right);
        break;
      } catch (const Error& error) {
        EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kLaunchFailed));
        expect_words(error, {"fake:0", "launch number " + std::to_string(n) + " fails"});
      }
      expect_nothing_lives(device);
      EXPECT_EQ(train(device, plan), right) << "the same runtime goes on";
      expect_nothing_lives(device);
      if (HasFailure()) return;
    }
    EXPECT_GT(n, 70);
  }
}

// ------------------------------------------------------------------------------- lost devices

/// What a program may call on a device that is lost. Each says so, and why.
void expect_lost(const Device& device, const Device& other, const Tensor& there,
                 const Event& event) {
  const auto expect = [&](const char* what, const std::function<void()>& call) {
    SCOPED_TRACE(what);
    const Error error = test::error_of(call);
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kDeviceLost)) << error.what();
    expect_words(error, {device.name(), "lost the device, as the setting"});
  };
  const Tensor elsewhere = zeros(there.shape(), other);
  expect("launch", [&] { return there + there; });
  expect("allocate", [&] { return Buffer::allocate(device, std::size_t{1} << 22); });
  expect("to_vector", [&] { return there.to_vector<float>(); });
  expect("from_host", [&] { there.copy_from(from_host<float>({1}, {1}, other).expand({4})); });
  expect("to another device", [&] { elsewhere.copy_from(there); });
  expect("from another device", [&] { there.copy_from(elsewhere); });
  expect("synchronize", [&] { device.synchronize(); });
  expect("buffer wait", [&] { there.buffer().wait(); });
  expect("stream", [&] { return Stream(device); });
  expect("record", [&] { return device.default_stream().record(); });
  expect("flush", [&] { device.default_stream().flush(); });
  expect("event wait", [&] { event.wait(); });
  expect("event query", [&] { return event.is_done(); });
  expect("stream wait", [&] { device.default_stream().wait(event); });
  expect("memory", [&] { return device.memory(); });
  device.trim_memory();
}

/// Trains on three devices at once, of which one is lost. Gives the name of that one.
std::string lose_one(const Settings& settings, const Plan& plan, const Result& right) {
  Settings all = settings;
  all["fake_devices"] = "4";
  const Runtime runtime = fake_runtime(all);
  std::array<std::string, 3> lost;
  test::on_threads(lost.size(), [&](std::size_t i) {
    const Device device = runtime.device("fake:" + std::to_string(i));
    const Tensor there = from_host<float>({1, 2, 3, 4}, {4}, device);
    const Event event = device.default_stream().record();
    try {
      EXPECT_EQ(train(device, plan), right);
    } catch (const Error& error) {
      EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kDeviceLost)) << error.what();
      expect_words(error, {device.name(), "lost the device, as the setting"});
      lost[i] = device.name();
      expect_lost(device, runtime.device("fake:3"), there, event);
    }
  });
  std::string names;
  for (const std::string& name : lost) names += name;
  for (int i = 0; i < 4; ++i) {
    const Device device = runtime.device("fake:" + std::to_string(i));
    device.trim_memory();
    if (device.name() == names) continue;
    EXPECT_EQ(train(device, plan), right) << "others go on: " << device.name();
    expect_nothing_lives(device);
  }
  return names;
}

TEST(TrainingFaults, ALostDeviceTakesNoOtherAlong) {
  const Plan plan{.steps = 6};
  const Result right = expected(plan);
  for (const char* setting : {"fake_lose_device", "fake_lose_device_async"}) {
    for (int n = 20; n < 350; n += 30) {
      SCOPED_TRACE(std::string(setting) + " " + std::to_string(n));
      const std::string lost = lose_one({{setting, std::to_string(n)}}, plan, right);
      EXPECT_EQ(lost.size(), std::string("fake:0").size()) << "one of them: " << lost;
    }
  }
}

}  // namespace
}  // namespace patchbay::faults
