// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// The kernel executor below the CPU plugin: compiler, errors, threads.
#include <unistd.h>

#include <initializer_list>

#include "kit/executor_fixture.h"

namespace patchbay::test {
namespace {

TEST_F(KernelExecutorTest, APluginIsNotUnloadedWhileItCompiles) {
  const std::string slow = script("sleep 1; exec c++ \"$@\"\n");
  Runtime runtime = cpu_runtime({{"kernel_compiler", slow}, {"cache_dir", cache().string()}});
  const Device here = runtime.device("cpu:0");
  static_cast<void>(zeros({1}, here));  // opens it
  std::thread compiling([&] { return KernelModule::from_source(here, kScale); });
  // Once something holds the device it does until the compiler is through.
  Error refused(kInternal, "none");
  while (std::string(refused.what()).find("kernel module") == std::string::npos) {
    if (!fs::exists(cache() / "kernels")) continue;
    refused = error_of([&] { runtime.unload("cpu-openblas"); });
  }
  EXPECT_EQ(to_string(refused.code()), to_string(kInUse));
  compiling.join();
}

TEST_F(KernelExecutorTest, AMissingCompilerIsNamedWithTheWayOut) {
  const auto missing = device({{"kernel_compiler", "/no/such/c++"}});
  EXPECT_ERROR(KernelModule::from_source(missing, kScale), kUnsupported, "[KernelModule]",
               "there is no program '/no/such/c++'. Install one (g++ or clang), or name it by "
               "the setting kernel_compiler (PATCHBAY_KERNEL_COMPILER).");
  EXPECT_ERROR(KernelModule::from_source(device({{"kernel_compiler", "no-such-c++"}}), kScale),
               kUnsupported, "there is no program 'no-such-c++' on PATH");
  EXPECT_ERROR(KernelModule::from_source(device({{"kernel_compiler", "/tmp"}}), kScale),
               kUnsupported, "there is no program '/tmp'");
  // Everything else works without one.
  EXPECT_EQ((ones({2}, missing) + 1).to_vector<float>(), (Floats{2, 2}));
}

TEST_F(KernelExecutorTest, BuildErrorsHaveTheLinesOfTheText) {
  const Error error = error_of([&] {
    static_cast<void>(KernelModule::from_source(
        device(), "// one\nPATCHBAY_KERNEL(f)() {\n  i32 x = 1;\n  y = x;\n}\n",
        {.name = "my \"text\".pbk"}));
  });
  EXPECT_EQ(to_string(error.code()), "build_failed");
  const std::string what = error.what();
  EXPECT_EQ(what.rfind("[KernelModule] the kernel text does not compile", 0), 0U) << what;
  EXPECT_HAS(what, "my _text_.pbk:4:3: error: 'y' was not declared");
  EXPECT_TRUE(kept().empty());
}

TEST_F(KernelExecutorTest, MistakesThatOtherDialectsWouldFindAreFoundHere) {
  const auto expect_refused = [&](const char* body) {
    SCOPED_TRACE(body);
    const std::string text =
        "PATCHBAY_KERNEL(f)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {" +
        std::string(body) + "}";
    const Error error = error_of([&] { return KernelModule::from_source(device(), text); });
    EXPECT_EQ(to_string(error.code()), "build_failed");
  };
  expect_refused("PATCHBAY_BIND(f32, y); y[0] = sqrtf(2.0f);");
  expect_refused(
      "PATCHBAY_BIND(f32, y); f32 big[20000]; for (i32 i = 0; i < 20000; ++i) "
      "big[(i * 7) % 20000] = y[i]; for (i32 i = 0; i < 20000; ++i) y[i] = big[i];");
}

TEST_F(KernelExecutorTest, ACompilerThatFailsOrLiesLeavesNothing) {
  const auto failing = device({{"kernel_compiler", script("echo 'no licence' >&2; exit 3")}});
  const Error error = error_of([&] { return KernelModule::from_source(failing, kScale); });
  EXPECT_EQ(to_string(error.code()), "build_failed");
  EXPECT_HAS(error.what(), "no licence");
  const auto lying = device({{"kernel_compiler", script("exit 0")}});
  EXPECT_EQ(to_string(error_of([&] { return KernelModule::from_source(lying, kScale); }).code()),
            "build_failed");
  EXPECT_TRUE(kept().empty());
}

TEST_F(KernelExecutorTest, ACompilerThatSaysNothingIsDescribedByHowItEnds) {
  const auto expect_failure = [this](const std::string& body, const std::string& got,
                                     const std::string& after = "") {
    SCOPED_TRACE(body);
    const std::string compiler = script(body);
    const auto here = device({{"kernel_compiler", compiler}});
    const Error error = error_of([&] { return KernelModule::from_source(here, kScale); });
    EXPECT_EQ(to_string(error.code()), "build_failed");
    EXPECT_EQ(error.what(), "[KernelModule] the C++ compiler '" + compiler +
                                "' failed: expected a shared library, got " + got +
                                ". Correct it, or name another by the setting kernel_compiler "
                                "(PATCHBAY_KERNEL_COMPILER)." +
                                after + " (cpu:0)");
  };
  expect_failure("exit 3", "exit status 3 and no message");
  expect_failure("echo; exit 3", "exit status 3 and no message");
  expect_failure("kill -9 $$", "its end by signal 9 (Killed)");
  expect_failure("exit 0", "exit status 0 and none");
  expect_failure("echo 'all is well'", "exit status 0 and none", " It wrote:\nall is well\n");
  expect_failure("echo 'half'; kill -9 $$", "its end by signal 9 (Killed)", " It wrote:\nhalf\n");
}

/// A service has closed its standard descriptors, whose numbers new files then get.
TEST_F(KernelExecutorTest, TheCompilersLogNeedsNoStandardDescriptors) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto compile_without = [&](std::initializer_list<int> closed) {
    const Device here = device();
    for (const int descriptor : closed) close(descriptor);
    const Error error = error_of([&] {
      static_cast<void>(KernelModule::from_source(here, "PATCHBAY_KERNEL(f)() {\n  y = 1;\n}\n"));
    });
    const bool has_log =
        std::string(error.what()).find("'y' was not declared") != std::string::npos;
    std::exit(has_log ? 0 : 1);
  };
  EXPECT_EXIT(compile_without({0}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compile_without({1}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compile_without({2}), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compile_without({0, 1, 2}), testing::ExitedWithCode(0), "");
}

TEST_F(KernelExecutorTest, ManyRuntimesMayCompileOneTextAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back([this] { expect_scales(device()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept().size(), 1U);
}

/// Exchanges of several types without barriers between them, and an array that is declared after.
TEST_F(KernelExecutorTest, WorkItemsOfASubGroupExchangeValues) {
  const Device cpu = device();
  const ModuleKernel exchange = KernelModule::from_source(cpu, R"(
PATCHBAY_KERNEL(exchange)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, sums),
                          PATCHBAY_OUTPUT(i64, places), PATCHBAY_VALUE(i32, width)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, sums);
  PATCHBAY_BIND(i64, places);
  const i32 item = PATCHBAY_LOCAL_ID(0), lane = item % width;
  f32 sum = x[PATCHBAY_GLOBAL_ID(0)];
  i64 place = (i64)PATCHBAY_GLOBAL_ID(0) << 33;
  for (i32 reach = width / 2; reach > 0; reach /= 2) {
    sum += PATCHBAY_SHUFFLE_DOWN(sum, reach, width);
    place += PATCHBAY_SHUFFLE_DOWN(place, reach, width);
  }
  PATCHBAY_SHARED(f32, kept, 1024);
  kept[item] = sum;
  PATCHBAY_BARRIER();
  if (lane == 0) sums[PATCHBAY_GLOBAL_ID(0) / width] = kept[item];
  if (lane == 0) places[PATCHBAY_GLOBAL_ID(0) / width] = place;
})")
                                    .kernel("exchange");
  for (const std::int64_t group : {64, 1024}) {
    for (const std::int64_t width : {1, 8, 64}) {
      SCOPED_TRACE(std::to_string(group) + " by " + std::to_string(width));
      const std::int64_t n = 3 * group, sums = n / width;
      const Tensor x = arange(0, n, 1, {cpu, DType::f32}), out = empty({sums}, cpu);
      const Tensor place = empty({sums}, {cpu, DType::i64});
      exchange.launch({.groups = {3}, .group_size = {group}},
                      {x, out, place, static_cast<std::int32_t>(width)});
      const Tensor expected = sum(x.reshape({sums, width}), 1);
      EXPECT_EQ(out.to_vector<float>(), expected.to_vector<float>());
      const auto places = place.to_vector<std::int64_t>();
      const auto whole = expected.to_vector<float>();
      for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(places[i], static_cast<std::int64_t>(whole[i]) << 33) << i;
      }
    }
  }
}

TEST_F(KernelExecutorTest, AnExchangeAloneMakesWorkItemsWait) {
  const Device cpu = device();
  const Tensor x = from_host(values(8), {8}, cpu), y = empty({4}, cpu);
  KernelModule::from_source(cpu, R"(
PATCHBAY_KERNEL(next)(PATCHBAY_INPUT(f32, x), PATCHBAY_OUTPUT(f32, y)) {
  PATCHBAY_BIND_INPUT(f32, x);
  PATCHBAY_BIND(f32, y);
  const i32 item = PATCHBAY_LOCAL_ID(0);
  const f32 found = PATCHBAY_SHUFFLE_DOWN(x[item], 4, 8);
  if (item < 4) y[item] = found;
})")
      .kernel("next")
      .launch({.group_size = {8}}, {x, y});
  const Floats all = values(8);
  EXPECT_EQ(y.to_vector<float>(), Floats(all.begin() + 4, all.end()));
}

TEST_F(KernelExecutorTest, LargeGridsAreSharedByTheThreads) {
  const Device cpu = device({{"cpu_threads", "4"}});
  const std::int64_t n = 3'000'001;
  const Tensor x = from_host(values(n), {n}, cpu), y = empty({n}, cpu);
  KernelModule::from_source(cpu, kScale)
      .kernel("scale")
      .launch({.groups = {(n + 255) / 256}, .group_size = {256}}, {x, y, 2, n});
  EXPECT_EQ(y.to_vector<float>(), (x * 2).to_vector<float>());
}

}  // namespace
}  // namespace patchbay::test
