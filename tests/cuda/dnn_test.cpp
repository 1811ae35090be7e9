// Copyright 2026 The Patchbay authors. SPDX-License-Identifier: Apache-2.0
// Convolutions by cuDNN's graph API. Its simulation proposes algorithms that are wrong to choose
// before the right one (tests/sim/README.md).
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/simulation.h"

namespace patchbay::sim_test {
namespace {

class SimDnn : public SimTest {
 protected:
  using Values = std::vector<double>;
  static constexpr int kMostBitsOfWeights = 4;  // so that sums of products of f32 are exact

  struct Results {
    Values out, input, weight;
    // Of the driver, so none by the library.
    std::uint64_t launches = 0, input_launches = 0, weight_launches = 0;
    bool has_plans = false;  // whether the library has been asked for more than a handle
    std::string log;
  };

  /// Wherever the library can compute.
  static inline const Settings kAlways = {{"cuda_convolutions", "cudnn"}};

  /// 1 to 2 with `bits` bits of fraction.
  static Tensor numbers(const Shape& shape, const Device& device, DType dtype, int bits) {
    Values all(static_cast<std::size_t>(num_elements(shape)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = 1 + static_cast<double>(i * 7919 % (std::size_t{1} << bits)) / (1 << bits);
    }
    return from_host(all, shape, device).cast(dtype);
  }
  static Results compute(const Device& device, DType dtype, int bits, const Shape& images,
                         const Shape& filters, const Conv2dOptions& options) {
    const Tensor x = numbers(images, device, dtype, bits);
    const Tensor w = numbers(filters, device, dtype, std::min(bits, kMostBitsOfWeights));
    const std::uint64_t before = counters().launches;
    const Tensor y = conv2d(x, w, {}, options);
    device.synchronize();
    Results results;
    results.launches = counters().launches - before;
    results.out = values_of(y);
    const Tensor grad = ones(y.shape(), {dtype, device});
    std::tie(results.input, results.input_launches) = gradient(x, x, w, options, grad);
    std::tie(results.weight, results.weight_launches) = gradient(w, x, w, options, grad);
    results.has_plans = counters().dnn_objects > 1;
    return results;
  }
  /// And the launches that compute it.
  static std::pair<Values, std::uint64_t> gradient(const Tensor& of, const Tensor& x,
                                                   const Tensor& w, const Conv2dOptions& options,
                                                   const Tensor& grad) {
    of.requires_grad_();
    const Tensor y = conv2d(x, w, {}, options);
    y.device().synchronize();
    const std::uint64_t before = counters().launches;
    y.backward(grad);
    y.device().synchronize();
    const std::uint64_t launches = counters().launches - before;
    of.requires_grad_(false);
    return {values_of(of.grad()), launches};
  }
  static Results on_card(const Settings& settings, DType dtype, int bits, const Shape& images,
                         const Shape& filters, const Conv2dOptions& conv_options = {}) {
    std::string log;
    RuntimeOptions all = options(settings);
    all.settings["log"] = "info";
    all.log = [&](LogLevel level, std::string_view line) {
      if (line.find("convolutions run as products") != std::string_view::npos) {
        log += (level == LogLevel::kWarning ? "warning: " : "info: ") + std::string(line) + "\n";
      }
    };
    const Runtime runtime(all);
    Results results = compute(runtime.device("cuda:0"), dtype, bits, images, filters, conv_options);
    results.log = log;
    return results;
  }
  static Results on_cpu(int bits, const Shape& images, const Shape& filters,
                        const Conv2dOptions& conv_options = {}) {
    const Runtime runtime(options());
    return compute(runtime.device("cpu:0"), DType::f64, bits, images, filters, conv_options);
  }
  static void expect_equal(const Results& got, const Results& expected) {
    EXPECT_EQ(got.out, expected.out);
    EXPECT_EQ(got.input, expected.input);
    EXPECT_EQ(got.weight, expected.weight);
  }
};

TEST_F(SimDnn, ComputesEveryPartOfEveryShape) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Conv2dOptions& conv :
         {Conv2dOptions{}, Conv2dOptions{.stride = {2, 1}, .padding = 1},
          Conv2dOptions{.padding = {2, 0}, .dilation = 2},
          Conv2dOptions{.padding = 1, .groups = 2}}) {
      const Shape images{2, 4, 7, 6}, filters{6, 4 / conv.groups, 3, 2};
      const Results got = on_card(kAlways, dtype, 2, images, filters, conv);
      expect_equal(got, on_cpu(2, images, filters, conv));
      EXPECT_EQ(got.launches, 0u);
      EXPECT_EQ(got.log, "");
    }
  }
}

