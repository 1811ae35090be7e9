// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// A scope sends a thread's operations to a stream, and nobody else's.
#include "support/device_test.h"

namespace patchbay::test {
namespace {

/// What a stream with times was given while `body` ran.
template <class Body>
std::vector<std::string> names_on(const Stream& stream, Body&& body) {
  body();
  stream.synchronize();
  std::vector<std::string> names;
  for (const SubmissionTime& time : stream.take_times()) names.push_back(time.name);
  return names;
}

PATCHBAY_DEVICE_TESTS(StreamScopeOn);

TEST_P(StreamScopeOn, OperationsGoToTheStream) {
  const Tensor a = ones({1000}, device_);
  const Stream stream(device_, {.times = true});
  Tensor b, c;
  const auto names = names_on(stream, [&] {
    const StreamScope scope(stream);
    b = a + 1;
    c = b.clone();
  });
  ASSERT_GE(names.size(), 2u);
  EXPECT_EQ(names[0], "add");
  EXPECT_EQ(names_on(stream, [&] { b = b * 2; }), std::vector<std::string>()) << "the scope ended";
  EXPECT_EQ((b + c).to_vector<float>(), Floats(1000, 6));
}

TEST_P(StreamScopeOn, OperandsOfAnotherStreamAreWaitedFor) {
  const Stream first(device_), second(device_);
  Tensor value = zeros({5000}, device_);
  for (int i = 0; i < 40; ++i) {
    const StreamScope scope(i % 2 == 0 ? first : second);
    value = value + 1;
  }
  EXPECT_EQ(value.to_vector<float>(), Floats(5000, 40));
}

TEST_P(StreamScopeOn, WritesWaitForReadersOnOtherStreams) {
  const Stream first(device_), second(device_);
  const Tensor value = zeros({5000}, device_);
  std::vector<Tensor> seen;
  for (int i = 0; i < 20; ++i) {
    on_stream(first, [&] { seen.push_back(value + 0); });
    const StreamScope scope(second);
    value.fill_(i + 1);
  }
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(seen[static_cast<std::size_t>(i)].to_vector<float>(),
              Floats(5000, static_cast<float>(i)));
}

TEST_P(StreamScopeOn, MemoryMovesBetweenStreams) {
  const Stream first(device_), second(device_);
  Tensor sum = zeros({3000}, device_);
  for (int i = 1; i <= 30; ++i) {
    Tensor part;
    {
      const StreamScope scope(first);
      part = full({3000}, i, device_);
    }
    const StreamScope scope(second);
    sum = sum + part;
  }
  EXPECT_EQ(sum.to_vector<float>(), Floats(3000, 465));
}

TEST_P(StreamScopeOn, KernelsOfModulesFollow) {
  const ModuleKernel kernel = KernelModule::from_source(device_, R"(
PATCHBAY_KERNEL(bump)(PATCHBAY_INOUT(i32, x)) {
  PATCHBAY_BIND(i32, x);
  x[PATCHBAY_GLOBAL_ID(0)] += 1;
})")
                                  .kernel("bump");
  const Tensor x = zeros({64}, {DType::i32, device_});
  const Stream stream(device_, {.times = true});
  const auto names = names_on(stream, [&] {
    const StreamScope scope(stream);
    for (int i = 0; i < 3; ++i) kernel.launch({.groups = {1}, .group_size = {64}}, {x});
  });
  EXPECT_EQ(names, std::vector<std::string>(3, "bump"));
  kernel.launch({.groups = {1}, .group_size = {64}}, {x});
  EXPECT_EQ(x.to_vector<std::int32_t>(), Ints(64, 4));
}

TEST(StreamScopes, NestAndConcernTheirDevice) {
  const Device one = Runtime(options()).device("fake:0"), two = one.runtime().device("fake:1");
  const Tensor a = ones({8}, one), b = ones({8}, two);
  const Stream first(one, {.times = true}), second(two, {.times = true}),
      inner(one, {.times = true});
  {
    const StreamScope outer_one(first);
    const StreamScope outer_two(second);
    static_cast<void>(a + 1);
    static_cast<void>(b * 2);
    {
      const StreamScope innermost(inner);
      static_cast<void>(a - 1);
      static_cast<void>(neg(b));
    }
    static_cast<void>(abs(a));
  }
  const auto names = [](const Stream& stream) { return names_on(stream, [] {}); };
  EXPECT_EQ(names(first), (std::vector<std::string>{"add", "abs"}));
  EXPECT_EQ(names(second), (std::vector<std::string>{"mul", "neg"}));
  EXPECT_EQ(names(inner), (std::vector<std::string>{"sub"}));
}

TEST(StreamScopes, AreOfTheThreadAndCarried) {
  const Device device = Runtime(options()).device("fake:0");
  const Tensor a = ones({8}, device);
  const Stream stream(device, {.times = true});
  const StreamScope scope(stream);
  const auto carried = ThreadContext::current();
  std::thread([&] { return a * 2; }).join();
  std::thread([&] {
    inside(ThreadContext::Scope(carried), [&] { return a + 1; });
    static_cast<void>(a - 1);
  }).join();
  EXPECT_EQ(names_on(stream, [] {}), std::vector<std::string>{"add"});
}

TEST(StreamScopes, EndWithExceptions) {
  const Device device = Runtime(options()).device("fake:0");
  const Tensor a = ones({8}, device);
  const Stream stream(device, {.times = true});
  EXPECT_THROW(
      {
        const StreamScope scope(stream);
        static_cast<void>(a + ones({3}, device));
      },
      Error);
  static_cast<void>(names_on(stream, [] {}));  // whatever came before the error
  static_cast<void>(a * 2);
  EXPECT_EQ(names_on(stream, [] {}), std::vector<std::string>());
}

}  // namespace
}  // namespace patchbay::test
