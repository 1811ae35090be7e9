// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Packed operands that are kept between launches: results have the bits that they have without, and
// a changed operand is packed anew.
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/cpu_runtime.h"

namespace patchbay::test {
namespace {

struct Extents {
  std::int64_t m, n, k;
};
// Products that pack: of few rows, of some blocks, with a part of a tile at each end.
constexpr Extents kExtents[] = {{4, 300, 500}, {16, 1024, 400}, {130, 777, 401}, {700, 90, 800}};

Runtime packing(const char* megabytes, const char* threads = "2") {
  return cpu_runtime(
      {{"cpu_products", "own"}, {"cpu_packed_mb", megabytes}, {"cpu_threads", threads}});
}

/// w as it lies in memory, or turned.
Tensor weight(const Extents& e, DType dtype, bool is_turned, const Device& device) {
  const TensorOptions options(dtype, device);
  return is_turned ? randn({e.n, e.k}, options).transpose(0, 1) : randn({e.k, e.n}, options);
}

std::vector<double> values(const Tensor& t) { return t.cast(DType::f64).to_vector<double>(); }

TEST(PackedOperands, GiveTheBitsOfFreshOnes) {
  const Runtime keeps = packing("64"), packs = packing("0"), one_thread = packing("64", "1");
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Extents& e : kExtents) {
      for (const bool is_turned : {false, true}) {
        const Device fresh = packs.device("cpu");
        const Tensor x = randn({e.m, e.k}, {dtype, fresh}), w = weight(e, dtype, is_turned, fresh);
        const std::vector<double> expected = values(matmul(x, w));
        for (const Runtime* runtime : {&keeps, &one_thread}) {
          const Device device = runtime->device("cpu");
          const auto brought = [&](const Tensor& t) {
            return from_host(values(t.contiguous()), t.shape(), device).cast(dtype);
          };
          const Tensor own_x = brought(x);
          const Tensor own_w = is_turned ? brought(w.transpose(0, 1)).transpose(0, 1) : brought(w);
          for (int launch = 0; launch < 4; ++launch) {
            ASSERT_EQ(values(matmul(own_x, own_w)), expected)
                << to_string(dtype) << ", " << e.m << " x " << e.n << ", launch " << launch;
          }
          // Fewer rows of x: another division among threads.
          ASSERT_EQ(values(matmul(own_x.slice(0, 0, 3), own_w)),
                    values(matmul(x.slice(0, 0, 3), w)));
        }
      }
    }
  }
}

TEST(PackedOperands, ArePackedAnewWhenTheyAreWritten) {
  const Device device = packing("64").device("cpu");
  const TensorOptions options(DType::f32, device);
  const std::int64_t k = 400, n = 1024;
  const Tensor x = ones({16, k}, options), other = full({k, n}, 5, options);
  const std::vector<float> from_host(static_cast<std::size_t>(k * n), 7);
  const std::map<std::string, std::function<double(const Tensor&)>> writers = {
      {"fill_", [](const Tensor& w) { return w.fill_(3), 3.0; }},
      {"in place", [](const Tensor& w) { return w *= 4, 4.0; }},
      {"copy_from", [&](const Tensor& w) { return w.copy_from(other), 5.0; }},
      {"copy_from_host",
       [&](const Tensor& w) {
         copy_from_host({w.buffer(), 0, w.buffer().size_bytes()}, from_host.data());
         return 7.0;
       }},
      {"an update of parameters",
       [&](const Tensor& w) {
         const Tensor gradient = full_like(w, 2);
         sgd_update({w}, {gradient}, {}, 1, {.learning_rate = 1});
         return -1.0;
       }},
      {"a graph", [](const Tensor& w) { return record_graph([&] { w.fill_(6); }).replay(), 6.0; }},
      {"the host",
       [](const Tensor& w) {
         float* const elements = w.data<float>();
         for (std::int64_t i = 0; i < w.num_elements(); ++i) elements[i] = 8;
         return 8.0;
       }},
  };
  for (const auto& [name, write] : writers) {
    SCOPED_TRACE(name);
    const Tensor w = ones({k, n}, options);
    const auto expect = [&](double value) {
      for (int launch = 0; launch < 3; ++launch) {
        ASSERT_EQ(values(matmul(x, w)), std::vector<double>(static_cast<std::size_t>(16 * n),
                                                            value * static_cast<double>(k)));
      }
    };
    expect(1);
    expect(write(w));
    w.fill_(2);
    expect(2);
  }
}