TEST_F(SimDnn, SmallFloatsAreSummedInF32) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Results got = on_card(kAlways, dtype, 1, {1, 2, 4, 4}, {2, 2, 3, 3});
    expect_equal(got, on_cpu(1, {1, 2, 4, 4}, {2, 2, 3, 3}));
    EXPECT_EQ(got.launches, 0u);
  }
}

/// Sums of these products are exact in f32, but not with operands of 10 bits of fraction.
TEST_F(SimDnn, OperandsOfF32AreRoundedOnlyIfTheUserAsks) {
  const Shape images{1, 1, 4, 4}, filters{1, 1, 2, 2};
  const Results exact = on_cpu(11, images, filters);
  expect_equal(on_card(kAlways, DType::f32, 11, images, filters), exact);
  const Results rounded = on_card({{"cuda_convolutions", "cudnn"}, {"cuda_tf32", "1"}}, DType::f32,
                                  11, images, filters);
  EXPECT_NE(rounded.out, exact.out);
  for (std::size_t i = 0; i < exact.out.size(); ++i) {
    EXPECT_NEAR(rounded.out[i], exact.out[i], 2e-3 * exact.out[i]);
  }
}

TEST_F(SimDnn, FastAlgorithmsAreUsedOnlyIfTheUserAsks) {
  const Settings fast{{"cuda_convolutions", "winograd"}};
  const Shape images{1, 16, 4, 4}, filters{2, 16, 2, 2};
  const Results exact = on_cpu(4, images, filters);
  expect_equal(on_card(kAlways, DType::f32, 4, images, filters), exact);
  expect_equal(on_card({}, DType::f32, 4, images, filters), exact);
  const Results got = on_card(fast, DType::f32, 4, images, filters);
  EXPECT_EQ(got.out, exact.out);  // products, by its size
  EXPECT_NE(got.input, exact.input);
  for (std::size_t i = 0; i < exact.input.size(); ++i) {
    EXPECT_NEAR(got.input[i], exact.input[i], 1e-3 * exact.input[i]);
  }
  const auto of_channels = [&](std::int64_t channels) {
    return on_card(fast, DType::f32, 1, {1, channels, 4, 4}, {2, channels, 2, 2});
  };
  EXPECT_EQ(of_channels(128).input_launches, 0u);
  EXPECT_NE(of_channels(129).input_launches, 0u);
}

TEST_F(SimDnn, BitsRepeat) {
  const Device device = new_card(kAlways);
  const Results first = compute(device, DType::f32, 20, {2, 3, 8, 8}, {4, 3, 3, 3}, {});
  expect_equal(compute(device, DType::f32, 20, {2, 3, 8, 8}, {4, 3, 3, 3}, {}), first);
}

/// docs/convolution.md has the sizes. Products need launches of the driver, the library does not.
TEST_F(SimDnn, TheSizesChooseUnlessTheUserDoes) {
  const auto has_launches = [](DType dtype, const Shape& images, const Shape& filters,
                               const Conv2dOptions& conv = {}) {
    const Results got = on_card({}, dtype, 1, images, filters, conv);
    expect_equal(got, on_cpu(1, images, filters, conv));
    return std::vector<bool>{got.launches != 0, got.input_launches != 0, got.weight_launches != 0};
  };
  using Launches = std::vector<bool>;  // of the result, the gradients of x and of the weight
  const Shape images{1, 32, 6, 6};
  EXPECT_EQ(has_launches(DType::f64, images, {8, 32, 3, 3}), (Launches{false, false, false}));
  EXPECT_EQ(has_launches(DType::f32, images, {8, 32, 3, 3}), (Launches{true, false, false}));
  EXPECT_EQ(has_launches(DType::f32, images, {8, 32, 3, 3}, {.stride = 2}),
            (Launches{true, true, true}));
  EXPECT_EQ(has_launches(DType::f32, {1, 16, 6, 6}, {8, 16, 3, 3}), (Launches{true, false, true}));
  EXPECT_EQ(has_launches(DType::f32, {1, 15, 6, 6}, {8, 15, 3, 3}), (Launches{true, true, true}));
  EXPECT_EQ(has_launches(DType::f32, {1, 30, 6, 6}, {8, 15, 3, 3}, {.groups = 2}),
            (Launches{true, true, true}));
  EXPECT_EQ(has_launches(DType::f32, {1, 65, 6, 6}, {8, 65, 3, 3}), (Launches{true, true, false}));
  const auto forward_has_launches = [&](std::int64_t filters, std::int64_t rows) -> bool {
    return has_launches(DType::f32, {1, 1, rows + 1, 64}, {filters, 1, 2, 1}).front();
  };
  EXPECT_FALSE(forward_has_launches(128, 96));
  EXPECT_TRUE(forward_has_launches(128, 95));
  EXPECT_TRUE(forward_has_launches(129, 96));
  const Shape points{8, 32, 1, 1};
  EXPECT_FALSE(on_card({}, DType::f64, 1, images, points).has_plans);
  EXPECT_TRUE(on_card(kAlways, DType::f64, 1, images, points).has_plans);
}

