// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// An application lends its threads: the CPU plugin uses them and starts none.
#include "support/cpu_runtime.h"
#include "support/threads.h"

namespace patchbay::test {
namespace {

/// With the first thread a sanitizer starts one of its own.
const bool has_started_one = (std::thread([] {}).join(), true);

/// Threads that are joined take a moment to go; ones that were started and kept never do.
void expect_num_threads(std::size_t expected) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (num_threads() != expected && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(num_threads(), expected);
}

/// Runs bodies on threads that end with each job, so that none is left to be counted.
struct Pool {
  void parallel_for(std::size_t n, const std::function<void(std::size_t)>& body) {
    num_jobs.fetch_add(1);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) body(i);
    };
    std::thread helper(work);
    work();
    helper.join();
  }
  ThreadPool lend() {
    return {2, [this](std::size_t n, const auto& body) { parallel_for(n, body); }};
  }

  std::atomic<int> num_jobs{0};
};

RuntimeOptions cpu_options(std::map<std::string, std::string> settings = {}) {
  RuntimeOptions chosen;
  chosen.plugins = {"cpu-openblas"};
  chosen.settings = std::move(settings);
  chosen.read_environment = false;
  return chosen;
}

struct Results {
  Floats product, added, total;
};

Results compute(const Device& cpu) {
  const Tensor a = from_host(rough_values(512 * 512, 1), {512, 512}, cpu);
  const Tensor b = from_host(rough_values(512 * 512, 2), {512, 512}, cpu);
  return {matmul(a, b).to_vector<float>(), (a + b).to_vector<float>(), sum(a).to_vector<float>()};
}

TEST(LentThreads, AreUsedAndNoneIsStarted) {
  Pool pool;
  RuntimeOptions chosen = cpu_options({{"cpu_threads", "2"}});
  chosen.thread_pool = pool.lend();
  const Runtime runtime(chosen);
  const std::size_t before = num_threads();
  const Results lent = compute(runtime.device("cpu:0"));
  expect_num_threads(before);
  EXPECT_GT(pool.num_jobs.load(), 0);

  const Results own = compute(cpu_runtime({{"cpu_threads", "2"}}).device("cpu:0"));
  EXPECT_EQ(lent.product, own.product);
  EXPECT_EQ(lent.added, own.added);
  EXPECT_EQ(lent.total, own.total);
}

TEST(LentThreads, ServeSeveralDevices) {
  Pool pool;
  RuntimeOptions chosen = cpu_options({{"cpu_devices", "2"}, {"cpu_threads", "2"}});
  chosen.thread_pool = pool.lend();
  const Runtime runtime(chosen);
  const std::size_t before = num_threads();
  const Results one = compute(runtime.device("cpu:0")), two = compute(runtime.device("cpu:1"));
  expect_num_threads(before);  // no thread of the devices' own either
  EXPECT_EQ(one.product, two.product);
}

TEST(LentThreads, ServeStreamsAtOnce) {
  Pool pool;
  RuntimeOptions chosen = cpu_options();
  chosen.thread_pool = pool.lend();
  const Device cpu = Runtime(chosen).device("cpu:0");
  const Tensor a = from_host(rough_values(512 * 512, 1), {512, 512}, cpu);
  const Floats expected = matmul(a, a).to_vector<float>();
  const Stream first(cpu), second(cpu);
  std::vector<Tensor> results;
  for (int i = 0; i < 6; ++i) {
    const StreamScope scope(i % 2 == 0 ? first : second);
    results.push_back(matmul(a, a));
  }
  for (const Tensor& result : results) EXPECT_EQ(result.to_vector<float>(), expected);
}

TEST(LentThreads, HalfAPoolIsRefused) {
  RuntimeOptions chosen = cpu_options();
  chosen.thread_pool.num_threads = 4;
  EXPECT_INVALID(Runtime{chosen}, "[Runtime] thread_pool",
                 "both num_threads and parallel_for or neither, got 4 threads and no function.");
  chosen.thread_pool = {0, [](std::size_t, const std::function<void(std::size_t)>&) {}};
  EXPECT_INVALID(Runtime{chosen}, "got 0 threads and a function");
  chosen.thread_pool.num_threads = -2;
  EXPECT_INVALID(Runtime{chosen},
                 "[Runtime] thread_pool: expected num_threads of 0 or more, got -2. Give the "
                 "number of threads that parallel_for uses, or 0 and no function.");
}

}  // namespace
}  // namespace patchbay::test