TEST(PackedOperands, OfAGraphStayBetweenReplays) {
  const TensorOptions options(DType::f32, packing("64").device("cpu"));
  const Tensor x = ones({16, 400}, options), w = ones({400, 1024}, options),
               out = empty({16, 1024}, options);
  const Tensor made = full({400, 1024}, 2, options);
  const Graph graph = record_graph([&] {
    matmul_out(out, x, w);
    made += 1;  // what a graph writes does not stay
    out += matmul(x, made);
  });
  const auto all = [](double value) { return std::vector<double>(16 * 1024, value * 400); };
  double value = 2;
  for (int replay = 0; replay < 4; ++replay) {
    graph.replay();
    ASSERT_EQ(values(out), all(1 + ++value)) << replay;
  }
  w.fill_(10);
  graph.replay();
  EXPECT_EQ(values(out), all(10 + ++value));
  graph.bind(w, full({400, 1024}, 20, options));
  graph.replay();
  EXPECT_EQ(values(out), all(20 + ++value));
}

/// A writer has been submitted and has not begun; meanwhile another thread reads the old elements.
TEST(PackedOperands, AReaderThatRacesWithAWriterLeavesNoOldElements) {
  std::function<void()> meanwhile;
  RuntimeOptions lending;
  lending.plugins = {"cpu-openblas"};
  lending.read_environment = false;
  lending.settings = {{"cpu_products", "own"}};
  lending.thread_pool = {2, [&](std::size_t n, const auto& body) {
                           if (const auto now = std::exchange(meanwhile, nullptr)) {
                             std::thread(now).join();
                           }
                           for (std::size_t i = 0; i < n; ++i) body(i);
                         }};
  const TensorOptions options(DType::f32, Runtime(lending).device("cpu"));
  const Tensor x = ones({16, 400}, options), w = ones({400, 1024}, options);
  bool is_read = false;
  meanwhile = [&] {
    for (int launch = 0; launch < 3; ++launch) (void)matmul(x, w);
    is_read = true;
  };
  w.fill_(2);
  ASSERT_TRUE(is_read) << "the writer is expected to use several threads";
  EXPECT_EQ(values(matmul(x, w)), std::vector<double>(16 * 1024, 800));
}

/// oneDNN, if it is installed, wants weights in a layout of its own.
TEST(PackedOperands, OfConvolutionsArePackedAnewToo) {
  const TensorOptions options(DType::f32,
                              cpu_runtime({{"cpu_convolutions", "onednn"}}).device("cpu"));
  const Tensor images = ones({4, 32, 12, 12}, options), windows = ones({4, 48, 12, 12}, options);
  const Tensor weight = ones({48, 32, 3, 3}, options);
  const Conv2dOptions padded{.padding = {1, 1}};
  const ConvTranspose2dOptions also_padded{.padding = {1, 1}};
  const auto inner = [](const Tensor& t) { return values(t)[5 * 12 + 5]; };
  for (const double value : {1.0, 2.0, 3.0}) {
    weight.fill_(value);
    for (int launch = 0; launch < 4; ++launch) {
      ASSERT_EQ(inner(conv2d(images, weight, {}, padded)), 9 * 32 * value);
      ASSERT_EQ(inner(conv_transpose2d(windows, weight, {}, also_padded)), 9 * 48 * value);
    }
  }
}

TEST(PackedOperands, OfManyWeightsAreDroppedForLaterOnes) {
  const Runtime runtime = packing("1");  // room for two of 400 kB
  const TensorOptions options(DType::f32, runtime.device("cpu"));
  const Tensor x = ones({8, 400}, options);
  std::vector<Tensor> weights;
  for (int i = 0; i < 7; ++i) weights.push_back(full({400, 250}, i + 1, options));
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const std::vector<double> expected(8 * 250, 400.0 * (static_cast<double>(i) + 1));
      for (int launch = 0; launch < 3; ++launch) {
        ASSERT_EQ(values(matmul(x, weights[i])), expected);
      }
    }
  }
}

TEST(PackedOperands, AreSharedByThreads) {
  const TensorOptions options(DType::f32, packing("4").device("cpu"));
  std::vector<Tensor> weights;
  for (int i = 0; i < 5; ++i) weights.push_back(full({300, 700}, i + 1, options));
  std::vector<std::thread> callers;
  std::atomic<int> num_wrong{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      const Tensor x = full({6, 300}, caller + 1, options);
      for (int round = 0; round < 40; ++round) {
        const auto i = static_cast<std::size_t>(round * (caller + 1) % 5);
        const double value = 300.0 * (caller + 1) * (static_cast<double>(i) + 1);
        if (values(matmul(x, weights[i])) != std::vector<double>(6 * 700, value)) ++num_wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(num_wrong.load(), 0);
}

TEST(PackedOperands, HaveALimitThatIsANumber) {
  for (const char* wrong : {"-1", "1000001", "much", "", "1.5"}) {
    EXPECT_HAS(cpu_runtime({{"cpu_packed_mb", wrong}}).plugins().at(0).reason,
               "setting cpu_packed_mb (PATCHBAY_CPU_PACKED_MB): expected a whole number from 0 to "
               "1000000, got '" +
                   std::string(wrong) + "'")
        << wrong;
  }
}

}  // namespace
}  // namespace patchbay::test
