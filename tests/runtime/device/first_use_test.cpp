// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// What happens once in a process or a runtime, when several threads are the first to want it. Each
// try is a process of its own: 20 of each kind, 1,000 with PATCHBAY_TEST_ALL.
#include <stdlib.h>

#include "support/absence.h"
#include "support/child.h"
#include "support/kernels.h"
#include "support/runtime_fixture.h"
#include "support/scratch_directory.h"

namespace patchbay::test {
namespace {

constexpr int kThreads = 8;

/// The different answers of the threads, which all call `first` at once, in a process that has
/// called `prepare` alone.
std::string first_answers(const std::function<void()>& prepare,
                          const std::function<std::string()>& first) {
  return answer_of([&] {
    prepare();
    std::atomic<int> num_ready{0};
    std::vector<std::string> answers(kThreads);
    std::vector<std::thread> threads;
    for (std::string& answer : answers) {
      threads.emplace_back([&] {
        ++num_ready;
        while (num_ready.load() != kThreads) {
        }
        try {
          answer = first();
        } catch (const std::exception& error) {
          answer = error.what();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    const std::set<std::string> different(answers.begin(), answers.end());
    std::string all;
    for (const std::string& each : different) all += (all.empty() ? "" : " | ") + each;
    return all;
  });
}

int num_processes() { return std::getenv("PATCHBAY_TEST_ALL") != nullptr ? 1000 : 20; }

TEST(FirstUse, OfTheDefaultRuntimeMakesOne) {
  for (int i = 0; i < num_processes(); ++i) {
    const std::string answers = first_answers(
        [] {},
        [] {
          const Tensor mine = ones({2}, Device("cpu:0"));
          static const Tensor& of_all = *new Tensor(mine);  // tensors of two runtimes do not mix
          return std::to_string((mine + of_all).to_vector<float>()[1]);
        });
    ASSERT_EQ(answers, "2.000000") << "process " << i;
  }
}

TEST(FirstUse, OfTheDefaultDeviceAndGenerator) {
  for (int i = 0; i < num_processes(); ++i) {
    const std::string answers = first_answers(
        [] {},
        [] {
          const Generator generator = default_generator();
          static_cast<void>(generator.advance(3));
          static const Generator& of_all = *new Generator(generator);
          static std::atomic<int> num_drawn{0};
          ++num_drawn;
          while (num_drawn.load() != kThreads) {
          }
          return default_device().name() + " " + std::to_string(of_all.state().offset);
        });
    ASSERT_EQ(answers, "cpu:0 24") << "process " << i;
  }
}

/// Two runtimes may open a driver at once, which opens its libraries with it.
TEST(FirstUse, OfADriverByTwoRuntimes) {
  for (int i = 0; i < num_processes(); ++i) {
    const std::string answers = first_answers(
        [] {},
        [] {
          RuntimeOptions each = options({});
          each.plugins = {"opencl", "fake", "cpu-openblas"};
          const Runtime runtime(each);
          std::string names;
          for (const Device& device : runtime.devices()) names += device.name() + " ";
          return names + std::to_string(ones({2}, runtime.device("fake:1")).to_vector<float>()[1]);
        });
    ASSERT_EQ(answers.find(" | "), std::string::npos) << answers;
    ASSERT_NE(answers.find("fake:1 "), std::string::npos) << answers;
    ASSERT_TRUE(answers.ends_with(" 1.000000")) << answers;
  }
}

/// Waits until all threads of the process have called it as often.
void meet() {
  static std::atomic<int> num_arrived{0};
  const int turn = num_arrived++ / kThreads;
  while (num_arrived.load() < (turn + 1) * kThreads) std::this_thread::yield();
}

/// In each process, all threads give the same answer.
void expect_one_answer(const std::string& expected, const std::function<void()>& prepare,
                       const std::function<std::string()>& first) {
  for (int i = 0; i < num_processes(); ++i) {
    ASSERT_EQ(first_answers(prepare, first), expected) << "process " << i;
  }
}

std::string text_of(const Tensor& t) { return std::to_string(t.to_vector<float>().back()); }

TEST(FirstUse, OfAKernelModule) {
  expect_one_answer(
      "40.000000", [] { Runtime::set_default_options(options()); },
      [] {
        const Device device("cpu:0");
        const KernelModule module = KernelModule::from_source(device, kScale);
        const Tensor x = full({10}, 4, device), y = empty({10}, device);
        module.kernel("scale").launch({.groups = {1}, .group_size = {64}}, {x, y, 10, 10});
        return text_of(y);
      });
}

/// Products and convolutions by other libraries, and the threads that share them.
TEST(FirstUse, OfThreadsAndLibrariesOfTheProcessor) {
  expect_one_answer(
      "128.000000 54.000000 1048576.000000",
      [] {
        Runtime::set_default_options(options({{"cpu_devices", "1"},
                                              {"cpu_threads", "4"},
                                              {"cpu_products", "openblas"},
                                              {"cpu_convolutions", "onednn"}}));
      },
      [] {
        const Tensor image = ones({2, 6, 32, 32}), filter = ones({8, 6, 3, 3});
        const Tensor product = matmul(ones({256, 128}), ones({128, 256}));
        return text_of(product) + " " + text_of(conv2d(image, filter)) + " " +
               text_of(sum(ones({1 << 20})).view({1}));
      });
}

TEST(FirstUse, OfAProcessGroup) {
  expect_one_answer(
      "36.000000", [] { Runtime::set_default_options(options()); },
      [] {
        static const std::vector<ProcessGroup> members =
            ProcessGroup::in_process(std::vector<Device>(kThreads, Device("cpu:0")));
        static std::atomic<std::size_t> next{0};
        const ProcessGroup& own = members[next++];
        const Tensor value = full({3}, own.rank() + 1);
        own.all_reduce(value).wait();
        return text_of(value);
      });
}

TEST(FirstUse, OfLogTraceAndProfile) {
  const ScratchDirectory folder;
  const std::string log = folder.path() / "log", trace = folder.path() / "trace";
  expect_one_answer(
      "2.000000 1",
      [&] {
        setenv("PATCHBAY_LOG", ("debug:" + log).c_str(), 1);
        setenv("PATCHBAY_TRACE", trace.c_str(), 1);
        Runtime::set_default_options(options());
      },
      [&] {
        const Profile profile(Runtime::get_default());
        const Tensor sum = ones({5}) + 1;
        return text_of(sum) + " " + std::to_string(std::filesystem::exists(log));
      });
}

/// A runtime's devices and drivers are closed while others open theirs.
TEST(FirstUse, OfADriverBesideItsEnd) {
  expect_one_answer(
      "3.000000 3.000000", [] {},
      [] {
        std::string last;
        for (int i = 0; i < 3; ++i) {
          RuntimeOptions each = options();
          each.plugins = {"opencl", "fake", "cpu-openblas"};
          const Runtime runtime(each);
          last = text_of(ones({4}, runtime.device("fake:0")) + 2) + " ";
          std::string other = "fake:1";
          for (const Device& device : runtime.devices()) {
            if (device.name() == "opencl:0") other = device.name();
          }
          last += text_of(ones({4}, runtime.device(other)) + 2);
          if (i == 0) meet();
        }
        return last;
      });
}

/// Texts of several kinds, each of which one thread builds for all.
TEST(FirstUse, OfABuild) {
  const ScratchDirectory cache;
  for (const std::string device : {"opencl:0", "fake:0", "cpu:0"}) {
    if (device == "opencl:0" && !is_built("opencl")) continue;
    for (int i = 0; i < num_processes() / 20; ++i) {
      const auto prepare = [&] {
        const std::string folder = cache.folder(device + std::to_string(i));
        setenv("POCL_CACHE_DIR", cache.folder("pocl" + std::to_string(i)).c_str(), 1);
        RuntimeOptions each = options({{"cache_dir", folder}});
        each.plugins = {"opencl", "fake", "cpu-openblas"};
        Runtime::set_default_options(each);
      };
      const std::string answers = first_answers(prepare, [&] {
        static std::atomic<int> next{0};
        const Tensor x = ones({20}, Device(device));
        meet();
        const int kind = next++ % 3;
        const Tensor y = kind == 0 ? exp(x - 1) + 1 : kind == 1 ? x * x + x : x + cumsum(x, 0) - 19;
        return text_of(y);
      });
      ASSERT_EQ(answers, "2.000000") << device;
    }
  }
}

}  // namespace
}  // namespace patchbay::test