/// The plugin forgets plans when it has 1024. The simulation breaks the context if a graph executes
/// one that is gone.
TEST_F(SimDnn, GraphsKeepTheirPlans) {
  const Device device = new_card(kAlways);
  const Tensor x = numbers({1, 2, 4, 4}, device, DType::f32, 2);
  const Tensor w = numbers({2, 2, 2, 2}, device, DType::f32, 2);
  Tensor y;
  Scalar slot = 0;
  const Graph graph = record_graph([&](GraphRecording& recording) {
    slot = recording.slot(2);
    y = conv2d(x, w) * slot;
  });
  const auto forget_plans = [&] {
    for (int i = 0; i < 1025; ++i) {
      (void)conv2d(zeros({1, 1, 1 + i / 32, 1 + i % 32}, device), zeros({1, 1, 1, 1}, device));
    }
  };
  graph.replay();
  const Values first = values_of(y);
  forget_plans();
  graph.replay();
  EXPECT_EQ(values_of(y), first);
  graph.set(slot, 4);  // another plan, of a recording that updates the graph
  graph.replay();
  forget_plans();
  y.fill_(0);
  graph.replay();
  Values twice = first;
  for (double& value : twice) value *= 2;
  EXPECT_EQ(values_of(y), twice);
  EXPECT_EQ(counters().graph_updates, 1u);
}

/// Without an algorithm, and for views that begin at another address than 16 k.
TEST_F(SimDnn, ProductsComputeTheRest) {
  const Shape images{2, 8, 6, 6}, filters{8, 8, 3, 3};
  set("DNN_PLANS", "0");
  const Results got = on_card(kAlways, DType::f32, 2, images, filters);
  expect_equal(got, on_cpu(2, images, filters));
  EXPECT_GT(got.launches, 0u);
  set("DNN_PLANS", "1");
  const Runtime runtime(options(kAlways));
  const auto shifted = [&](const char* device) {
    const Tensor all = numbers({2 * 8 * 6 * 6 + 1}, runtime.device(device), DType::f32, 2);
    const Tensor x = all.slice(0, 1, all.size(0)).view(images);
    return values_of(conv2d(x, numbers(filters, runtime.device(device), DType::f32, 2)));
  };
  EXPECT_EQ(shifted("cuda:0"), shifted("cpu:0"));
}

/// Without cuBLAS, cuDNN computes all that it can, and portable kernels the rest.
TEST_F(SimDnn, WithoutTheLibraryOfProducts) {
  const Shape images{1, 32, 6, 6}, filters{8, 32, 3, 3};
  const Results expected = on_cpu(2, images, filters);
  Settings settings{{"cuda_blas_library", "/nowhere/libcublas.so"}};
  Results got = on_card(settings, DType::f32, 2, images, filters);
  expect_equal(got, expected);
  EXPECT_EQ(got.launches, 0u);
  settings["cuda_convolutions"] = "own";
  got = on_card(settings, DType::f32, 2, images, filters);
  expect_equal(got, expected);
  EXPECT_GT(got.launches, 0u);
}

TEST_F(SimDnn, EmptyImages) {
  const Device device = new_card();
  const Tensor y = conv2d(zeros({0, 2, 4, 4}, device), zeros({3, 2, 3, 3}, device));
  EXPECT_EQ(y.shape(), (Shape{0, 3, 2, 2}));
}

TEST_F(SimDnn, WithoutTheLibrary) {
  const Shape images{2, 8, 6, 6}, filters{8, 8, 3, 3};
  const Results expected = on_cpu(2, images, filters);
  const Settings absent{{"cuda_dnn_library", "/nowhere/libcudnn.so"}};
  Results got = on_card(absent, DType::f32, 2, images, filters);
  expect_equal(got, expected);
  EXPECT_EQ(got.log.rfind("warning: ", 0), 0u) << got.log;  // it was asked for by its name
  EXPECT_HAS(got.log, "no cuDNN 9: /nowhere/libcudnn.so");
  EXPECT_HAS(got.log, "Correct the setting cuda_dnn_library, which names it");
  Settings asked = absent;
  asked["cuda_convolutions"] = "cudnn";
  got = on_card(asked, DType::f32, 2, images, filters);
  expect_equal(got, expected);
  EXPECT_EQ(got.log.rfind("warning: ", 0), 0u) << got.log;
  got = on_card({{"cuda_convolutions", "own"}}, DType::f32, 2, images, filters);
  expect_equal(got, expected);
  EXPECT_EQ(got.log, "");
  EXPECT_FALSE(got.has_plans);
  EXPECT_GT(got.launches, 0u);
  set("DNN_STATUS", "1001");
  set("MEMORY_BYTES", "4294967296");  // so that it is not taken for a lack of memory
  got = on_card({}, DType::f32, 2, images, filters);
  expect_equal(got, expected);
  EXPECT_HAS(got.log, "cuDNN does not work here: cudnnCreate gives status 1001");
}

/// A wrong value is known when the plugin is opened, not when a library is first used.
TEST_F(SimDnn, BadSettings) {
  const std::pair<const char*, const char*> wanted[] = {
      {"cuda_convolutions", "auto, own, cudnn or winograd"},
      {"cuda_attention", "auto or own"},
      {"cuda_tf32", "0 or 1"},
      {"cuda_batches", "0 or 1"}};
  for (const auto& [name, values] : wanted) {
    const Runtime runtime(options({{name, "fast"}}));
    EXPECT_ERROR(runtime.device("cuda:0"), ErrorCode::kUnknownDevice,
                 " is failed: setting " + std::string(name) + " (PATCHBAY_");
    EXPECT_ERROR(runtime.device("cuda:0"), ErrorCode::kUnknownDevice,
                 "): expected " + std::string(values) + ", got 'fast'");
    EXPECT_EQ(runtime.device("cpu:0").name(), "cpu:0");
  }
}

/// Memory that the runtime keeps goes back to the driver, for the library.
TEST_F(SimDnn, FullDevice) {
  for (const std::string status : {"1001", "4000", "4004"}) {
    set("DNN_STATUS", status.c_str());
    const Device device = new_card({{"memory_cache", "off"}});
    const Error error = test::error_of([&] {
      (void)conv2d(zeros({1, 1, 4, 4}, device), zeros({1, 1, 2, 2}, device));
    });
    EXPECT_EQ(to_string(error.code()), to_string(ErrorCode::kOutOfMemory)) << error.what();
    EXPECT_TRUE(error.is_retryable());
    EXPECT_HAS(error.what(), "cudnnCreate gives status " + status + ", as on a full device: ");
  }
}

/// A plan that finds no room for its kernels is looked for again by the next call.
TEST_F(SimDnn, PlansOnAFullDevice) {
  constexpr std::size_t kLeft = std::size_t{512} << 10;
  const Device device = new_card({{"memory_cache", "off"}, {"cuda_convolutions", "cudnn"}});
  const Tensor x = full({1, 8, 4, 4}, 3, device), w = full({8, 8, 3, 3}, 2, device);
  (void)conv2d(x, full({8, 8, 2, 2}, 2, device));  // opens the library
  device.synchronize();
  const std::vector<float> expected(8 * 2 * 2, 3 * 2 * 8 * 9);
  auto launches = counters().launches;
  {
    const Buffer most = Buffer::allocate(device, device.memory().free_bytes - kLeft);
    EXPECT_EQ(conv2d(x, w).to_vector<float>(), expected);
    EXPECT_GT(counters().launches, launches) << "by products";
  }
  launches = counters().launches;
  EXPECT_EQ(conv2d(x, w).to_vector<float>(), expected);
  EXPECT_EQ(counters().launches, launches) << "by a plan";
}

}  // namespace
}  // namespace patchbay::sim_test
